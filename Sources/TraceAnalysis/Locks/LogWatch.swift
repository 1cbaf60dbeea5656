// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Follows the write-ahead log of each database: whether it restarts after checkpoints, and which
/// commits ran them.
struct LogWatch {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxDatabases = 1000
  private static let maxSites = 1000

  private struct Log {
    /// The present row of finished checkpoints between which the log only grew, and the longest.
    var row = LogGrowth()
    var longest = LogGrowth()
    var checkpoints: UInt64 = 0
    var largestBytes: UInt64 = 0
    var growths: UInt64 = 0
    /// By connection, since the last checkpoint.
    var commits: [Key: UInt64] = [:]
  }

  private var logs: [String: Log] = [:]
  /// By thread: the frames of the checkpoint within the next run.
  private var pending: [Key: UInt64] = [:]
  private var payers: [LockSite.Key: CheckpointPayer] = [:]

  mutating func commit(_ transaction: TransactionEnded, in database: String, by connection: Key) {
    guard logs.count < Self.maxDatabases || logs[database] != nil else { return }
    logs[database, default: Log()].commits[connection, default: 0].add(1)
    guard transaction.logBytes > logs[database]?.largestBytes ?? 0 else { return }
    logs[database]?.largestBytes = transaction.logBytes
    logs[database]?.growths.add(1)
  }

  /// Whether a database was seen to have a write-ahead log.
  func hasLog(_ database: String) -> Bool {
    logs[database].map { $0.checkpoints > 0 || $0.largestBytes > 0 } ?? false
  }

  /// - Parameter thread: the thread of the run that it belongs to; nil for a store, which runs it
  ///   separately.
  mutating func checkpoint(_ event: CheckpointDone, in database: String, on thread: Key?) {
    guard logs.count < Self.maxDatabases || logs[database] != nil else { return }
    logs[database, default: Log()].checkpoints.add(1)
    if let thread {
      if pending.count < Self.maxSites { pending[thread] = event.checkpointedFrames }
    } else {
      logs[database]?.commits.removeAll()
    }
    guard var log = logs[database] else { return }
    if event.logFrames == 0 || event.checkpointedFrames < event.logFrames {
      // A reader stopped it: see AvoidCheckpointStall.
      log.row = LogGrowth()
    } else if log.row.checkpoints > 0, event.logFrames >= log.row.lastFrames {
      log.row.checkpoints.add(1)
      log.row.lastFrames = event.logFrames
    } else {
      log.row = LogGrowth(
        checkpoints: 1, firstFrames: event.logFrames, lastFrames: event.logFrames)
    }
    if log.row.frames > log.longest.frames { log.longest = log.row }
    logs[database] = log
  }

  /// A run ended in which a checkpoint may have run, after its commit.
  mutating func end(
    _ site: LockSite, isCommit: @autoclosure () -> Bool, in database: String, by connection: Key,
    on thread: Key
  ) {
    guard let frames = pending.removeValue(forKey: thread), let log = logs[database] else { return }
    let own = log.commits[connection] ?? 0
    let all = log.commits.values.reduce(UInt64(0)) { $0.saturatingSum($1) }
    logs[database]?.commits.removeAll()
    guard isCommit(), payers.count < Self.maxSites || payers[site.key] != nil else { return }
    var new = site
    new.count = 0
    payers[site.key, default: CheckpointPayer(site: new)].add(
      frames: frames, own: own, others: all - min(own, all))
  }

  /// The input of rules: logs that only grew, and lines that checkpointed for others.
  func finish(_ profile: inout LockProfile, path: (String) -> String) {
    let growths = logs.compactMap { database, log -> LogGrowth? in
      var growth = log.longest
      growth.database = path(database)
      growth.largestBytes = log.largestBytes
      growth.growths = log.growths
      growth.isNeverCheckpointed = log.checkpoints == 0
      return growth.isReported ? growth : nil
    }
    if !growths.isEmpty { profile.logs = growths.sorted { $0.database < $1.database } }
    let payers = payers.values.filter(\.isReported).sorted { $0.site.sortKey < $1.site.sortKey }
    if !payers.isEmpty { profile.checkpointPayers = payers }
  }
}

/// A write-ahead log that did not begin again from its start.
public struct LogGrowth: Hashable, Sendable, Codable {
  /// The database file; "" if no event names it.
  public var database = ""
  /// Finished checkpoints in a row, between which the log only grew.
  public var checkpoints: UInt64 = 0
  /// Frames in the log at the first of them.
  public var firstFrames: UInt64 = 0
  /// Frames in the log at the last of them.
  public var lastFrames: UInt64 = 0
  /// The largest size that was seen, in bytes; 0 if none was.
  public var largestBytes: UInt64 = 0
  /// How often the log was seen to have grown.
  public var growths: UInt64 = 0
  /// Whether no checkpoint was seen.
  public var isNeverCheckpointed = false

  /// The growth; 0 for a damaged report in which the log shrank.
  var frames: UInt64 { lastFrames - min(firstFrames, lastFrames) }

  // Four times the log size that starts a checkpoint, as in AvoidCheckpointStall: 16 MB of the
  // usual pages.
  static let minFrames: UInt64 = 3000
  static let minBytes: UInt64 = 16 << 20
  static let minTimes: UInt64 = 3

  func isLonger(than other: Self) -> Bool {
    (frames, largestBytes, checkpoints, lastFrames, growths)
      > (other.frames, other.largestBytes, other.checkpoints, other.lastFrames, other.growths)
  }

  var isNeverReset: Bool { checkpoints >= Self.minTimes && frames >= Self.minFrames }
  var isReported: Bool {
    isNeverReset
      || (isNeverCheckpointed && largestBytes >= Self.minBytes && growths >= Self.minTimes)
  }
}

/// A line with commits that ran checkpoints.
public struct CheckpointPayer: Hashable, Sendable, Codable {
  /// The line; `count` is the number of checkpoints.
  public var site: LockSite
  /// Frames that they moved.
  public var frames: UInt64 = 0
  /// Commits of the same connection since the checkpoints before them.
  public var ownCommits: UInt64 = 0
  /// Commits of other connections since the checkpoints before them.
  public var otherCommits: UInt64 = 0

  init(site: LockSite) { self.site = site }

  mutating func add(frames: UInt64, own: UInt64, others: UInt64) {
    site.count.add(1)
    self.frames.add(frames)
    ownCommits.add(own)
    otherCommits.add(others)
  }

  var isReported: Bool { site.count >= 3 && otherCommits / 3 >= max(ownCommits, 1) }
}

extension CheckpointPayer: Summed {
  public static let sums = Sums<Self, Self>(
    \.site.count, \.frames, \.ownCommits, \.otherCommits)
}
