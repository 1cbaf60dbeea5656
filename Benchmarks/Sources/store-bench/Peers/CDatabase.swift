// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// SQLite through its C API, written by hand as tightly as Swift allows: the limit.
final class CDatabase {
  let handle: OpaquePointer

  init(path: String) throws {
    var handle: OpaquePointer?
    guard
      sqlite3_open_v2(
        path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        == SQLITE_OK, let handle
    else { throw BenchmarkError.sqlite("cannot open \(path)") }
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard
      sqlite3_prepare_v3(
        handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw BenchmarkError.sqlite(String(cString: sqlite3_errmsg(handle))) }
    return statement
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw BenchmarkError.sqlite(String(cString: sqlite3_errmsg(handle)))
    }
  }
}

/// What a hand-written loop makes of a row of `ZSTOP`.
struct CStop {
  let primaryKey: Int64
  let identifier: Int64
  let latitude: Double
  let longitude: Double
  let name: String

  /// Reads the columns of `SELECT 0, Z_PK, Z_OPT, ZIDENTIFIER, ZLATITUDE, ZLONGITUDE, ZNAME`.
  @inline(__always)
  init(_ statement: OpaquePointer) {
    primaryKey = sqlite3_column_int64(statement, 1)
    identifier = sqlite3_column_int64(statement, 3)
    latitude = sqlite3_column_double(statement, 4)
    longitude = sqlite3_column_double(statement, 5)
    name = String(cString: sqlite3_column_text(statement, 6))
  }
}
