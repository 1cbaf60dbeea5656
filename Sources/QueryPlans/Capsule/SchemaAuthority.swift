// SPDX-License-Identifier: Apache-2.0

import CSQLite
import SQLiteDriver

/// Restricts the SQL of a capsule's schema: it may make empty objects, and do nothing with other
/// tables or files.
final class SchemaAuthority {
  /// Whether a module is making its own tables.
  var isVirtual = false
  /// Whether the schema is read, by SQL of this module.
  var isReading = false

  /// Modules of SQLite that read no file and run no code of others.
  static let modules: Set = [
    "fts3", "fts4", "fts4aux", "fts5", "fts5vocab", "geopoly", "rtree", "rtree_i32",
  ]

  func allows(_ action: Connection.Action) -> Bool {
    switch action.code {
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER,
      SQLITE_READ, SQLITE_REINDEX:
      true
    case SQLITE_CREATE_VTABLE:
      isVirtual && action.second.map { Self.modules.contains($0.lowercased()) } ?? false
    // Of an index; it is compiled, and called for no row.
    case SQLITE_FUNCTION: action.second?.lowercased() != "load_extension"
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      isVirtual || action.first?.lowercased().hasPrefix("sqlite_") == true
    case SQLITE_SELECT: isVirtual || isReading
    case SQLITE_PRAGMA, SQLITE_SAVEPOINT: isVirtual
    default: false
    }
  }

  /// The module of a CREATE VIRTUAL TABLE, in lower case; nil for other SQL.
  static func module(of sql: String) -> String? {
    let tokens = SQLTokenizer.tokens(of: sql)
    guard tokens.count > 2, tokens[0].isWord("CREATE"), tokens[1].isWord("VIRTUAL"),
      let using = tokens.firstIndex(where: { $0.isWord("USING") }), using + 1 < tokens.count
    else { return nil }
    return tokens[using + 1].name?.lowercased()
  }
}
