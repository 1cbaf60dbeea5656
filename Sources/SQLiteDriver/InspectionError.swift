// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// Why a user's database could not be looked at.
public enum InspectionError: Error, Hashable, Sendable {
  case missing(String)
  case notAFile(String)
  case fault(FileFault)
  /// Encrypted files cannot be distinguished from other files.
  case notADatabase(String)
  case corrupt(String, reason: String)
  case locked(String)
  case unreadable(String, reason: String)
  /// It has to be copied to be read, and cannot be.
  case notCopied(String, reason: String)

  /// Derives from SQLite's code what is wrong with a file.
  public init(_ error: any Error, path: String) {
    guard let error = error as? SQLiteError else {
      self = error as? Self ?? .notCopied(path, reason: "\(error)")
      return
    }
    switch error.code {
    case SQLITE_NOTADB: self = .notADatabase(path)
    case SQLITE_CORRUPT: self = .corrupt(path, reason: error.message)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(path)
    default: self = .unreadable(path, reason: error.message)
    }
  }
}

extension InspectionError: CustomStringConvertible {
  /// One sentence: the file, what is wrong with it, what to do.
  public var description: String {
    switch self {
    case .missing(let path): "no such database file: '\(path)'; check the path"
    case .notAFile(let path): "'\(path)' is a folder; name the database file in it"
    case .fault(let fault): "\(fault)"
    case .notADatabase(let path):
      "'\(path)' is not an SQLite database, or is encrypted; decrypt a copy and name that"
    case .corrupt(let path, let reason):
      "'\(path)' is corrupt (\(reason)); run 'PRAGMA integrity_check' on a copy, or recover it"
    case .locked(let path):
      "'\(path)' is locked by another program; close that, or name a copy of the file"
    case .unreadable(let path, let reason):
      "'\(path)' cannot be read: \(reason); check its permissions"
    case .notCopied(let path, let reason):
      "'\(path)' has to be copied to be read, since its log is not checkpointed, and cannot be: "
        + "\(reason); point TMPDIR to a folder with room"
    }
  }
}
