// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A row of `ZSTOPTIME` as a hand-written loop reads it.
struct CStopTime {
  let primaryKey: Int64
  let arrivalTime: Int64?
  let departureTime: Int64?
  let pickupType: Int16
  let dropOffType: Int16
  let stop: Int64

  static let columns = "Z_PK, ZARRIVALTIME, ZDEPARTURETIME, ZPICKUPTYPE, ZDROPOFFTYPE, ZSTOP"

  /// Reads ``columns``.
  @inline(__always)
  init(_ statement: OpaquePointer) {
    func optional(_ column: Int32) -> Int64? {
      sqlite3_column_type(statement, column) == SQLITE_NULL
        ? nil : sqlite3_column_int64(statement, column)
    }
    primaryKey = sqlite3_column_int64(statement, 0)
    arrivalTime = optional(1)
    departureTime = optional(2)
    pickupType = Int16(truncatingIfNeeded: sqlite3_column_int64(statement, 3))
    dropOffType = Int16(truncatingIfNeeded: sqlite3_column_int64(statement, 4))
    stop = sqlite3_column_int64(statement, 5)
  }

  /// All rows of a statement.
  static func all(_ statement: OpaquePointer) -> [CStopTime] {
    var times: [CStopTime] = []
    while sqlite3_step(statement) == SQLITE_ROW { times.append(CStopTime(statement)) }
    sqlite3_reset(statement)
    return times
  }
}
