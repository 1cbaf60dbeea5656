// SPDX-License-Identifier: Apache-2.0

import CSQLite
import StoreEvents

/// SQLite's primary result codes by name, as the events have them.
enum ResultCode {
  private static let names = [
    "SQLITE_OK", "SQLITE_ERROR", "SQLITE_INTERNAL", "SQLITE_PERM", "SQLITE_ABORT", "SQLITE_BUSY",
    "SQLITE_LOCKED", "SQLITE_NOMEM", "SQLITE_READONLY", "SQLITE_INTERRUPT", "SQLITE_IOERR",
    "SQLITE_CORRUPT", "SQLITE_NOTFOUND", "SQLITE_FULL", "SQLITE_CANTOPEN", "SQLITE_PROTOCOL",
    "SQLITE_EMPTY", "SQLITE_SCHEMA", "SQLITE_TOOBIG", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH",
    "SQLITE_MISUSE", "SQLITE_NOLFS", "SQLITE_AUTH", "SQLITE_FORMAT", "SQLITE_RANGE",
    "SQLITE_NOTADB",
  ]

  static func name(_ code: Int32) -> String {
    let primary = Int(code & 0xff)
    return primary < names.count ? names[primary] : "code \(primary)"
  }

  /// The code of `SQLITE_BUSY_SNAPSHOT: database is locked`; nil for "".
  static func recorded(_ error: String) -> String? {
    guard !error.isEmpty else { return nil }
    let name = error.prefix { $0 != ":" && $0 != " " }
    return names.last { name == $0 || name.hasPrefix($0 + "_") } ?? String(name)
  }

  /// Whether a copy could not be written.
  static func isOfFullDisk(_ error: String?, of run: RecordedRun) -> Bool {
    (error == "SQLITE_FULL" || error == "SQLITE_IOERR") && recorded(run.event.error) != error
  }

  /// Whether other connections or the machine caused the code, rather than the statement.
  static func isOfSurroundings(_ name: String) -> Bool {
    [
      "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_FULL",
      "SQLITE_NOMEM", "SQLITE_PROTOCOL", "SQLITE_CANTOPEN", "SQLITE_PERM",
    ].contains(name)
  }
}
