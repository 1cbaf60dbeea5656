// SPDX-License-Identifier: Apache-2.0

public import CSQLite

/// SQLite's `sqlite3_stmt *`.
public typealias SQLiteStatement = OpaquePointer

/// SQLite's `SQLITE_TRANSIENT`, a C cast that Swift does not import.
@usableFromInline let SQLITE_TRANSIENT = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// One compiled statement: bind values from 1, step, read columns from 0, reset.
public final class Statement {
  @usableFromInline let handle: SQLiteStatement
  public let sql: String
  public let columnCount: Int32
  public let parameterCount: Int32

  init(_ sql: String, on connection: Connection, persistent: Bool) throws(SQLiteError) {
    var handle: SQLiteStatement?
    let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    var hasTail = false
    var sqlCopy = sql
    let code = sqlCopy.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          connection.handle, text.baseAddress, Int32(text.count), flags, &handle, &tail)
        if let tail, let start = text.baseAddress {
          hasTail = text[(tail - start)...].contains { !" \n\t\r;".utf8.contains(UInt8(bitPattern: $0)) }
        }
        return code
      }
    }
    guard code == SQLITE_OK else {
      throw SQLiteError(connection: connection.handle, code: code, sql: sql)
    }
    guard let handle, !hasTail else {
      sqlite3_finalize(handle)
      let what = handle == nil ? "no statement in the text" : "more than one statement in the text"
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: what, sql: sql)
    }
    self.handle = handle
    self.sql = sql
    columnCount = sqlite3_column_count(handle)
    parameterCount = sqlite3_bind_parameter_count(handle)
  }

  deinit { sqlite3_finalize(handle) }

  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Moves to the next row.
  ///
  /// - Returns: false when there are no more rows.
  /// - Throws: ``SQLiteError``; the statement is then reset.
  @inlinable
  public func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  @usableFromInline
  func failure(_ code: Int32) -> SQLiteError {
    let error = SQLiteError(connection: sqlite3_db_handle(handle), code: code, sql: sql)
    sqlite3_reset(handle)
    return error
  }

  /// Steps to the end and resets.
  public func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  public func reset() { sqlite3_reset(handle) }

  // MARK: - Binding

  // The result codes are not read: the index was counted by the caller, and SQLITE_NOMEM and
  // SQLITE_TOOBIG come back from sqlite3_step.

  @inlinable
  public func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

  @inlinable
  public func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

  @inlinable
  public func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }

  @inlinable
  public func bind(_ value: String, at index: Int32) {
    var value = value
    value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        // An empty buffer has no address, and a null pointer would bind NULL.
        _ = sqlite3_bind_text(
          handle, index, text.baseAddress ?? UnsafePointer(bitPattern: 1), Int32(text.count),
          SQLITE_TRANSIENT)
      }
    }
  }

  @inlinable
  public func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
    if blob.isEmpty {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else {
      sqlite3_bind_blob64(
        handle, index, blob.baseAddress, sqlite3_uint64(blob.count), SQLITE_TRANSIENT)
    }
  }

  // MARK: - Columns

  /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
  @inlinable
  public func columnType(_ column: Int32) -> ValueType {
    ValueType(rawValue: sqlite3_column_type(handle, column)) ?? .null
  }

  @inlinable
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  @inlinable
  public func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inlinable
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The UTF-8 bytes of a column, valid until the next step or reset.
  @inlinable
  public func utf8(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_text(handle, column)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// The bytes of a column, valid until the next step or reset.
  @inlinable
  public func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  public func string(_ column: Int32) -> String { String(decoding: utf8(column), as: UTF8.self) }

  public func columnName(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
  }

  /// What a column holds in the current row.
  public enum ValueType: Int32, Sendable {
    case integer = 1
    case float = 2
    case text = 3
    case blob = 4
    case null = 5
  }
}
