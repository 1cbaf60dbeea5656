// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// A statement of a recording, for a capsule.
public struct CapsuleStatement {
  public var sql: String
  public var work: StatementWork
  /// The values of its runs, as far as they were recorded.
  public var values: [[BindValue]]

  public init(sql: String, work: StatementWork, values: [[BindValue]]) {
    (self.sql, self.work, self.values) = (sql, work, values)
  }
}

extension CapsuleV1 {
  /// Reads the schema, the statistics and the sizes of a database, and makes pseudonyms of values.
  ///
  ///     SELECT tbl, idx, stat FROM sqlite_stat1
  ///     SELECT count(*) FROM main."book"
  ///     SELECT name, pageno, ncell FROM dbstat('main', 1)
  public init(
    of connection: Connection, statements: [CapsuleStatement] = []
  ) throws(SQLiteError) {
    let page = try connection.prepare("PRAGMA page_size")
    self.init(
      sqliteVersion: Connection.libraryVersion,
      pageSize: try page.step() ? Int(page.int64(0)) : 0)
    PlanExplainer.standInForCollations(of: connection, on: connection)
    let objects = try SchemaObject.all(of: connection)
    // SQLite makes `sqlite_sequence` itself.
    schema = objects.filter { !$0.name.lowercased().hasPrefix("sqlite_") }
      .compactMap { object in object.sql.map { Object(name: object.name, sql: $0) } }
    sizes = try Self.sizes(of: objects, connection)
    statistics = try PlannerStatistics(connection)?.rows
    let samples = try StatisticsSample.all(of: connection)
    let forms = Self.forms(of: statements)
    let pseudonyms = Pseudonyms(
      values: (samples ?? []).flatMap(\.values) + forms.flatMap(\.values),
      texts: schema.map(\.sql) + objects.map { SQLName.quotedIfNeeded($0.name) })
    self.samples = samples?.map { $0.written(with: pseudonyms) }
    self.statements = forms.map { $0.written(with: pseudonyms) }
  }

  private static func sizes(
    of objects: [SchemaObject], _ connection: Connection
  ) throws(SQLiteError) -> [Size] {
    var trees: [String: (pages: Int, cells: Int)] = [:]
    // Absent from some libraries.
    if let query = try? connection.prepare("SELECT name, pageno, ncell FROM dbstat('main', 1)") {
      while try query.step() { trees[query.string(0)] = (Int(query.int64(1)), Int(query.int64(2))) }
    }
    var sizes: [Size] = []
    for object in objects where object.isTable || object.isIndex {
      let tree = trees[object.name]
      // All cells of an index are entries; interior cells of a table's tree are not rows.
      let rows =
        object.isIndex
        ? tree?.cells
        : (try? connection.prepare(
          "SELECT count(*) FROM main.\(PlanExplainer.quoted(object.name))")).flatMap {
            (try? $0.step()) == true ? Int($0.int64(0)) : nil
          }
      sizes.append(Size(name: object.name, rows: rows, pages: tree?.pages))
    }
    return sizes
  }

  /// One text of each form, with the work of all of them.
  private static func forms(of statements: [CapsuleStatement]) -> [PseudonymousStatement] {
    var order: [SQLFingerprint] = []
    var forms: [SQLFingerprint: CapsuleStatement] = [:]
    for statement in statements where StatementOutline(statement.sql).hasPlan {
      let form = SQLFingerprint(sql: statement.sql)
      if forms[form] == nil {
        order.append(form)
        forms[form] = statement
      } else {
        forms[form]?.work.add(statement.work)
      }
    }
    return order.compactMap { forms[$0].map(PseudonymousStatement.init) }
  }
}

/// The rows of `sqlite_stat1`.
struct PlannerStatistics {
  var rows: [CapsuleV1.Statistic]

  /// - Returns: nil where the database was never analyzed.
  init?(_ connection: Connection) throws(SQLiteError) {
    guard try connection.hasTable("sqlite_stat1") else { return nil }
    let query = try connection.prepare(
      "SELECT tbl, idx, stat FROM main.sqlite_stat1 ORDER BY tbl, idx")
    rows = []
    while try query.step() {
      let texts = (0..<3 as Range<Int32>).map { query.isNull($0) ? nil : query.string($0) }
      rows.append(.init(table: texts[0], index: texts[1], stat: texts[2]))
    }
  }

  init(rows: [CapsuleV1.Statistic]) { self.rows = rows }

  /// Inserts them into a table that is empty.
  func write(to connection: Connection) throws(SQLiteError) {
    let insert = try connection.prepare("INSERT INTO sqlite_stat1 VALUES (?1, ?2, ?3)")
    for row in rows {
      for (position, text) in [row.table, row.index, row.stat].enumerated() {
        let index = Int32(position) + 1
        if let text { insert.bind(text, at: index) } else { insert.bindNull(at: index) }
      }
      try insert.run()
    }
  }
}

extension Connection {
  func hasTable(_ name: String) throws(SQLiteError) -> Bool {
    try !texts("SELECT name FROM sqlite_schema WHERE name = ?1 AND type = 'table'", name).isEmpty
  }
}
