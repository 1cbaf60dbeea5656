// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// SQLite through its C API.
package final class CDatabase: @unchecked Sendable {
  package let handle: OpaquePointer

  package init(path: String) throws {
    var handle: OpaquePointer?
    guard
      sqlite3_open_v2(
        path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        == SQLITE_OK, let handle
    else { throw BenchmarkError.sqlite("cannot open \(path)") }
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }

  package func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard
      sqlite3_prepare_v3(
        handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw BenchmarkError.sqlite(String(cString: sqlite3_errmsg(handle))) }
    return statement
  }

  package func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw BenchmarkError.sqlite(String(cString: sqlite3_errmsg(handle)))
    }
  }
}

package enum BenchmarkError: Error, CustomStringConvertible {
  case sqlite(String)
  case program(String, status: Int32)
  case answer(String, String)
  case recorded(String, Bool)

  package var description: String {
    switch self {
    case .sqlite(let message): "SQLite: \(message)"
    case .program(let name, let status): "\(name) ended with \(status)"
    case .answer(let name, let answer): "\(name) answered '\(answer)'"
    case .recorded(let name, true):
      "an LTTng session records '\(name)', which it should not; end it (lttng list)"
    case .recorded(let name, false): "no LTTng session records '\(name)'"
    }
  }
}
