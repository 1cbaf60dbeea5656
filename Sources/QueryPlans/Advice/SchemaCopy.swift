// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The schema of a database in memory, with its statistics and without its rows.
///
/// SQLite plans by the schema and by the statistics alone, so that indexes can be tried here at
/// no cost. Objects that only the program has are replaced.
final class SchemaCopy {
  let connection: Connection
  private var columns: [String: TableColumns] = [:]

  /// - Returns: nil if the schema cannot be read.
  init?(of source: Connection) {
    guard let connection = try? Connection(path: ":memory:"),
      // The tables of virtual tables are made with them, and fail here.
      let schema = try? source.texts(
        """
        SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY sql NOT LIKE 'CREATE VIRTUAL%', type <> 'table', type <> 'index', rowid
        """)
    else { return nil }
    self.connection = connection
    for sql in schema { try? standingIn { () throws(SQLiteError) in try connection.execute(sql) } }
    copyStatistics(from: source)
  }

  private func copyStatistics(from source: Connection) {
    guard let rows = try? source.prepare("SELECT tbl, idx, stat FROM sqlite_stat1"),
      (try? connection.execute("ANALYZE")) != nil,
      let insert = try? connection.prepare("INSERT INTO sqlite_stat1 VALUES (?1, ?2, ?3)")
    else { return }
    while (try? rows.step()) == true {
      for column in 0..<3 as Range<Int32> {
        if rows.isNull(column) {
          insert.bindNull(at: column + 1)
        } else {
          insert.bind(rows.string(column), at: column + 1)
        }
      }
      _ = try? insert.run()
      insert.reset()
    }
    // Reads them.
    try? connection.execute("ANALYZE sqlite_schema")
  }

  /// A statement's plan; nil where it does not compile.
  func plan(_ sql: String) -> QueryPlan? {
    guard
      let steps = try? standingIn({ () throws(SQLiteError) in try connection.plan(sql) })
    else { return nil }
    var plan = QueryPlan(steps: steps)
    plan.resolve(by: AliasResolver(sql: sql, viewSQL: viewSQL))
    return plan
  }

  private func viewSQL(of name: String) -> String? {
    let sql = try? connection.texts(
      "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE", name)
    return sql?.first
  }

  private func standingIn<T>(
    _ body: () throws(SQLiteError) -> T
  ) throws(SQLiteError) -> T {
    var names: Set<String> = []
    while true {
      do throws(SQLiteError) {
        return try body()
      } catch {
        guard let missing = MissingThing(error), names.insert(missing.name).inserted else {
          throw error
        }
        try missing.standIn(on: connection)
      }
    }
  }

  // MARK: - Tables

  /// Nil for a view, a virtual table, and a table that the schema does not have.
  func columns(of table: String) -> TableColumns? {
    if let known = columns[table.lowercased()] { return known }
    let isTable = try? connection.texts(
      """
      SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE
      AND sql NOT LIKE 'CREATE VIRTUAL%'
      """, table)
    guard isTable?.isEmpty == false,
      let query = try? connection.prepare("SELECT name, type, pk FROM pragma_table_xinfo(?1)")
    else { return nil }
    query.bind(table, at: 1)
    var result = TableColumns()
    var keys: [(name: String, type: String)] = []
    while (try? query.step()) == true {
      result.names.insert(query.string(0).lowercased())
      if query.int64(2) > 0 { keys.append((query.string(0), query.string(1))) }
    }
    if keys.count == 1, keys[0].type.uppercased() == "INTEGER" {
      result.rowid = keys[0].name.lowercased()
    }
    result.collations = collations(of: table)
    columns[table.lowercased()] = result
    return result
  }

  /// The collation of each column, which an index on it shows.
  private func collations(of table: String) -> [String: String] {
    let index = "storescope_collations"
    guard
      let columns = try? connection.texts("SELECT name FROM pragma_table_xinfo(?1)", table),
      (try? connection.execute(
        "CREATE INDEX \(index) ON \(SQLName.quotedIfNeeded(table)) "
          + "(\(columns.map(PlanExplainer.quoted).joined(separator: ", ")))")) != nil
    else { return [:] }
    defer { try? connection.execute("DROP INDEX \(index)") }
    let query = try? connection.prepare("SELECT name, coll FROM pragma_index_xinfo(?1) WHERE key")
    query?.bind(index, at: 1)
    var collations: [String: String] = [:]
    while let query, (try? query.step()) == true {
      collations[query.string(0).lowercased()] = query.string(1).uppercased()
    }
    return collations
  }
}

/// The names of a table's columns, in lower case.
struct TableColumns {
  var names: Set<String> = []
  /// The column that is the rowid, if there is one.
  var rowid: String?
  /// In upper case, by the column's name.
  var collations: [String: String] = [:]

  /// Whether an index can be useful on it: SQLite finds rowids without one.
  func isIndexable(_ column: String) -> Bool {
    names.contains(column.lowercased()) && !isRowid(column)
  }

  /// Whether each entry of an index ends with it anyway.
  func isRowid(_ column: String) -> Bool {
    let name = column.lowercased()
    return name == rowid || !names.contains(name) && ["rowid", "_rowid_", "oid"].contains(name)
  }
}
