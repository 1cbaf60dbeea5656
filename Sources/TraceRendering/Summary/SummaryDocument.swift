// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis
import TraceReading

/// The contents of the summary, and their order.
public struct SummaryOptions: Hashable, Sendable {
  /// The maximum number of statements, savers and fault origins to list.
  public var top: Int
  public var order: Order
  /// The key for groups, instead of the usual tables.
  public var grouping: Grouping?
  public var parts: Parts

  /// The parts below the verdict: everything, or the statements alone.
  public enum Parts: Hashable, Sendable { case all, statements }

  public enum Order: String, CaseIterable, Hashable, Sendable {
    case total, count, rows, mean, p50, p95, p99, max, misses
    case vmSteps = "steps"
    case fullScanSteps = "scans"
  }

  public init(
    top: Int = 10, order: Order = .total, grouping: Grouping? = nil, parts: Parts = .all
  ) {
    (self.top, self.order, self.grouping, self.parts) = (top, order, grouping, parts)
  }
}

extension Document {
  /// The verdict and the findings, then totals, statements, faults and saves.
  ///
  /// - Parameter review: the findings to show; nil for all that the profile has.
  public init(
    summary profile: Profile, options: SummaryOptions = SummaryOptions(),
    review: FindingReview? = nil
  ) {
    self.init(
      summary: SharedProfile(profile, withSQL: true), options: options, review: review)
  }

  /// - Parameter review: the findings to show, of the profile before it was shared; nil for all that
  ///   the shared profile has.
  public init(
    summary shared: SharedProfile, options: SummaryOptions, review: FindingReview?
  ) {
    let profile = shared.profile
    let review = review ?? FindingReview(profile.findings)
    let verdict = RunVerdict(shared, review)
    self.init(title: profile.headline)
    add(verdict.sentence, verdict.tone)
    add(profile.provenance, .quiet)
    blocks += profile.warnings
    blocks += profile.completeness.remarks.map { .paragraph($0, .quiet) }
    blocks += profile.unrecognizedSamples
    if options.grouping == nil, options.parts == .all {
      blocks += Self.findings(review, in: shared, options: options)
    }
    blocks.append(.facts(profile.facts))
    blocks += profile.timeSplit
    if !profile.isEmpty { add(profile.costOfTracing, .quiet) }
    if let grouping = options.grouping {
      blocks += Self.groups(of: profile, by: grouping, options: options)
      if options.parts == .all {
        blocks += Self.findings(review, in: shared, options: options)
      }
    } else if options.parts == .statements {
      blocks += Self.statements(of: profile, options: options)
    } else {
      blocks += Self.statements(of: profile, options: options)
      blocks += Self.entities(of: profile, options: options)
      blocks += Self.faults(of: profile, options: options)
      blocks += Self.saves(of: profile, options: options)
      blocks += Self.tests(of: profile, options: options)
      blocks += Self.io(of: profile, options: options)
      blocks += Self.transactions(of: profile, options: options)
      blocks += Self.lockWaits(of: profile, options: options)
      blocks += Self.failures(of: profile, options: options)
    }
  }
}

extension Profile {
  /// The processes and their SQLite: `transit[2367], SQLite 3.40.1`.
  var headline: String {
    let names = processes.map(\.identity.title)
    var parts = Array(names.prefix(3))
    if names.count > 3 {
      parts.append("and \((names.count - 3).counted("more process", "more processes"))")
    }
    parts += Set(stores.map(\.sqliteVersion)).subtracting([""]).sorted().map { "SQLite \($0)" }
    return parts.isEmpty ? "no process" : parts.joined(separator: ", ")
  }

  /// The inputs that were read: `t (ctf): 1,234 events, none lost`.
  var provenance: String {
    let only = selection.isEmpty ? "" : "; only what is \(selection.joined(separator: ", "))"
    // 8 is arbitrary: for a sum over a thousand hosts, the rest is one sentence.
    var parts = reading.sources.prefix(8).map { source in
      "\(source.path) (\(source.kind.rawValue)): " + Self.extent(of: [source])
    }
    let rest = Array(reading.sources.dropFirst(8))
    if !rest.isEmpty {
      parts.append(
        "\(rest.count.counted("more recording", "more recordings")): \(Self.extent(of: rest))")
    }
    return parts.joined(separator: "; ") + only
  }

  /// `1,234 events, none lost`; `3 events, losses not recorded` for a log of Core Data.
  private static func extent(of sources: [SourceReport]) -> String {
    let events = sources.reduce(UInt64(0)) { $0 &+ $1.eventsRead }
    let lost = sources.reduce(UInt64(0)) { $0 &+ $1.eventsLost }
    let unknown = sources.reduce(UInt64(0)) { $0 &+ $1.unrecognizedLines }
    let losses =
      lost > 0
      ? "\(lost.grouped) lost"
      : sources.allSatisfy(\.recordsLosses) ? "none lost" : "losses not recorded"
    return "\(events.counted("event")), \(losses)"
      + (unknown == 0 ? "" : ", \(unknown.counted("line")) not recognized")
  }

  /// The first lines that no rule recognizes, so that a reader can check the omissions.
  var unrecognizedSamples: [Document.Block] {
    reading.sources.flatMap(\.unrecognizedSamples).map {
      .paragraph("  not recognized: \($0)", .quiet)
    }
  }

  var costOfTracing: String {
    guard let cost = tracingCost else {
      if observed != nil {
        return "The probe does not time itself; what it adds to a statement is in "
          + "Documentation/Performance.md."
      }
      return "The cost of tracing is unknown: the input does not contain it."
    }
    return "Tracing itself took about \(Cell.duration(cost.time).text) of the program's time, "
      + "\(Cell.duration(cost.timePerEvent).text) an event."
  }

  /// Printed above all numbers, since they put all of them in doubt.
  var warnings: [Document.Block] {
    let completeness = completeness
    guard !completeness.isComplete else { return [] }
    let lost = completeness.eventsLost
    return [
      .paragraph(
        lost > 0
          ? "INCOMPLETE: \(lost.counted("event was", "events were")) lost; every count below may be too low."
          : "INCONCLUSIVE: \(readingDoubt(of: completeness)).", .bad)
    ] + completeness.doubts.map { .paragraph("  - " + $0, .bad) }
  }

  /// Whether counts may be too low or, with an input that was passed twice, too high.
  func readingDoubt(of completeness: Completeness) -> String {
    let surplus = processes.count { if case .surplus = $0.coverage { true } else { false } }
    let identities = reading.sources.compactMap(\.identity)
    guard surplus > 0 || Set(identities).count < identities.count else {
      return "events may be missing; a count below may be too low"
    }
    return completeness.doubts.count == surplus
      ? "events were read twice; a count below may be too high"
      : "events may be missing, and some were read twice; a count below may be too low or too high"
  }

  /// The totals in the words of the store, or of SQLite where no store ran.
  var facts: [Document.Fact] {
    guard let observed else { return storeFacts }
    let statements = facts(of: observed)
    return totals.isFromStore ? storeFacts + statements : statements
  }

  private func facts(of observed: ObservedProfile) -> [Document.Fact] {
    let (rows, runs) = (known(observed.rows, .rows), observed.runs)
    return [
      .init("statements", .count(runs)),
      // A log names no connections, and has no errors.
      .init("connections", .known(known(observed.connections, .rows))),
      .init("rows", .known(rows)), .init("commits", .count(waits.commits)),
      .init("changes", .known(known(observed.changes, .changes))),
      .init("rollbacks", .count(waits.rollbacks)),
      .init("in SQLite", .known(known(\.totals.connectionTime))),
      .init("lock waits", .known(known(\.waits.busyWaits))),
      .init("rows/run", runs > 0 ? .known(rows.map { Double($0) / Double(runs) }) : .none),
      .init("errors", .known(known(totals.errors, .rows))),
    ] + (observed.driverPragmas.map { [Document.Fact("driver PRAGMAs", .count($0))] } ?? [])
  }

  private var storeFacts: [Document.Fact] {
    func perFetch(_ count: UInt64?) -> Cell {
      totals.fetches > 0 ? .known(count.map { Double($0) / Double(totals.fetches) }) : .none
    }
    let (rows, faults) = (known(\.totals.rows), known(\.totals.faults))
    return [
      .init("fetches", .known(known(\.totals.fetches))),
      .init("counts", .known(known(\.totals.counts))), .init("rows", .known(rows)),
      .init("saves", .known(known(\.totals.saves))), .init("faults", .known(faults)),
      .init("rel. faults", .known(known(\.totals.relationshipFaults))),
      .init("cache misses", .known(known(\.totals.cacheMisses))),
      .init("cache hits", cacheHitRatio.map { .ratio($0) } ?? .none),
      .init("in SQLite", .known(known(\.totals.connectionTime))),
      .init("fetching", .known(known(\.totals.totalTime))),
      .init("in faults", .known(known(\.totals.faultTime))),
      .init("saving", .known(known(\.totals.saveTime))), .init("rows/fetch", perFetch(rows)),
      .init("faults/fetch", perFetch(faults)), .init("errors", .count(totals.errors)),
    ]
  }

  /// The parts of the time of all fetches and misses: `2% waiting, 1% compiling, …`.
  fileprivate var timeSplit: [Document.Block] {
    timeSplitSentence.map { [.paragraph(""), .paragraph($0, .quiet)] } ?? []
  }

  /// Nil where no source contains the parts.
  var timeSplitSentence: String? {
    var work = StatementCounts()
    for statement in statements { work.add(statement.work) }
    return work.timeSplit.map { "Of the time: \($0)." }
  }
}

extension StatementCounts {
  /// `2% waiting, 1% compiling, 90% running, 7% making objects`, or nil where the source
  /// does not contain the parts.
  var timeSplit: String? {
    guard let parts = timeParts else { return nil }
    return parts.filter { $0.ratio >= 1 / 200 }
      .map { "\(Cell.ratio($0.ratio).text) \($0.name)" }.joined(separator: ", ")
  }

  /// Each part of the time, or nil where the source does not contain the parts.
  var timeParts: [(name: String, ratio: Double)]? {
    let parts = [
      (known(\.waitTime), "waiting"), (known(\.prepareTime), "compiling"),
      (known(\.stepTime), "running"), (known(\.materializeTime), "making objects"),
    ]
    let known = parts.compactMap { time, name in time.map { (name, Double($0)) } }
    let whole = known.reduce(0.0) { $0 + $1.1 }
    guard whole > 0, prepareTime > 0 || waitTime > 0 || materializeTime > 0 else { return nil }
    return known.filter { $0.1 > 0 }.map { ($0, $1 / whole) }
  }
}
