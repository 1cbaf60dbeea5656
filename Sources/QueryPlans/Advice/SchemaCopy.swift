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
      let objects = try? SchemaObject.all(of: source)
    else { return nil }
    self.connection = connection
    PlanExplainer.standInForCollations(of: source, on: connection)
    connection.copyLikeSetting(of: source)
    do {
      // The tables of virtual tables are made with them.
      for object in objects where object.isVirtual {
        try? standingIn { () throws(SQLiteError) in try connection.execute(object.sql ?? "") }
      }
      let made = Set(try SchemaObject.all(of: connection).map { $0.name.lowercased() })
      try write(objects.filter { !$0.isVirtual && !made.contains($0.name.lowercased()) })
    } catch {
      return nil
    }
    copyStatistics(from: source)
  }

  /// Writes the rows of the schema: to CREATE an object, SQLite reads the whole schema.
  ///
  /// All tables are empty, so they share a page, and so do the indexes of different tables. Tables without a
  /// rowid, which are stored as an index, share another one.
  /// See <https://www.sqlite.org/pragma.html#pragma_writable_schema>.
  private func write(_ objects: [SchemaObject]) throws(SQLiteError) {
    var indexes: [String: Int] = [:]
    let roots = objects.map { object in
      guard object.isIndex else { return object.isTable ? 0 : nil }
      indexes[object.table.lowercased(), default: 1] += 1
      return indexes[object.table.lowercased()]
    }
    let pages = try pages(of: indexes.values.max() ?? 1)
    try connection.execute("PRAGMA writable_schema = ON; BEGIN")
    try connection.execute("DELETE FROM sqlite_schema WHERE tbl_name = '\(Self.pages)'")
    let insert = try connection.prepare("INSERT INTO sqlite_schema VALUES (?1, ?2, ?3, ?4, ?5)")
    for (object, root) in zip(objects, roots) {
      for (position, text) in [object.type, object.name, object.table].enumerated() {
        insert.bind(text, at: Int32(position) + 1)
      }
      insert.bind(root.map { pages[object.hasRowid ? $0 : 1] } ?? 0, at: 4)
      if let sql = object.sql { insert.bind(sql, at: 5) } else { insert.bindNull(at: 5) }
      try insert.run()
      insert.reset()
    }
    // The first one discards the known schema, and the second one ignores malformed parts.
    try connection.execute(
      "COMMIT; PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON; "
        + "SELECT count(*) FROM sqlite_schema")
  }

  private static let pages = "storescope_pages"

  /// The first page of a table, and then of some indexes; and the table of statistics.
  private func pages(of count: Int) throws(SQLiteError) -> [Int64] {
    try connection.execute("CREATE TABLE \(Self.pages) (a)")
    for number in 0..<count {
      try connection.execute("CREATE INDEX \(Self.pages)_\(number) ON \(Self.pages) (a)")
    }
    try connection.execute("ANALYZE; DELETE FROM sqlite_stat1")
    let query = try connection.prepare(
      "SELECT rootpage FROM sqlite_schema WHERE tbl_name = '\(Self.pages)' ORDER BY rowid")
    var pages: [Int64] = []
    while try query.step() { pages.append(query.int64(0)) }
    return pages
  }

  private func copyStatistics(from source: Connection) {
    try? PlannerStatistics(source)?.write(to: connection)
    // Reads them.
    try? connection.execute("ANALYZE sqlite_schema")
  }

  /// A statement's plan with some values; nil where it does not compile.
  func plan(_ sql: String, _ values: [BindValue]? = nil) -> QueryPlan? {
    guard
      let steps = try? standingIn({ () throws(SQLiteError) in
        try connection.plan(sql, values: values)
      })
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
    try MissingThing.retrying(on: connection, body)
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
      result.types[query.string(0).lowercased()] = query.string(1)
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
  /// As declared, by the column's name.
  var types: [String: String] = [:]
  /// The column that is the rowid, if there is one.
  var rowid: String?
  /// In upper case, by the column's name.
  var collations: [String: String] = [:]

  /// In upper case.
  func collation(of column: String) -> String { collations[column.lowercased()] ?? "BINARY" }

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

extension Connection {
  /// A statement's plan, which may depend on the values of its parameters.
  func plan(_ sql: String, values: [BindValue]?) throws(SQLiteError) -> [PlanStep] {
    guard let values else { return try plan(sql) }
    return try plan(ParameterNumbering(sql).sql) { statement in
      for (index, value) in values.enumerated() { value.bind(to: statement, at: Int32(index) + 1) }
    }
  }
}
