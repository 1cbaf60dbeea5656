// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Connection {
  /// Whether the linked SQLite encrypts files, as SQLCipher and SQLite's own extension do.
  ///
  /// Any other SQLite ignores `PRAGMA key` without a word.
  public static var canEncrypt: Bool {
    guard let connection = try? Connection(path: ":memory:") else { return false }
    if let version = try? connection.prepare("PRAGMA cipher_version"),
      (try? version.step()) == true
    {
      return true
    }
    return sqlite3_compileoption_used("HAS_CODEC") != 0
  }

  /// Sets the key of the file, before anything else is done with the connection.
  public func setKey(_ key: String) throws(SQLiteError) {
    guard !key.utf8.contains(0) else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the key holds a NUL character")
    }
    let quoted = key.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    let code = ProbeExclusion.whileOpening {
      sqlite3_exec(handle, "PRAGMA key = '\(quoted)'", nil, nil, nil)
    }
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
  }
}
