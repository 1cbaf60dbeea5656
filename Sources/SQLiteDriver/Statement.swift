// SPDX-License-Identifier: Apache-2.0

public import CSQLite

/// SQLite's `sqlite3_stmt *`.
public typealias SQLiteStatement = OpaquePointer

/// SQLite's `SQLITE_TRANSIENT`, a C cast that Swift does not import.
@usableFromInline let SQLITE_TRANSIENT = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// One compiled statement: bind values from 1, step, read columns from 0, reset.
public final class Statement {
  @usableFromInline let handle: SQLiteStatement
  /// The text it was compiled from.
  public let sql: String
  /// A number that its user keeps with it, from one use of a cached statement to the next.
  public var tag: UInt64 = 0
  // Its state in the cache of its connection.
  final var isCached = false
  final var isInUse = false
  final var lastUse: UInt64 = 0
  /// How many values it takes.
  public let parameterCount: Int32
  /// The first bind that failed since the last step.
  // Unchecked: one thread uses a connection, and the check costs as much as a bind.
  @exclusivity(unchecked) @usableFromInline var bindFailure = SQLITE_OK

  /// Columns of a row; SQLite may compile `SELECT *` again when the schema changes.
  public var columnCount: Int32 { sqlite3_column_count(handle) }

  /// Whether it writes nothing to the database.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  init(_ sql: String, on connection: Connection, persistent: Bool) throws(SQLiteError) {
    guard !sql.utf8.contains(0) else { throw .nulCharacter(in: sql) }
    guard let length = Int32(exactly: sql.utf8.count) else {
      throw SQLiteError(extendedCode: SQLITE_TOOBIG, message: "the SQL is longer than 2 GB")
    }
    try connection.registerFunctions(in: sql)
    var handle: SQLiteStatement?
    var hasTail = false
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(
        connection.handle, text, length, persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0,
        &handle, &tail)
      if code == SQLITE_OK, let tail { hasTail = Self.holdsStatement(tail, connection.handle) }
      return code
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
    parameterCount = sqlite3_bind_parameter_count(handle)
  }

  /// Whether anything but space and comments follows a statement.
  private static func holdsStatement(
    _ tail: UnsafePointer<CChar>, _ connection: SQLiteConnection
  ) -> Bool {
    guard tail.pointee != 0 else { return false }
    // Only SQLite can parse its own comments; `;;` compiles to no statement either.
    var handle: SQLiteStatement?
    var rest: UnsafePointer<CChar>?
    let code = sqlite3_prepare_v3(connection, tail, -1, 0, &handle, &rest)
    defer { sqlite3_finalize(handle) }
    guard code == SQLITE_OK, handle == nil else { return true }
    guard let rest, rest > tail else { return false }
    return holdsStatement(rest, connection)
  }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row.
  ///
  /// - Returns: false when there are no more rows.
  @inlinable
  public func step() throws(SQLiteError) -> Bool {
    guard bindFailure == SQLITE_OK else { throw bindingFailure() }
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

  @usableFromInline
  func bindingFailure() -> SQLiteError {
    defer { bindFailure = SQLITE_OK }
    sqlite3_reset(handle)
    return SQLiteError(
      extendedCode: bindFailure,
      message: "a value could not be bound: \(String(cString: sqlite3_errstr(bindFailure)))",
      sql: sql)
  }

  /// Steps to the end and resets.
  public func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Makes the statement ready to run again; its values stay.
  public func reset() { sqlite3_reset(handle) }

  // MARK: - Binding

  // A bind that fails (no such parameter, too large, the statement is running) is thrown by the
  // next step, which would else run with NULL instead.

  @inlinable
  func check(_ code: Int32) {
    if code != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = code }
  }

  /// Binds NULL to all parameters.
  public func clearBindings() { sqlite3_clear_bindings(handle) }

  @inlinable
  public func bindNull(at index: Int32) { check(sqlite3_bind_null(handle, index)) }

  /// Binds an integer.
  @inlinable
  public func bind(_ value: Int64, at index: Int32) {
    check(sqlite3_bind_int64(handle, index, value))
  }

  /// Binds a real; NaN becomes NULL.
  @inlinable
  public func bind(_ value: Double, at index: Int32) {
    check(sqlite3_bind_double(handle, index, value))
  }

  /// Binds a text, which SQLite copies.
  @inlinable
  public func bind(_ value: String, at index: Int32) {
    var value = value
    value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        // An empty buffer has no address, and a null pointer would bind NULL.
        check(
          sqlite3_bind_text64(
            handle, index, text.baseAddress ?? UnsafePointer(bitPattern: 1),
            sqlite3_uint64(text.count), SQLITE_TRANSIENT, UInt8(SQLITE_UTF8)))
      }
    }
  }

  /// Binds bytes, which SQLite copies.
  @inlinable
  public func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
    if blob.isEmpty {
      check(sqlite3_bind_zeroblob(handle, index, 0))
    } else {
      check(
        sqlite3_bind_blob64(
          handle, index, blob.baseAddress, sqlite3_uint64(blob.count), SQLITE_TRANSIENT))
    }
  }

  // MARK: - Columns

  /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
  @inlinable
  public func columnType(_ column: Int32) -> ValueType {
    ValueType(rawValue: sqlite3_column_type(handle, column)) ?? .null
  }

  /// Whether a column holds NULL.
  @inlinable
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// A column as an integer, converted by SQLite where it is none.
  @inlinable
  public func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// A column as a real, converted by SQLite where it is none.
  @inlinable
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The UTF-8 bytes of a column, valid until the next step or reset.
  @inlinable
  public func utf8(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_text(handle, column)
    return UnsafeBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }

  /// The bytes of a column, valid until the next step or reset.
  @inlinable
  public func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }

  /// A column as text; bytes that are no UTF-8 become U+FFFD.
  public func string(_ column: Int32) -> String { String(decoding: utf8(column), as: UTF8.self) }

  /// The name of a column of the result.
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
