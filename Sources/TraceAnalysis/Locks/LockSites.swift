// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Counts the statements that locks made fail, or that made others fail.
struct LockSites {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxSites = 1000
  // Enough to distinguish a long read from a short one, 8 bytes each.
  private static let maxCommits = 4096
  private static let maxThreads = 4096

  private var upgrades: [LockSite.Key: LockSite] = [:]
  private var refusals: [LockSite.Key: LockSite] = [:]
  private var longReads: [LockSite.Key: LockSite] = [:]
  /// By statement and values: failures without a later successful run.
  private var failures: [Failure: LockSite] = [:]
  private var continued: Set<Failure> = []
  /// Writes that failed in a transaction that had read, by form and thread: the next attempt reads again, and may compute
  /// other values.
  private var failedUpgrades: [Attempt: Failure] = [:]
  /// By thread: the last failures, until the thread runs another statement.
  private var lastFailure: [Key: Failure] = [:]
  /// By database: the times of commits of connections.
  private var commits: [String: [(time: Nanoseconds, connection: Key)]] = [:]
  /// By connection: the first read of its transaction.
  private var reads: [Key: Read] = [:]

  /// Reads during which others committed often, by their ends.
  private(set) var pins: [Pin] = []

  struct Pin {
    var connection: Key
    var site: LockSite
    var start: Nanoseconds
    var end: Nanoseconds
  }

  private struct Read {
    var site: LockSite
    var start: Nanoseconds
    var transaction: UInt64
  }

  private struct Failure: Hashable {
    var process: Int
    var form: UInt64
    var bindHash: UInt64
  }

  private struct Attempt: Hashable {
    var thread: Key
    var form: UInt64
  }

  mutating func recordUpgrade(_ site: LockSite) { Self.count(site, in: &upgrades) }
  mutating func recordRefusal(_ site: LockSite) { Self.count(site, in: &refusals) }

  mutating func commit(in database: String, by connection: Key, at time: Nanoseconds) {
    guard commits.count < Self.maxSites || commits[database] != nil else { return }
    commits[database, default: []].append((time, connection))
    if commits[database]?.count ?? 0 > 2 * Self.maxCommits {
      commits[database]?.removeFirst(Self.maxCommits)
    }
  }

  /// The first commit by others after a time; of very many, some are no longer counted.
  func firstCommit(
    in database: String, after time: Nanoseconds, notBy connection: Key
  ) -> Nanoseconds? {
    commits[database]?.first { $0.time > time && $0.connection != connection }?.time
  }

  mutating func record(
    _ run: StatementRun, _ site: LockSite, form: UInt64, isUpgrade: Bool, thread: Key,
    connection: Key, database: String, at time: Nanoseconds
  ) {
    recordFailure(run, site, form: form, isUpgrade: isUpgrade, thread: thread)
    guard run.error.isEmpty else { return }
    recordRead(run, site, connection: connection, database: database, at: time)
  }

  /// A statement that failed is made good by a later run of the same one with the same values.
  private mutating func recordFailure(
    _ run: StatementRun, _ site: LockSite, form: UInt64, isUpgrade: Bool, thread: Key
  ) {
    if run.error.isEmpty, failures.isEmpty, lastFailure.isEmpty, failedUpgrades.isEmpty { return }
    let attempt = Attempt(thread: thread, form: form)
    let failure = Failure(process: thread.process, form: form, bindHash: run.bindHash)
    if let last = lastFailure.removeValue(forKey: thread), last != failure {
      continued.insert(last)
    }
    if run.error.hasPrefix("SQLITE_BUSY") {
      guard failures.count < Self.maxSites || failures[failure] != nil else { return }
      failures[failure, default: LockSite(site, count: 0)].count.add(1)
      lastFailure[thread] = failure
      if isUpgrade { failedUpgrades[attempt] = failure }
    } else if let upgrade = failedUpgrades.removeValue(forKey: attempt) {
      failures.removeValue(forKey: upgrade)
      continued.remove(upgrade)
    } else if failures.removeValue(forKey: failure) != nil {
      continued.remove(failure)
    }
  }

  /// The commits of others while the statement's cursor was open, or since its transaction began.
  private mutating func recordRead(
    _ run: StatementRun, _ site: LockSite, connection: Key, database: String, at time: Nanoseconds
  ) {
    guard run.isReadOnly != 0 else { return }
    var read = Read(
      site: site, start: time &- max(run.openTime, 0), transaction: run.transactionID)
    if run.transactionID != 0 {
      if let known = reads[connection], known.transaction == run.transactionID {
        read = known
      } else {
        guard !site.isTransactionControl else { return }
        guard reads.count < Self.maxThreads || reads[connection] != nil else { return }
        reads[connection] = read
      }
    }
    let count = count(read, of: connection, in: database)
    if run.transactionID == 0 { pin(read, of: connection, commits: count, until: time) }
  }

  /// A read transaction ended, or was still open at the end, without a time.
  mutating func endRead(of connection: Key, in database: String, at time: Nanoseconds?) {
    guard let read = reads.removeValue(forKey: connection) else { return }
    let count = count(read, of: connection, in: database)
    pin(read, of: connection, commits: count, until: time ?? commits[database]?.last?.time)
  }

  /// Records a run that did not end; it kept its snapshot until the end of the trace.
  mutating func endRun(_ run: UnendedRuns.Run, in database: String) {
    let read = Read(site: run.site, start: run.start, transaction: 0)
    let count = count(read, of: run.connection, in: database)
    pin(read, of: run.connection, commits: count, until: commits[database]?.last?.time)
  }

  private mutating func pin(
    _ read: Read, of connection: Key, commits: Int, until end: Nanoseconds?
  ) {
    guard let end, commits >= EndReadTransaction.minCommits, pins.count < Self.maxSites else {
      return
    }
    pins.append(Pin(connection: connection, site: read.site, start: read.start, end: end))
  }

  /// The connections with transactions that only read so far.
  var readingConnections: [Key] {
    reads.keys.sorted { ($0.process, $0.id) < ($1.process, $1.id) }
  }

  @discardableResult
  private mutating func count(
    _ read: Read, of connection: Key, in database: String
  ) -> Int {
    guard let commits = commits[database] else { return 0 }
    let count = commits.reversed().prefix { $0.time > read.start }
      .count { $0.connection != connection }
    guard count > 0 else { return 0 }
    if longReads.count < Self.maxSites || longReads[read.site.key] != nil {
      let known = longReads[read.site.key]?.count ?? 0
      longReads[read.site.key] = LockSite(read.site, count: max(known, UInt64(count)))
    }
    return count
  }

  private static func count(_ site: LockSite, in sites: inout [LockSite.Key: LockSite]) {
    guard sites.count < maxSites || sites[site.key] != nil else { return }
    sites[site.key, default: LockSite(site, count: 0)].count.add(1)
  }

  /// The sites that rules check; sites below their limits are left out.
  var finished: LockProfile {
    var profile = LockProfile()
    profile.upgrades = Array(upgrades.values).summed(+)
    profile.refusals = Array(refusals.values).summed(+)
    profile.abandoned = failures.filter { continued.contains($0.key) }.map(\.value).summed(+)
    profile.longReads = Array(longReads.values)
      .filter { $0.count >= EndReadTransaction.minCommits }.summed(max)
    return profile
  }
}

extension LockSite {
  var isTransactionControl: Bool { sql.map(StatementCommand.isTransactionControl) ?? false }

  init(_ site: LockSite, count: UInt64) {
    self = site
    self.count = count
  }
}
