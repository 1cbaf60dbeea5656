// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// An error that SQLite reported.
public struct SQLiteError: Error, Hashable, Sendable {
  /// SQLite's extended result code, such as `SQLITE_CONSTRAINT_UNIQUE` (2067).
  public let extendedCode: Int32
  /// SQLite's message.
  public let message: String
  /// The statement that failed, without its values.
  public let sql: String?
  /// The byte in ``sql`` at which the error is, if SQLite reports it.
  public let offset: Int?
  /// The system's error number behind a file that could not be opened, read or written; 0 for none.
  public let systemCode: Int32

  /// Makes an error from its facts.
  public init(
    extendedCode: Int32, message: String, sql: String? = nil, offset: Int? = nil,
    systemCode: Int32 = 0
  ) {
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.offset = offset
    self.systemCode = systemCode
  }

  /// The primary result code: the low byte of ``extendedCode``.
  public var code: Int32 { extendedCode & 0xff }

  /// Whether another connection holds the lock.
  public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// Whether the statement was interrupted.
  public var isInterruption: Bool { code == SQLITE_INTERRUPT }
  public var isFull: Bool { code == SQLITE_FULL }
  /// Whether the disk, or whatever the file lies on, failed.
  public var isInputOutput: Bool { code == SQLITE_IOERR }
  /// Whether the file, or its folder, cannot be written.
  public var isReadOnly: Bool { code == SQLITE_READONLY }
  /// Whether a file could not be opened.
  public var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
  /// Whether a row would have had the same values as another, which a constraint forbids.
  public var isNotUnique: Bool { extendedCode == SQLITE_CONSTRAINT | (8 << 8) }
  /// Whether the file is no database, or an encrypted one.
  public var isNotADatabase: Bool { code == SQLITE_NOTADB }
  /// Whether the SQL is wrong, or names what is not there: SQLite's generic error.
  public var isMistake: Bool { code == SQLITE_ERROR }
  /// Whether the file is damaged.
  public var isCorrupt: Bool { code == SQLITE_CORRUPT }

  /// Reads the error that a connection holds after a call that did not return `SQLITE_OK`.
  init(connection: SQLiteConnection?, code: Int32, sql: String? = nil) {
    guard let connection else {
      self.init(extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql)
      return
    }
    let extendedCode = sqlite3_extended_errcode(connection)
    // Calls that fail before they touch the connection (SQLITE_MISUSE) leave no message there.
    guard extendedCode & 0xff == code & 0xff else {
      self.init(extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql)
      return
    }
    let offset = sqlite3_error_offset(connection)
    self.init(
      extendedCode: extendedCode, message: String(cString: sqlite3_errmsg(connection)), sql: sql,
      offset: offset < 0 || sql == nil ? nil : Int(offset),
      systemCode: Self.involvesFiles(code) ? sqlite3_system_errno(connection) : 0)
  }

  private static func involvesFiles(_ code: Int32) -> Bool {
    [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL].contains(code & 0xff)
  }

  /// What a statement fails with that was interrupted before it began.
  public static let interruption = SQLiteError(
    extendedCode: SQLITE_INTERRUPT, message: "interrupted")

  /// SQLite would stop at the NUL and silently run the first half.
  static func nulCharacter(in sql: String) -> SQLiteError {
    SQLiteError(
      extendedCode: SQLITE_MISUSE, message: "the SQL holds a NUL character", sql: sql,
      offset: sql.utf8.prefix { $0 != 0 }.count)
  }
}

extension SQLiteError: CustomStringConvertible {
  /// `SQLite error 1: no such column: ZNAM, at byte 7 of: SELECT ZNAM FROM ZSTOP`.
  public var description: String {
    var text = "SQLite error \(extendedCode): \(message)"
    if let sql {
      text += offset.map { ", at byte \($0) of: \(sql)" } ?? ", in: \(sql)"
    }
    return text
  }
}
