// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The saves that one line of code asked for, and where their time went.
public struct SaveProfile: Hashable, Sendable, Codable {
  public var location: SourceLocation
  public var count: UInt64 = 0
  public var errors: UInt64 = 0
  public var inserted: UInt64 = 0
  public var updated: UInt64 = 0
  public var deleted: UInt64 = 0
  public var statements: UInt64 = 0
  /// Waiting for the writer and its lock.
  public var waitTime: Nanoseconds = 0
  public var writeTime: Nanoseconds = 0
  public var commitTime: Nanoseconds = 0
  public var totalTime: Nanoseconds = 0
  public var latency = Latency()
  /// How often SQLite asked for another connection's lock.
  public var busyAttempts: UInt64?

  public init(location: SourceLocation) { self.location = location }

  mutating func add(_ save: SaveEnd) {
    count.add(1)
    if !save.error.isEmpty { errors.add(1) }
    inserted.add(save.inserted)
    updated.add(save.updated)
    deleted.add(save.deleted)
    statements.add(save.statements)
    waitTime.add(save.waitTime)
    writeTime.add(save.writeTime)
    commitTime.add(save.commitTime)
    totalTime.add(save.totalTime)
  }
}

/// Lock waits, transactions and write-ahead-log work.
public struct WaitProfile: Hashable, Sendable, Codable {
  public var commits: UInt64 = 0
  public var rollbacks: UInt64 = 0
  public var busyWaits: UInt64 = 0
  /// Waits that ended in `SQLITE_BUSY`.
  public var busyFailures: UInt64 = 0
  public var busyTime: Nanoseconds = 0
  public var longestBusy: Nanoseconds = 0
  public var checkpoints: UInt64 = 0
  public var checkpointedFrames: UInt64 = 0
  public var checkpointTime: Nanoseconds = 0
  public var longestCheckpoint: Nanoseconds = 0
  /// Checkpoints that left frames in the log, since somebody still read them.
  public var unfinishedCheckpoints: UInt64 = 0
  /// Frames in the log when it was longest.
  public var largestLog: UInt64 = 0

  public init() {}
}

/// A store that was opened.
public struct StoreProfile: Hashable, Sendable, Codable {
  public var path: String
  public var journalMode: String
  /// In bytes.
  public var pageSize: UInt64
  public var sqliteVersion: String

  public init(path: String, journalMode: String, pageSize: UInt64, sqliteVersion: String) {
    self.path = path
    self.journalMode = journalMode
    self.pageSize = pageSize
    self.sqliteVersion = sqliteVersion
  }
}
