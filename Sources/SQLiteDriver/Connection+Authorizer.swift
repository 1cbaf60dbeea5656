// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Connection {
  /// An action of a statement that is compiled.
  ///
  /// See <https://www.sqlite.org/c3ref/c_alter_table.html>.
  public struct Action {
    /// Such as `SQLITE_ATTACH`.
    public var code: Int32
    /// The table, the file or the PRAGMA, by the action.
    public var first: String?
    /// The column, the module or the function, by the action.
    public var second: String?
  }

  /// Refuses the statements with an action for which a function returns false.
  ///
  ///     connection.authorize { $0.code != SQLITE_ATTACH }
  public func authorize(_ allows: @escaping (Action) -> Bool) {
    let authorizer = Authorizer(allows)
    sqlite3_set_authorizer(
      handle,
      { context, code, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        let action = Action(
          code: code, first: first.map { String(cString: $0) },
          second: second.map { String(cString: $0) })
        let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
        return authorizer.allows(action) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(authorizer).toOpaque())
    // Last: SQLite used the earlier one until now.
    self.authorizer = authorizer
  }

  /// Refuses SQL that may damage the file, and SQL of the schema that calls what only a statement may call.
  ///
  /// See `SQLITE_DBCONFIG_DEFENSIVE` and `SQLITE_DBCONFIG_TRUSTED_SCHEMA` in
  /// <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>.
  public func distrustSchema() { CSQLite_distrust_schema(handle) }

  final class Authorizer {
    let allows: (Action) -> Bool
    init(_ allows: @escaping (Action) -> Bool) { self.allows = allows }
  }
}
