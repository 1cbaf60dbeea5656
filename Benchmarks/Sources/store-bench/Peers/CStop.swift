// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A row of `ZSTOP` as a hand-written loop reads it: the limit.
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
