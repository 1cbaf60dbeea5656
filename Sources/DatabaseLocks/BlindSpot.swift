// SPDX-License-Identifier: Apache-2.0

/// A fact that an observation could not see, or a reason for doubt about its facts.
public enum BlindSpot: Hashable, Sendable {
  /// Processes of other users: their open files may not be listed.
  case otherUsers(count: Int)
  /// Processes outside this program's pid namespace are not listed; `isHolding` if one of them holds
  /// a lock of this database.
  case pidNamespace(isHolding: Bool)
  /// Processes that hold a lock and are hidden in `/proc`.
  case hiddenProcesses([Int32])
  /// Other machines can lock a file of this file system.
  case sharedFileSystem(String)
  case walIndexUnreadable(String)
  case walIndexInvalid(WALIndex.Validity)
  case otherByteOrder
  /// Processes use different WAL-indexes for one database, and do not see each other's locks.
  case severalWALIndexes([String])
  /// A lock folder of the `unix-dotfile` VFS, which names no process.
  case dotFile(String)
  case headerUnreadable

  /// Whether a holder of the writer lock, or a reader, may have gone unseen.
  public var mayHideHolder: Bool {
    switch self {
    case .sharedFileSystem, .dotFile, .severalWALIndexes, .walIndexUnreadable: true
    case .otherUsers, .pidNamespace, .hiddenProcesses, .walIndexInvalid, .otherByteOrder,
      .headerUnreadable:
      false
    }
  }
}

extension BlindSpot: CustomStringConvertible {
  /// A sentence: the fact, then the advice.
  public var description: String {
    switch self {
    case .otherUsers(let count):
      "The open files of \(count) process\(count == 1 ? "" : "es") of other users cannot be listed: "
        + "programs among them that hold no lock are missing here. Run as root to see them."
    case .pidNamespace(false):
      "This program runs in a pid namespace: processes outside it are not listed. At this moment "
        + "none of them held the writer lock or a read mark."
    case .pidNamespace(true):
      "A process outside this pid namespace holds a lock of this database. Run this on the host to "
        + "see which."
    case .hiddenProcesses(let pids):
      "/proc hides the processes \(pids.map(String.init).joined(separator: ", ")), which hold "
        + "locks. Run as root to see their names."
    case .sharedFileSystem(let type):
      "The file system is \(type): locks of other machines cannot be seen here."
    case .walIndexUnreadable(let path):
      "The WAL-index '\(path)' cannot be read, so frames and read marks are unknown. Run as the "
        + "database's owner or as root."
    case .walIndexInvalid(let validity): validity.sentence
    case .otherByteOrder:
      "The WAL-index has the other byte order: a machine of another architecture wrote it."
    case .severalWALIndexes(let names):
      "Processes use different WAL-indexes for this database (\(names.joined(separator: ", "))) and "
        + "do not see each other's locks: it was opened under two names, or its files were replaced. "
        + "This corrupts databases; restart the programs under one path."
    case .dotFile(let path):
      "'\(path)' exists: a program locks this database by the unix-dotfile VFS, which records no "
        + "process."
    case .headerUnreadable:
      "The database's header cannot be read, so its journal mode is unknown. Run as the database's "
        + "owner or as root."
    }
  }
}

extension WALIndex.Validity {
  fileprivate var sentence: String {
    switch self {
    case .valid: "The WAL-index is valid."
    case .copiesDiffer:
      "The two copies of the WAL-index header differ: a commit is between them, or a program ended "
        + "there. Frames and read marks may be out of date."
    case .checksumDiffers:
      "The checksum of the WAL-index header is wrong: the next connection rebuilds the index."
    case .needsRecovery:
      "The WAL-index is not initialized: the next connection rebuilds it from the log."
    case .unknownVersion(let version):
      "The WAL-index has the unknown version \(version): its frames and read marks are not reported."
    }
  }
}
