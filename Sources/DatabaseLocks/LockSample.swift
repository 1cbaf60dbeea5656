// SPDX-License-Identifier: Apache-2.0

/// A process and a lock of the database that it holds or waits for.
public struct HeldLock: Hashable, Sendable {
  public var process: LockingProcess
  public var lock: DatabaseLock
  public var isWaiting: Bool
}

/// The locks and files of a database at one moment.
public struct LockSample: Sendable {
  /// The moment lies between these two: nanoseconds since 1970, by this machine's clock.
  public var began: Int64 = 0
  public var ended: Int64 = 0
  /// The moment by a clock that is never set, for durations.
  public var uptime: Int64 = 0
  /// The path, its links resolved.
  public var path: String
  public var identity: FileIdentity
  public var header: DatabaseHeader
  /// The size of a rollback journal, where there is one.
  public var journalSize: UInt64?
  /// The size of the log, where there is one.
  public var walSize: UInt64?
  public var wal: WALFile?
  public var index: WALIndex?
  public var locks: [HeldLock] = []
  /// The processes that have the database open, as far as they may be seen.
  public var users: [LockingProcess] = []
  /// Processes other than the writer of which a thread sleeps for a time.
  public var sleepers: [LockingProcess] = []
  public var blindSpots: [BlindSpot] = []
  /// States that endanger the data, warnings before notes.
  public var hazards: [Hazard] = []
  /// The copies of SQLite in each process that has the database open, by its id.
  public var images: [Int32: [SQLiteImage]] = [:]
  /// The file stamps that a commit changes, before and after the locks were read.
  var stampBefore = CommitStamp()
  var stampAfter = CommitStamp()

  init(path: String, identity: FileIdentity, header: DatabaseHeader) {
    self.path = path
    self.identity = identity
    self.header = header
  }
}

/// Values that every commit changes: equal stamps mean that no transaction was committed between.
struct CommitStamp: Hashable, Sendable {
  var walIndex: [UInt8] = []
  var changeCounter: UInt32 = 0
}
