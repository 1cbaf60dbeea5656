// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Connection {
  /// Registers a function that answers NULL, so that SQL which calls it compiles.
  public func addStandIn(function name: String) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_INNOCUOUS, nil,
      { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
  }

  /// Registers a collation that finds all texts equal, so that SQL which names it compiles.
  public func addStandIn(collation name: String) throws(SQLiteError) {
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, nil, { _, _, _, _, _ in 0 }, nil)
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
  }
}

/// The keywords of the linked SQLite.
public enum SQLKeyword {
  /// Whether a name is one, in any case: as a name it may need quotes.
  public static func contains(_ name: String) -> Bool {
    name.withCString { sqlite3_keyword_check($0, Int32(clamping: name.utf8.count)) != 0 }
  }
}
