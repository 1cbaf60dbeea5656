// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StatementReplay
import StoreEvents

/// A library of SQLite, and the replay with it.
public struct ReplayedVersion: Sendable {
  public var library: String
  public var change: ReplayChange
  public var replay: Replay

  public init(library: String, change: ReplayChange, replay: Replay) {
    (self.library, self.change, self.replay) = (library, change, replay)
  }

  fileprivate var otherPlans: [FormEffect] { replay.forms.filter { $0.plans != nil } }
  fileprivate var otherResults: [FormEffect] { replay.forms.filter { $0.differences > 0 } }
}

extension Document {
  // Arbitrary: a screen of them for each version.
  private static let maxForms = 5

  /// A row for each version, then the statements with another plan or another result.
  public init(replayedVersions versions: [ReplayedVersion]) {
    let worse = versions.filter(\.replay.isWorse).map(\.change.library.version)
    let isConclusive = versions.allSatisfy(\.replay.isConclusive)
    self.init(
      title: !isConclusive
        ? "replay: inconclusive"
        : worse.isEmpty
          ? "replay: no version of SQLite costs more"
          : "replay: statements cost more, or do something else, with SQLite \(worse.joined(separator: ", "))"
    )
    if let first = versions.first {
      add(first.replay.surroundings(first.change, of: versions.count), .quiet)
    }
    let columns: [Table.Column] =
      [.text("SQLite")]
      + ["VM steps", "factor", "time", "other plans", "other results"].map { .number($0) }
    add(columns, versions.map(\.row))
    for version in versions {
      let forms = version.replay.forms.filter { $0.plans != nil || $0.differences > 0 }
      guard !forms.isEmpty else { continue }
      blocks.append(.heading("With SQLite \(version.change.library.version)"))
      blocks += forms.prefix(Self.maxForms).map { .item($0.item) }
      if forms.count > Self.maxForms {
        add("\(forms.count - Self.maxForms) more: see it alone", .quiet)
      }
    }
    for version in versions where !version.replay.isConclusive {
      add(
        """
        SQLite \(version.change.library.version): \(version.replay.divergentRuns.grouped) of \
        \(version.replay.recordedRuns.counted("run")) not as recorded; see 'trace-report replay' with it alone.
        """, .bad)
    }
  }
}

extension ReplayedVersion {
  fileprivate var row: Table.Row {
    let (before, after) = (replay.before.vmSteps, replay.after.vmSteps)
    return Table.Row([
      .text(change.library.version), .count(after),
      before == 0 ? .none : .factor(Double(after) / Double(before)),
      replay.timeRatio.map { .text($0.words) } ?? .none, .count(UInt64(otherPlans.count)),
      .count(UInt64(otherResults.count)),
    ])
  }
}
