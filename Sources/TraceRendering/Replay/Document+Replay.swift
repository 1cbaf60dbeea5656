// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StatementReplay
import StoreEvents
import TraceAnalysis

extension Document {
  // Arbitrary: a screen of them.
  private static let maxForms = 10
  private static let maxDivergences = 8

  /// The verdict, the totals, the statements with changed costs, and the divergent runs.
  public init(replay: Replay, change: ReplayChange) {
    self.init(title: "replay: \(replay.verdict)")
    add(replay.surroundings(change), .quiet)
    let changed = replay.forms.filter(\.isChanged)
    add(Self.columns, replay.totals)
    if !changed.isEmpty {
      blocks.append(.heading("Statements that changed"))
      blocks += changed.prefix(Self.maxForms).map { .item($0.item) }
      if changed.count > Self.maxForms {
        add("\(changed.count - Self.maxForms) more: --json", .quiet)
      }
    }
    for (sql, message) in replay.failedPreparations {
      add("\(sql) failed: \(message)", .bad)
    }
    guard !replay.divergences.isEmpty else {
      add("All runs had the rows, changes and result codes of the recording.", .good)
      return
    }
    blocks.append(
      .heading(
        "Not as recorded: \(replay.divergentRuns.grouped) of \(replay.recordedRuns.counted("run"))\(replay.divergentShare)"
      ))
    for runs in replay.divergences.prefix(Self.maxDivergences) {
      add("\(runs.runs.counted("run")): \(runs.divergence.reason)")
      blocks.append(.excerpt(runs.form.description, .quiet, lines: 1))
    }
    if replay.divergences.count > Self.maxDivergences {
      add("\(replay.divergences.count - Self.maxDivergences) more: --json", .quiet)
    }
  }

  private static let columns: [Table.Column] =
    [.text("")] + ["as it was", "changed", "factor"].map { .number($0) }
}

extension Replay {
  fileprivate var verdict: String {
    if !isConclusive { return "inconclusive" }
    if isWorse {
      let worse = forms.count { $0.isWorse }
      return "\(worse.counted("statement costs", "statements cost")) more, or does something else"
    }
    guard before.vmSteps != after.vmSteps else { return "the same VM steps" }
    return """
      \(after.vmSteps.grouped) VM steps with the change, \(before.vmSteps.grouped) without
      """
  }

  fileprivate var divergentShare: String {
    guard divergentSteps > 0 else { return "" }
    return ", \(Cell.ratio(Double(divergentSteps) / Double(recordedSteps)).text) of the VM steps"
  }

  /// The runs, the versions, and the program's pauses.
  func surroundings(_ change: ReplayChange, of count: Int = 1) -> String {
    let recorded = recordedVersions.joined(separator: ", ")
    let own = SQLiteLibrary.own.version
    let versions =
      own == change.library.version || count > 1
      ? "SQLite \(own)" : "SQLite \(own) as it was, \(change.library.version) changed"
    let note = recorded == own ? "" : " (recorded: \(recorded))"
    return "\(recordedRuns.counted("run")) on private copies; \(versions)\(note)." + pauses
  }

  private var pauses: String {
    guard let lateness else { return "" }
    guard lateness.lateSteps > 0 else { return " With the program's pauses." }
    return
      " The program's pauses were not kept: \(lateness.lateSteps.counted("step")) came late, by up to \(Cell.duration(lateness.longest).text)."
  }

  fileprivate var totals: [Table.Row] {
    func row(_ name: String, _ value: (ReplayWork) -> UInt64, _ cell: (UInt64) -> Cell)
      -> Table.Row
    {
      let (before, after) = (value(before), value(after))
      let factor = before == 0 ? Cell.none : .factor(Double(after) / Double(before))
      return Table.Row([.text(name), cell(before), cell(after), factor])
    }
    let rows = WorkMetric.counters.map { metric in
      row(metric.title, { StatementCounts($0.counters).counter(metric) }, Cell.count)
    }.filter { $0.cells[1] != .count(0) || $0.cells[2] != .count(0) }
    return rows + [time]
  }
}

extension Replay {
  /// The program's own time, and what it would be.
  fileprivate var time: Table.Row {
    guard let ratio = timeRatio else {
      return Table.Row([
        .text("time in SQLite"), .duration(Nanoseconds(before.timeNs)),
        .duration(Nanoseconds(after.timeNs)),
        before.timeNs == 0 ? .none : .factor(Double(after.timeNs) / Double(before.timeNs)),
      ])
    }
    let changed = Nanoseconds((Double(recordedTime) * ratio.value).rounded())
    var row = Table.Row([
      .text("time in SQLite"), .duration(Nanoseconds(recordedTime)), .duration(changed),
      .factor(ratio.value),
    ])
    row.notes = [.text("95% interval: \(ratio.words)")]
    return row
  }
}

extension FormEffect {
  /// Other work, another plan, or other results.
  fileprivate var isChanged: Bool {
    differences > 0 || plans != nil || before.vmSteps != after.vmSteps
  }

  var item: Document.Item {
    var lines: [Document.Fact] = [
      .init(
        "VM steps",
        .text(
          "\(before.vmSteps.grouped) → \(after.vmSteps.grouped) in \(before.runs.counted("run"))")),
      .init(
        "time",
        .text(
          "\(Cell.duration(Nanoseconds(before.timeNs)).text) → \(Cell.duration(Nanoseconds(after.timeNs)).text)"
            + (timeRatio.map { ", \($0.words)" } ?? ""))),
    ]
    if let plans {
      lines.append(.init("plan", .text(plans.before.joined(separator: "; "))))
      lines.append(.init("changed", .text(plans.after.joined(separator: "; "))))
    }
    if differences > 0 {
      let reason = message.isEmpty ? "" : ": \(message)"
      lines.append(
        .init("results", .text("\(differences.counted("run")) with another result\(reason)")))
    }
    return Document.Item(
      tone: isWorse ? .bad : after.vmSteps < before.vmSteps ? .good : .plain,
      headline: form.description, location: "", lines: lines)
  }
}

extension TimeRatio {
  /// `0.24× (0.23 to 0.26)`.
  var words: String {
    let bounds = [low, high].map { Cell.factor($0).text.dropLast() }
    return "\(Cell.factor(value).text) (\(bounds[0]) to \(bounds[1]))"
  }
}
