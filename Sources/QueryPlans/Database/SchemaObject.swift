// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A row of `sqlite_schema`.
struct SchemaObject {
  let type: String
  let name: String
  let table: String
  let sql: String?
  let hasRowid: Bool

  var isTable: Bool { type == "table" }
  var isIndex: Bool { type == "index" }
  var isVirtual: Bool { isTable && sql?.uppercased().hasPrefix("CREATE VIRTUAL") == true }

  /// In the order in which SQLite reads them, without the tables of statistics.
  static func all(of connection: Connection) throws(SQLiteError) -> [Self] {
    let rows = try connection.prepare(
      """
      SELECT type, name, tbl_name, sql, type = 'table' AND name IN
        (SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr)
      FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'
      ORDER BY type <> 'table', type <> 'index', rowid
      """)
    var objects: [Self] = []
    while try rows.step() {
      objects.append(
        Self(
          type: rows.string(0), name: rows.string(1), table: rows.string(2),
          sql: rows.isNull(3) ? nil : rows.string(3), hasRowid: rows.int64(4) == 0))
    }
    return objects
  }
}
