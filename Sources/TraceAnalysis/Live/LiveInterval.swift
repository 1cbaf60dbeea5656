// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// The work of one interval, and the work since counting began.
public struct LiveInterval: Sendable {
  /// In nanoseconds; at least one.
  public var duration: Nanoseconds
  /// All since counting began.
  public var profile: Profile
  /// The difference of the totals in the interval.
  public var added: Profile.Totals
  /// The work that the probe observed in the interval; nil if it observed nothing so far.
  public var observedAdded: ObservedProfile?
  /// Transactions that wrote and were committed in the interval.
  public var commitsAdded: UInt64
  /// Waiting for a connection, or for the writer and its lock, in the interval.
  public var waitTime: Nanoseconds
  /// In the order of their total time, longest first.
  public var statements: [LiveStatement]
  /// By the difference in the interval, most misses first.
  public var faults: [LiveFaults]
  /// The findings up to now.
  public var findings: [Finding]

  init(
    _ duration: Nanoseconds, _ profile: Profile, _ groups: [SQLFingerprint: StatementGroup],
    since before: LiveSums, findings: [Finding]
  ) {
    self.duration = max(duration, 1)
    self.profile = profile
    self.findings = findings
    added = profile.totals.since(before.totals)
    observedAdded = profile.observed?.since(before.observed ?? ObservedProfile())
    commitsAdded = profile.waits.commits.since(before.commits)
    waitTime = profile.waitTime.since(before.waitTime)
    statements = groups.values.map { group in
      LiveStatement(
        group: group, added: group.work.since(before.works[group.fingerprint] ?? StatementCounts()),
        missesAdded: group.misses.since(before.misses[group.fingerprint] ?? 0))
    }.sorted(by: \.group.work.totalTime, then: \.group.fingerprint)
    faults = profile.faults.map { fault in
      let old = before.faults[fault.origin]
      return LiveFaults(
        profile: fault, missesAdded: fault.misses.since(old?.misses ?? 0),
        hitsAdded: fault.hits.since(old?.hits ?? 0))
    }.sorted { a, b in
      a.missesAdded != b.missesAdded
        ? a.missesAdded > b.missesAdded
        : (b.profile.misses, a.profile.origin.sortKey)
          < (a.profile.misses, b.profile.origin.sortKey)
    }
  }

  /// An amount of the interval, a second.
  public func perSecond(_ amount: some BinaryInteger) -> Double {
    Double(amount) * 1e9 / Double(duration)
  }

  /// A time of the interval as a part of it; of several threads it may be more than 1.
  public func share(_ time: Nanoseconds) -> Double { Double(time) / Double(duration) }

  /// The part of the interval's faults that the row cache answered, or nil without faults.
  public var cacheHitRatio: Double? {
    profile.known(\.totals.cacheHits) == nil ? nil : added.cacheHitRatio
  }
}

/// The statements of one form.
public struct LiveStatement: Sendable {
  /// All since counting began.
  public var group: StatementGroup
  /// The difference in the interval.
  public var added: StatementCounts
  /// The misses of the interval.
  public var missesAdded: UInt64
}

/// The faults of one entity or relationship on objects that one line fetched.
public struct LiveFaults: Sendable {
  /// All since counting began.
  public var profile: FaultProfile
  /// The misses of the interval.
  public var missesAdded: UInt64
  /// The hits of the interval.
  public var hitsAdded: UInt64
}
