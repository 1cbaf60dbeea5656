// SPDX-License-Identifier: Apache-2.0

import CSQLite
import QueryPlans
import SQLiteDriver

/// A private copy of a database with a part of its rows.
struct RehearsalCopy {
  let path: String
  let rows: UInt64
  let pages: UInt64
  /// Before the migration, by table in lower case.
  let tableRows: [String: UInt64]

  /// Copies a database, and deletes all but one of so many rows.
  ///
  /// Rows that refer to another table stay with the rows that they refer to. Triggers do not run.
  init(of source: String, keepingOneOf count: Int, in folder: ReplayFolder) throws {
    path = try folder.copy(source)
    let connection = try Connection(path: path)
    let tables = try Table.all(of: connection)
    if count > 1 {
      CSQLite_disable_triggers(connection.pointer)
      let hasLog = try connection.hasLog
      try connection.execute(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF")
      for sql in Self.deletions(of: tables, keepingOneOf: count) { try connection.execute(sql) }
      try connection.execute("VACUUM")
      if hasLog { try connection.execute("PRAGMA journal_mode = WAL") }
    }
    var tableRows: [String: UInt64] = [:]
    for table in tables {
      let rows = try connection.texts("SELECT count(*) FROM main.\(table.quoted)").first
      tableRows[table.name.lowercased()] = rows.flatMap { UInt64($0) } ?? 0
    }
    self.tableRows = tableRows
    rows = tableRows.values.reduce(0, +)
    pages =
      try connection.texts(
        "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count"
      )
      .first.flatMap { UInt64($0) } ?? 0
  }

  /// Of some tables, by their names in lower case; of all, if these have none.
  func rows(of tables: Set<String>) -> UInt64 {
    let sum = tables.reduce(0) { $0 + (tableRows[$1] ?? 0) }
    return sum > 0 ? sum : rows
  }

  private static func deletions(of tables: [Table], keepingOneOf count: Int) -> [String] {
    var rest = tables
    var done: Set<String> = []
    var sql: [String] = []
    while !rest.isEmpty {
      // Tables in a circle of references are as if they had none.
      let index = rest.firstIndex { $0.parent.map(done.contains) ?? true }
      var table = rest.remove(at: index ?? 0)
      if index == nil { table.reference = nil }
      done.insert(table.name.lowercased())
      sql.append(table.deletion(keepingOneOf: count))
    }
    return sql
  }
}

/// A table with rows of its own, and its first reference to another one.
private struct Table {
  var name: String
  var hasRowid: Bool
  var keys: [String]
  var reference: (column: String, table: String, key: String)?

  var quoted: String { PlanExplainer.quoted(name) }
  var parent: String? { reference?.table.lowercased() }

  static func all(of connection: Connection) throws -> [Self] {
    let query = try connection.prepare(
      """
      SELECT l.name, l.wr, f."from", f."table", coalesce(f."to",
        (SELECT name FROM pragma_table_info(f."table") WHERE pk = 1))
      FROM pragma_table_list l LEFT JOIN pragma_foreign_key_list(l.name) f
        ON f.id = 0 AND f.seq = 0 AND lower(f."table") <> lower(l.name)
        AND EXISTS (SELECT 1 FROM pragma_table_info(f."table"))
      WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY l.name
      """)
    var tables: [Self] = []
    while try query.step() {
      var table = Self(name: query.string(0), hasRowid: query.int64(1) == 0, keys: [])
      if !query.isNull(2), !query.isNull(4) {
        table.reference = (query.string(2), query.string(3), query.string(4))
      }
      if !table.hasRowid {
        table.keys = try connection.texts(
          "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk", table.name)
      }
      tables.append(table)
    }
    return tables
  }

  func deletion(keepingOneOf count: Int) -> String {
    var condition: String
    if hasRowid {
      // Primes: keys that are all multiples of a number are spread as others are.
      condition = "abs(rowid % 1000003 * 7919 % 10007) % \(count) <> 0"
    } else {
      let columns = keys.map(PlanExplainer.quoted).joined(separator: ", ")
      condition = """
        (\(columns)) NOT IN (SELECT \(columns) FROM (SELECT \(columns), \
        row_number() OVER (ORDER BY \(columns)) AS storescope_n FROM main.\(quoted)) \
        WHERE storescope_n % \(count) = 0)
        """
    }
    if let reference {
      let column = "\(quoted).\(PlanExplainer.quoted(reference.column))"
      condition = """
        CASE WHEN \(column) IS NULL THEN \(condition) ELSE NOT EXISTS (SELECT 1 FROM \
        main.\(PlanExplainer.quoted(reference.table)) storescope_p \
        WHERE storescope_p.\(PlanExplainer.quoted(reference.key)) = \(column)) END
        """
    }
    return "DELETE FROM main.\(quoted) WHERE \(condition)"
  }
}
