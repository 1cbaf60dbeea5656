// SPDX-License-Identifier: Apache-2.0

/// A state of a database's files that endangers its data, whichever process holds its locks.
public enum FileWarning: Hashable, Sendable {
  /// The file does not begin with the header of an SQLite database.
  case noDatabase
  /// A rollback journal whose transaction did not end, and whose program did.
  case hotJournal(path: String)
  /// Processes that have an older file of this path open, which was replaced or removed.
  case replaced(users: [LockingProcess])
  /// Processes that opened the file by another name, which was changed since, or is a second link.
  case otherName(String, users: [LockingProcess])
}

extension FileWarning: CustomStringConvertible {
  /// A sentence: the fact, then what to do.
  public var description: String {
    switch self {
    case .noDatabase:
      "The file is not an SQLite database, or it is encrypted. Its locks are listed in case it is "
        + "encrypted."
    case .hotJournal(let path):
      "The journal '\(path)' is hot: a program ended within a transaction. The next connection that "
        + "reads, and may write, rolls it back. Do not remove it, and do not copy or move the "
        + "database without it: the database file alone is corrupt."
    case .replaced(let users):
      "An older file of this path, which was replaced or removed while in use, is open in "
        + Self.list(users) + ": what is written to it is lost. Restart the program."
    case .otherName(let name, let users):
      "\(Self.list(users)) opened the file as '\(name)', and its log and journal have that name: "
        + "another program that opens the file by this name does not find them, and the database "
        + "becomes corrupt. End the programs, then use one name."
    }
  }

  private static func list(_ users: [LockingProcess]) -> String {
    users.map { "\($0.program)[\($0.pid)]" }.joined(separator: ", ")
  }
}
