// SPDX-License-Identifier: Apache-2.0

public import CSQLite

/// A column of the row that a statement stands on, valid until its next step or reset.
///
/// One lookup of the column serves its type and its value, where each of the `sqlite3_column_`
/// functions looks it up again. SQLite requires that only one thread uses the connection:
/// <https://www.sqlite.org/c3ref/value.html>.
public struct ColumnValue {
  @usableFromInline let handle: OpaquePointer

  @inlinable
  init(handle: OpaquePointer) { self.handle = handle }

  /// Whether the column holds NULL.
  @inlinable public var isNull: Bool { sqlite3_value_type(handle) == SQLITE_NULL }

  /// The UTF-8 bytes of the column.
  @inlinable public var utf8: UnsafeRawBufferPointer {
    let start = sqlite3_value_text(handle)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(handle)))
  }

  /// The bytes of the column.
  @inlinable public var blob: UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(handle)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(handle)))
  }
}

extension Statement {
  /// A column of the current row; NULL for a column that there is not.
  @inlinable
  public func value(_ column: Int32) -> ColumnValue {
    // Not null: SQLite returns a NULL value even if there is no such column.
    ColumnValue(handle: sqlite3_column_value(handle, column).unsafelyUnwrapped)
  }
}
