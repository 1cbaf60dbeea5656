// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents
public import TraceReading

/// The work of a running program, interval by interval.
///
///     events ──▶ builder ──▶ profile so far ──┬──▶ totals, findings
///                            sums of before ──┴──▶ what the interval added
///
/// Its size is bounded, as the builder's is: beyond a limit, new items are counted together. Of
/// very many statements, the ones with the most time are shown.
public struct LiveProfile {
  private var builder = ProfileBuilder()
  private var before = LiveSums()
  private var findings: [Finding] = []
  private var isChanged = false

  // 1000 is arbitrary: far more than a screen shows, and grouped by form within about 20 ms.
  static let maxStatements = 1000

  /// Makes an empty profile.
  public init() {}

  /// Folds one event.
  public mutating func add(_ record: EventRecord) {
    builder.add(record)
    isChanged = true
  }

  /// Discards all counts; fetches that are running keep their callers.
  public mutating func reset() {
    builder.resetCounts()
    before = LiveSums()
    isChanged = true
  }

  /// The sums so far.
  public func profile(of reading: ReadingReport) -> Profile { builder.profile(of: reading) }

  /// Ends an interval.
  ///
  /// - Parameters:
  ///   - duration: how long it was, in nanoseconds.
  ///   - reading: the reader's report so far.
  public mutating func endInterval(
    lasting duration: Nanoseconds, _ reading: ReadingReport
  ) -> LiveInterval {
    var profile = builder.profile(of: reading)
    profile.statements = Array(profile.statements.prefix(Self.maxStatements))
    // Without a new event the findings are unchanged.
    if isChanged { findings = profile.cheapFindings }
    isChanged = false
    let groups = profile.statementGroups
    defer { before = LiveSums(profile, groups) }
    return LiveInterval(duration, profile, groups, since: before, findings: findings)
  }
}

/// The sums of a profile that the next interval is compared with.
struct LiveSums {
  var totals = Profile.Totals()
  var observed: ObservedProfile?
  var commits: UInt64 = 0
  var waitTime: Nanoseconds = 0
  var works: [SQLFingerprint: StatementCounts] = [:]
  var misses: [SQLFingerprint: UInt64] = [:]
  var faults: [FaultProfile.Origin: FaultProfile] = [:]

  init() {}

  init(_ profile: Profile, _ groups: [SQLFingerprint: StatementGroup]) {
    totals = profile.totals
    observed = profile.observed
    commits = profile.waits.commits
    waitTime = profile.waitTime
    works = groups.mapValues(\.work)
    misses = groups.mapValues(\.misses)
    faults = Dictionary(profile.faults.map { ($0.origin, $0) }, uniquingKeysWith: { $1 })
  }
}

extension Profile {
  // 100 is arbitrary: rules take about 50 µs per statement, and the rest is not visible on a
  // screen.
  private static let maxStatementsChecked = 100

  /// The findings of the rules for the statements that take most time.
  fileprivate var cheapFindings: [Finding] {
    var profile = self
    profile.statements = Array(statements.prefix(Self.maxStatementsChecked))
    return profile.findings
  }

  /// Waiting for a connection, or for the writer and its lock, in nanoseconds.
  var waitTime: Nanoseconds {
    // Only the store keeps the waits of each statement.
    if observed != nil, !totals.isFromStore { return waits.busyTime }
    var time: Nanoseconds = 0
    for statement in statements { time.add(statement.work.waitTime) }
    for save in saves { time.add(save.waitTime) }
    return time
  }
}

extension ProfileBuilder {
  /// Resets all counts; texts and running fetches are kept.
  mutating func resetCounts() {
    var new = ProfileBuilder(filter)
    new.texts = texts
    new.stores = stores
    new.processes = processes
    new.pendingFetches = pendingFetches
    new.pendingMisses = pendingMisses
    new.batchedFetches = batchedFetches
    new.commits = commits
    new.origins = origins
    self = new
  }
}
