// SPDX-License-Identifier: Apache-2.0

public import CSQLite

/// What reads the columns of a row: a statement that stands on it, or a collector's arguments.
public protocol RowColumns {
  /// Whether a column holds NULL; columns count from 0.
  func isNull(_ column: Int32) -> Bool
  /// A column as an integer, converted by SQLite where it is none.
  func int64(_ column: Int32) -> Int64
  /// A column as a real, converted by SQLite where it is none.
  func double(_ column: Int32) -> Double
  /// A column, valid while the row is.
  func value(_ column: Int32) -> ColumnValue
}

extension Statement: RowColumns {}

/// A row that SQLite passes to a collector, valid during the call.
public struct CollectedRow: RowColumns {
  @usableFromInline let values: UnsafeMutablePointer<OpaquePointer?>

  @inlinable
  public func isNull(_ column: Int32) -> Bool {
    sqlite3_value_type(values[Int(column)]) == SQLITE_NULL
  }

  @inlinable
  public func int64(_ column: Int32) -> Int64 { sqlite3_value_int64(values[Int(column)]) }

  @inlinable
  public func double(_ column: Int32) -> Double { sqlite3_value_double(values[Int(column)]) }

  @inlinable
  public func value(_ column: Int32) -> ColumnValue {
    ColumnValue(handle: values[Int(column)].unsafelyUnwrapped)
  }
}

/// An aggregate function that receives the rows of a SELECT: the loop over them stays in SQLite's
/// virtual machine, which costs a third less than a call of `sqlite3_step` for each.
///
///     SELECT store_rows(t0.Z_PK, t0.ZNAME) FROM ZSTOP t0
///
/// The result is NULL. The rows come as the statement without the function returns them, if it has
/// neither an order nor a limit. See <https://www.sqlite.org/appfunc.html>.
open class RowCollector {
  public init() {}

  /// Receives a row; its columns are the arguments of the function.
  open func collect(_ row: CollectedRow) {}
}

extension Connection {
  /// Makes a collector callable from statements of the program, not of the schema.
  public func register(_ collector: RowCollector, as name: String) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      // Released by SQLite, also when this call fails.
      Unmanaged.passRetained(collector).toOpaque(), nil,
      { context, count, arguments in
        guard count > 0, let arguments, let data = sqlite3_user_data(context) else { return }
        Unmanaged<RowCollector>.fromOpaque(data)._withUnsafeGuaranteedRef {
          $0.collect(CollectedRow(values: arguments))
        }
      },
      { context in sqlite3_result_null(context) },
      { data in if let data { Unmanaged<RowCollector>.fromOpaque(data).release() } })
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
  }
}
