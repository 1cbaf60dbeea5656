// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The saves of one line of code, and where their time went.
public struct SaveProfile: Hashable, Sendable, Codable {
  /// The line of code.
  public var location: SourceLocation
  /// Saves.
  public var count: UInt64 = 0
  /// Saves that failed.
  public var errors: UInt64 = 0
  /// Objects inserted.
  public var inserted: UInt64 = 0
  /// Objects updated.
  public var updated: UInt64 = 0
  /// Objects deleted.
  public var deleted: UInt64 = 0
  /// Statements run by the saves.
  public var statements: UInt64 = 0
  /// Waiting for the writer and its lock.
  public var waitTime: Nanoseconds = 0
  /// The time of the INSERT, UPDATE and DELETE statements.
  public var writeTime: Nanoseconds = 0
  /// The time of COMMIT.
  public var commitTime: Nanoseconds = 0
  /// The time from begin to end.
  public var totalTime: Nanoseconds = 0
  /// The distribution of the runs' times.
  public var latency = Latency()
  /// How often SQLite retried a lock that another connection held.
  public var busyAttempts: UInt64?
  /// Saves that began while another thread of the process saved; nil if none did.
  public var contended: UInt64?
  /// The most saves between which no second passed; nil in reports of older versions.
  public var longestSequence: UInt64?
  /// The measures of the saves; nil in reports of older versions.
  public var measured: Measures?
}

extension SaveProfile: Summed {
  public static let sums = Sums<Self, Self>(
    \.count, \.errors, \.inserted, \.updated, \.deleted, \.statements, \.waitTime, \.writeTime,
    \.commitTime, \.totalTime, \.latency, \.busyAttempts, \.contended, \.measured)
  fileprivate static let ofSave = Sums<Self, SaveEnd>(
    (\.inserted, \.inserted), (\.updated, \.updated), (\.deleted, \.deleted),
    (\.statements, \.statements), (\.waitTime, \.waitTime), (\.writeTime, \.writeTime),
    (\.commitTime, \.commitTime), (\.totalTime, \.totalTime))
}

extension SaveProfile {
  /// Adds the saves of another line.
  public mutating func add(_ other: Self) {
    longestSequence = max(longestSequence ?? count, other.longestSequence ?? other.count)
    Self.sums.add(other, to: &self)
  }

  mutating func add(_ save: SaveEnd) {
    count.add(1)
    if !save.error.isEmpty { errors.add(1) }
    Self.ofSave.add(save, to: &self)
  }
}

/// Lock waits, transactions and write-ahead-log work.
public struct WaitProfile: Hashable, Sendable, Codable {
  /// Commits.
  public var commits: UInt64 = 0
  /// Rollbacks.
  public var rollbacks: UInt64 = 0
  /// Waits for a lock.
  public var busyWaits: UInt64 = 0
  /// Waits that ended in `SQLITE_BUSY`.
  public var busyFailures: UInt64 = 0
  /// The time of the waits.
  public var busyTime: Nanoseconds = 0
  /// The longest wait.
  public var longestBusy: Nanoseconds = 0
  /// Checkpoints.
  public var checkpoints: UInt64 = 0
  /// Frames that checkpoints moved into the file.
  public var checkpointedFrames: UInt64 = 0
  /// The time of the checkpoints.
  public var checkpointTime: Nanoseconds = 0
  /// The longest checkpoint.
  public var longestCheckpoint: Nanoseconds = 0
  /// Checkpoints that left frames in the log, since a reader still needed them.
  public var unfinishedCheckpoints: UInt64 = 0
  /// Frames in the log when it was longest.
  public var largestLog: UInt64 = 0
}

extension WaitProfile: Summed {
  public static let sums = Sums<Self, Self>(
    \.commits, \.rollbacks, \.busyWaits, \.busyFailures, \.busyTime, \.checkpoints,
    \.checkpointedFrames, \.checkpointTime, \.unfinishedCheckpoints, max: \.longestBusy,
    \.longestCheckpoint, \.largestLog)
}

/// A store that was opened.
public struct StoreProfile: Hashable, Sendable, Codable {
  /// The file's path.
  public var path: String
  /// The journal mode, such as `wal`.
  public var journalMode: String
  /// In bytes.
  public var pageSize: UInt64
  /// The version of SQLite.
  public var sqliteVersion: String

  /// Makes the profile of a store.
  public init(path: String, journalMode: String, pageSize: UInt64, sqliteVersion: String) {
    self.path = path
    self.journalMode = journalMode
    self.pageSize = pageSize
    self.sqliteVersion = sqliteVersion
  }
}
