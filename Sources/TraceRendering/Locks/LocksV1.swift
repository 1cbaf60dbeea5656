// SPDX-License-Identifier: Apache-2.0

/// `locks --json`, version 1; with `--watch` one line each.
public struct LocksV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var database: String
  public var inode: UInt64
  /// The time of the sample is between these: nanoseconds since 1970.
  public var observedFromNs: Int64
  public var observedUntilNs: Int64
  /// `wal`, `rollback`, `empty` or `unknown`.
  public var journalMode: String
  /// More than one where the lock's holder changed while the locks were read.
  public var writers: [Writer]
  public var waiters: [Waiter]
  public var readers: [Reader]
  public var checkpointers: [Process]
  public var recovering: [Process]
  public var checkpoint: Checkpoint?
  public var walBytes: UInt64?
  public var journalBytes: UInt64?
  /// The frame of each slot; null for a slot without one.
  public var readMarks: [UInt32?]?
  /// The processes that have the database open, as far as they may be seen.
  public var users: [Process]
  /// Current holds, then holds that have ended since the previous line.
  public var holds: [Held]
  /// States of the files and of the programs that endanger the data, as sentences.
  public var warnings: [String]
  /// The same and notes, by kind; null in files of versions before 0.2.
  public var hazards: [Hazard]?
  /// The copies of SQLite in the processes that have the database open; null in older files.
  public var sqlite: [Library]?
  public var blindSpots: [String]
  /// Whether a holder may have gone unseen.
  public var mayHideHolder: Bool

  public struct Process: Codable, Hashable, Sendable {
    public var pid: Int32
    public var program: String
    public var command: String
    public var userID: UInt32?
    public var user: String?
    public var containerPID: Int32?
    public var container: String?
  }

  public struct Writer: Codable, Hashable, Sendable {
    public var process: Process
    /// SQLite's name: `WRITE`, `RESERVED`, `PENDING`, `EXCLUSIVE`.
    public var lock: String
  }

  public struct Waiter: Codable, Hashable, Sendable {
    public var process: Process
    /// `queued`, `pending` or `sleeping`.
    public var evidence: String
  }

  public struct Reader: Codable, Hashable, Sendable {
    public var process: Process
    public var slot: Int?
    public var frame: UInt32?
    public var pinsLog: Bool
  }

  public struct Checkpoint: Codable, Hashable, Sendable {
    public var frames: UInt32
    public var checkpointed: UInt32
    /// `copiesNothing`, `stops` or `keepsLog`; null if nothing prevents the checkpoint.
    public var obstacle: String?
    public var slot: Int?
    public var frame: UInt32?
  }

  public struct Hazard: Codable, Hashable, Sendable {
    /// Such as `lostLocks` or `deletedLog`: see Documentation/Corruption.md.
    public var kind: String
    /// `warning` or `note`.
    public var severity: String
    public var fact: String
    public var advice: String
    /// The processes that cause it, or that are affected.
    public var users: [User]
    /// When it began; null if unknown.
    public var sinceNs: Int64?
    /// A file that was deleted or replaced: the name that it had, and its size.
    public var path: String?
    public var bytes: UInt64?
    /// Transactions in it that are in no other file.
    public var transactions: UInt64?
  }

  /// A copy of SQLite in a process.
  public struct Library: Codable, Hashable, Sendable {
    public var pid: Int32
    public var path: String
    /// Such as `3.40.1`; null if unknown.
    public var version: String?
    /// Of its source: `2022-12-28`.
    public var date: String
  }

  /// A process and when it started.
  public struct User: Codable, Hashable, Sendable {
    public var process: Process
    public var startedNs: Int64?
  }

  public struct Held: Codable, Hashable, Sendable {
    public var pid: Int32
    public var program: String
    /// `writer` or `pinningReader`.
    public var role: String
    public var sinceNs: Int64
    public var untilNs: Int64
    public var durationNs: Int64
    public var samples: Int
    public var isOver: Bool
  }
}

/// `locks --all --json`, version 1.
public struct AllLocksV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  /// Each database that a visible process has open.
  public var databases: [LocksV1]
  /// Processes of other users: their open files cannot be listed.
  public var unreadableProcesses: Int

  public init(_ reports: [LocksReport], unreadableProcesses: Int) {
    databases = reports.map { LocksV1($0, past: []) }
    self.unreadableProcesses = unreadableProcesses
  }
}
