// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis
import TraceReading

/// What the summary shows, and in which order.
public struct SummaryOptions: Hashable, Sendable {
  /// How many statements, savers and fault origins are listed at most.
  public var top: Int
  public var order: Order

  public enum Order: String, CaseIterable, Hashable, Sendable { case total, count, rows, p95, max }

  public init(top: Int = 10, order: Order = .total) {
    self.top = top
    self.order = order
  }
}

extension Document {
  /// Totals, statements, faults and saves; the findings stand last, where a terminal stops.
  ///
  /// - Parameter review: the findings to show; nil for all that the profile has.
  public init(
    summary profile: Profile, options: SummaryOptions = SummaryOptions(),
    review: FindingReview? = nil
  ) {
    let review = review ?? FindingReview(profile.findings)
    self.init(title: profile.headline)
    blocks.append(.paragraph(profile.provenance, .quiet))
    blocks += profile.completeness.warnings
    blocks += profile.completeness.remarks.map { .paragraph($0, .quiet) }
    blocks += profile.unrecognizedSamples
    blocks.append(.facts(profile.totals.facts(hitRatio: profile.cacheHitRatio)))
    blocks += Self.statements(of: profile, options: options)
    blocks += Self.faults(of: profile, options: options)
    blocks += Self.saves(of: profile, options: options)
    blocks += Self.findings(review, in: profile)
  }
}

extension Profile {
  /// The processes and their SQLite: `transit[2367], SQLite 3.40.1`.
  fileprivate var headline: String {
    let names = processes.map(\.identity.title)
    var parts = Array(names.prefix(3))
    if names.count > 3 { parts.append("and \(names.count - 3) more processes") }
    parts += Set(stores.map(\.sqliteVersion)).subtracting([""]).sorted().map { "SQLite \($0)" }
    return parts.isEmpty ? "no process" : parts.joined(separator: ", ")
  }

  /// What was read: `t (ctf): 1,234 events, none lost`.
  fileprivate var provenance: String {
    reading.sources.map { source in
      let lost = source.eventsLost == 0 ? "none lost" : "\(source.eventsLost.grouped) lost"
      let unknown =
        source.unrecognizedLines == 0
        ? "" : ", \(source.unrecognizedLines.grouped) lines not recognized"
      return "\(source.path) (\(source.kind.rawValue)): \(source.eventsRead.grouped) events, "
        + lost + unknown
    }.joined(separator: "; ")
  }
}

extension Profile {
  /// The first lines that no rule knows, so that nobody has to take the numbers on trust.
  fileprivate var unrecognizedSamples: [Document.Block] {
    reading.sources.flatMap { source in
      source.unrecognizedSamples.map { sample in
        .paragraph("  not recognized: \(sample)", .quiet)
      }
    }
  }
}

extension ProcessIdentity {
  /// `transit[2367]`, or the name alone where the source tells no id.
  var title: String { id > 0 ? "\(name)[\(id)]" : name }
}

extension Completeness {
  /// Said before any number, since it puts all of them in doubt.
  var warnings: [Document.Block] {
    guard !isComplete else { return [] }
    return [
      .paragraph(
        eventsLost > 0
          ? "INCOMPLETE: \(eventsLost.grouped) events were lost; every count below may be too low."
          : "INCONCLUSIVE: events may be missing; a count below may be too low.", .bad)
    ] + doubts.map { .paragraph("  - " + $0, .bad) }
  }
}

extension Profile.Totals {
  fileprivate func facts(hitRatio: Double?) -> [Document.Fact] {
    [
      .init("fetches", .count(fetches)), .init("counts", .count(counts)),
      .init("rows", .count(rows)), .init("saves", .count(saves)),
      .init("faults", .count(faults)), .init("rel. faults", .count(relationshipFaults)),
      .init("cache misses", .count(cacheMisses)),
      .init("cache hits", hitRatio.map { .ratio($0) } ?? .none),
      .init("in SQLite", .duration(connectionTime)), .init("fetching", .duration(totalTime)),
      .init("in faults", .duration(faultTime)), .init("saving", .duration(saveTime)),
    ]
  }
}
