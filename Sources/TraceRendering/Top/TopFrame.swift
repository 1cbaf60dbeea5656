// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StoreEvents
public import TraceAnalysis
import TraceReading

/// One picture of a running program, before it is a screen, a block of text or a line of JSON.
public struct TopFrame: Sendable {
  public var interval: LiveInterval
  /// The log, the session or the program.
  public var source: String
  /// Since counting began, in nanoseconds.
  public var elapsed: Nanoseconds
  public var order = TopOrder.now
  public var state = State.running
  /// The selected statement; its SQL is shown.
  public var selection: SQLFingerprint?

  public enum State: Hashable, Sendable {
    case running, paused
    /// The end of the input; one sentence with the reason.
    case ended(String)
  }

  public init(_ interval: LiveInterval, source: String, elapsed: Nanoseconds) {
    (self.interval, self.source, self.elapsed) = (interval, source, elapsed)
  }

  /// The statements, the largest in the frame's order first.
  public var statements: [LiveStatement] {
    interval.statements.enumerated().map { ($0.offset, order.amount($0.element), $0.element) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.2)
  }

  /// The part of all statements' time that one took: of the interval, and since counting began.
  func shares(of statement: LiveStatement) -> (now: Cell, total: Cell) {
    var (now, total): (Double, Double) = (0, 0)
    for statement in interval.statements {
      now += Double(statement.added.totalTime)
      total += Double(statement.group.work.totalTime)
    }
    return (
      now > 0 ? .ratio(Double(statement.added.totalTime) / now) : .none,
      total > 0 ? .ratio(Double(statement.group.work.totalTime) / total) : .none
    )
  }

  /// The processes, of very many the last ones.
  var title: String {
    let names = interval.profile.processes.map(\.identity.title)
    let rest = names.count > 2 ? " and \(names.count - 2) more" : ""
    return names.isEmpty ? source : names.suffix(2).joined(separator: ", ") + rest
  }

  /// `1:23`, or `26:01:23`.
  var clock: String {
    let seconds = elapsed / 1_000_000_000
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return hours > 0
      ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
  }

  var rates: [Document.Fact] {
    interval.observedAdded.map(rates(ofObserved:)) ?? storeRates
  }

  private var storeRates: [Document.Fact] {
    let added = interval.added
    let faults = added.faults + added.relationshipFaults
    let hasFaults = faults > 0 || interval.profile.measures.contains(.faults)
    return [
      .init("fetches/s", rate(added.fetches + added.counts)), .init("rows/s", rate(added.rows)),
      .init("faults/s", hasFaults ? rate(faults) : .none),
      .init("misses/s", rate(added.cacheMisses)), .init("saves/s", rate(added.saves)),
      .init("cache hits", interval.cacheHitRatio.map { .ratio($0) } ?? .none),
    ] + shares
  }

  private func rates(ofObserved added: ObservedProfile) -> [Document.Fact] {
    let statements: [Document.Fact] = [.init("statements/s", rate(added.runs))]
    guard !interval.profile.totals.isFromStore else { return storeRates + statements }
    return statements + [
      .init("rows/s", rate(added.rows)), .init("changes/s", rate(added.changes)),
      .init("commits/s", rate(interval.commitsAdded)),
    ] + shares
  }

  private var shares: [Document.Fact] {
    [
      .init(
        "lock wait",
        interval.profile.measures.isDisjoint(with: [.waitTime, .lockWaits])
          ? .none : .ratio(interval.share(interval.waitTime))),
      .init("in SQLite", .ratio(interval.share(interval.added.connectionTime))),
    ]
  }

  private func rate(_ count: UInt64) -> Cell { .number(interval.perSecond(count)) }

  /// `12 fetches, 3,400 rows, 5 faults, 1 miss, 2 saves`, or of a program without a store
  /// `12 statements, 3,400 rows, 5 changes, 2 commits`.
  var totals: String {
    let profile = interval.profile
    let totals = profile.totals
    let observed = profile.observed
    let statements = observed?.runs.counted("statement")
    let store = [
      (totals.fetches + totals.counts).counted("fetch", "fetches"), totals.rows.counted("row"),
      profile.known(\.totals.faults).map {
        ($0 + totals.relationshipFaults).counted("fault")
      },
      totals.cacheMisses.counted("miss", "misses"), totals.saves.counted("save"), statements,
    ]
    let others = [
      statements, observed?.rows.counted("row"), observed?.changes.counted("change"),
      profile.waits.commits.counted("commit"),
    ]
    return
      ((observed == nil || totals.isFromStore ? store : others)
      + [totals.errors > 0 ? totals.errors.counted("error") : nil])
      .compactMap(\.self).joined(separator: ", ")
  }

  /// The doubts about the numbers; one sentence each.
  var warnings: [String] {
    interval.profile.reading.sources.flatMap { source -> [String] in
      var warnings = source.problems.suffix(1).map { "\(source.path): \($0)" }
      if source.eventsLost > 0 {
        warnings.insert(
          "\(source.eventsLost.counted("event")) lost: the numbers are too low", at: 0)
      }
      if source.unrecognizedLines > 0 {
        warnings.append("\(source.unrecognizedLines.counted("line")) not recognized")
      }
      return warnings
    }
  }
}

/// The order of the statements.
public enum TopOrder: String, CaseIterable, Hashable, Sendable {
  case now, total, runs, rows, mean, misses

  /// The next one, and after the last the first again.
  public var next: TopOrder {
    let all = Self.allCases
    let index = all.firstIndex(of: self).map { all.index(after: $0) } ?? all.startIndex
    return index < all.endIndex ? all[index] : all[all.startIndex]
  }

  func amount(_ statement: LiveStatement) -> Double {
    switch self {
    case .now: Double(statement.added.totalTime)
    case .total: Double(statement.group.work.totalTime)
    case .runs: Double(statement.added.count)
    case .rows: Double(statement.added.rows)
    case .mean: statement.added.meanTime
    case .misses: Double(statement.missesAdded)
    }
  }
}
