// SPDX-License-Identifier: Apache-2.0

/// A state of a database's files or of its users that endangers its data.
public enum Hazard: Hashable, Sendable {
  // MARK: Warnings

  /// The file does not begin with the header of an SQLite database.
  case noDatabase
  /// A rollback journal of a transaction that did not end, though its program did.
  case hotJournal(path: String)
  /// A file that was deleted or replaced and is still open.
  case unlinked(UnlinkedFile)
  /// Processes that opened the file by another name, which was changed since, or is a second link.
  case otherName(String, users: [HazardousProcess])
  /// Processes that use different WAL-indexes, and so different logs, for one database.
  case severalLogs([String], users: [HazardousProcess])
  /// A process with cancelled locks of one of the files; `frames` is the growth of the log during
  /// the observation, if no process held the writer lock.
  case lostLocks(LockedPart, HazardousProcess, frames: UInt32)
  /// A process that uses a connection which it inherited by `fork()`.
  case usedAfterFork(HazardousProcess)
  /// Two copies of SQLite in one process have the database open.
  case severalImages([SQLiteImage], HazardousProcess)
  /// The file system is shared with other machines.
  case networkFileSystem(type: String)

  // MARK: Notes

  /// Two copies of SQLite in a process that has the database open more than once.
  case possiblySeveralImages([SQLiteImage], HazardousProcess)
  /// A process in a write transaction without a lock, which no other process has open.
  case unlockedTransaction(HazardousProcess)
  /// A process that inherited the connection of another one by `fork()`, and has not used it.
  case inherited(HazardousProcess)
  /// Versions of SQLite that may lose commits in a reset of the log if two processes use it.
  case resetRace([String], users: [HazardousProcess])
  /// A process without SQLite that has a file of the database open.
  case otherProgram(HazardousProcess)

  /// The files that locks belong to.
  public enum LockedPart: String, Sendable {
    case database, walIndex, journal
  }
}

/// A process, and since when it has run.
public struct HazardousProcess: Hashable, Sendable {
  public var process: LockingProcess
  /// Nanoseconds since 1970; nil if unknown.
  public var started: Int64?

  init(_ process: LockingProcess) {
    self.process = process
    started = Clock.start(ticks: process.startTicks)
  }
}

/// A file without its name, which processes still use.
public struct UnlinkedFile: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case database, log, walIndex, journal
  }

  public var kind: Kind
  /// The name that it had.
  public var path: String
  /// Whether another file has that name now.
  public var isReplaced: Bool
  public var size: UInt64
  /// When it lost its name, in nanoseconds since 1970; nil if it was written after that.
  public var since: Int64?
  /// Committed transactions in the log that are not in the database file; nil if unknown.
  public var transactions: UInt64?
  /// Their frames.
  public var frames: UInt64?
  /// Whether its loss is intended or without consequence, as far as can be seen: a note.
  public var isHarmless = false
  public var users: [HazardousProcess]
}

extension Hazard {
  public enum Severity: String, Sendable {
    case warning, note
  }

  /// `note` for a state in which nothing may be wrong.
  public var severity: Severity {
    switch self {
    case .possiblySeveralImages, .unlockedTransaction, .inherited, .resetRace, .otherProgram: .note
    case .unlinked(let file): file.isHarmless ? .note : .warning
    default: .warning
    }
  }

  /// A stable name for machine output.
  public var kind: String {
    switch self {
    case .noDatabase: "noDatabase"
    case .hotJournal: "hotJournal"
    case .unlinked(let file): (file.isReplaced ? "replaced" : "deleted") + file.kind.suffix
    case .otherName: "otherName"
    case .severalLogs: "severalLogs"
    case .lostLocks: "lostLocks"
    case .usedAfterFork: "usedAfterFork"
    case .severalImages: "severalImages"
    case .networkFileSystem: "networkFileSystem"
    case .possiblySeveralImages: "possiblySeveralImages"
    case .unlockedTransaction: "unlockedTransaction"
    case .inherited: "inherited"
    case .resetRace: "resetRace"
    case .otherProgram: "otherProgram"
    }
  }

  /// When it began, in nanoseconds since 1970; nil if unknown.
  public var since: Int64? {
    if case .unlinked(let file) = self { file.since } else { nil }
  }

  /// The processes that cause it, or that are affected.
  public var users: [HazardousProcess] {
    switch self {
    case .noDatabase, .hotJournal, .networkFileSystem: []
    case .unlinked(let file): file.users
    case .otherName(_, let users), .severalLogs(_, let users), .resetRace(_, let users):
      users
    case .lostLocks(_, let user, _), .usedAfterFork(let user), .severalImages(_, let user),
      .possiblySeveralImages(_, let user), .unlockedTransaction(let user), .inherited(let user),
      .otherProgram(let user):
      [user]
    }
  }
}

extension UnlinkedFile.Kind {
  /// As part of a hazard's name.
  fileprivate var suffix: String {
    switch self {
    case .database: "Database"
    case .log: "Log"
    case .walIndex: "WALIndex"
    case .journal: "Journal"
    }
  }
}
