// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// A database's tables and indexes, and their statistics.
public struct DatabaseFacts: Hashable, Sendable {
  public struct Table: Hashable, Sendable {
    public var name: String
    public var rows: TableSize
    /// From `sqlite_stat1`; nil if it has no row for this table.
    public var rowsInStatistics: Int?
    /// Bytes a row of each column of type BLOB, on average of all of its first rows, NULL included.
    public var blobBytes: [String: Int]
    /// The same of each column of type TEXT, CLOB, JSON or none.
    public var textBytes: [String: Int]

    /// The columns with values that may be large, in alphabetical order.
    public var largeColumns: [String] { (Array(blobBytes.keys) + textBytes.keys).sorted() }
  }

  public internal(set) var tables: [Table] = []
  public internal(set) var indexes: [DatabaseIndex] = []
  /// Whether the database was ever analyzed.
  public internal(set) var hasStatistics = false
  /// The indexes that views name with INDEXED BY, in lower case.
  public internal(set) var indexesNamedByViews: Set<String> = []

  /// The indexes by which foreign keys find the rows that refer to a row.
  public internal(set) var indexesOfForeignKeys: Set<String> = []

  /// Reads the schema and counts rows, up to a million a table.
  public init(_ connection: Connection) throws(SQLiteError) {
    let explainer = PlanExplainer(connection)
    let statistics = try Self.statistics(connection)
    hasStatistics = statistics != nil
    // NB: tables of virtual tables (fts5, rtree) have sql too; only objects that are made by name
    // are listed.
    let names = try connection.texts(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name
      """)
    let catalog = try DatabaseIndex.Catalog(of: connection)
    for name in names {
      guard let rows = explainer.size(of: name) else { continue }
      let indexes = try DatabaseIndex.all(of: name, connection, catalog: catalog)
      self.indexes += indexes
      let keys = try DatabaseIndex.foreignKeys(of: name, connection)
      indexesOfForeignKeys.formUnion(indexes.filter { $0.serves(keys) }.map(\.name))
      tables.append(
        Table(
          name: name, rows: rows, rowsInStatistics: statistics?[name.lowercased()],
          blobBytes: try Self.blobBytes(of: name, connection),
          textBytes: try Self.textBytes(of: name, connection)))
    }
    indexesNamedByViews = try StatementClauses.indexesNamedByViews(of: connection)
  }

  /// By their table.
  public var indexesByTable: [String: [DatabaseIndex]] {
    Dictionary(grouping: indexes, by: \.table)
  }

  /// Finds a table, whatever the case of its name.
  public func table(_ name: String) -> Table? {
    tables.first { $0.name.lowercased() == name.lowercased() }
  }

  /// The first number of each `stat` is the table's rows when it was analyzed.
  private static func statistics(
    _ connection: Connection
  ) throws(SQLiteError) -> [String: Int]? {
    let exists = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE name = 'sqlite_stat1' AND type = 'table'")
    guard !exists.isEmpty else { return nil }
    let query = try connection.prepare("SELECT tbl, stat FROM main.sqlite_stat1")
    var rows: [String: Int] = [:]
    while try query.step() {
      guard let count = query.string(1).split(separator: " ").first.flatMap({ Int($0) }) else {
        continue
      }
      let table = query.string(0).lowercased()
      rows[table] = max(rows[table] ?? 0, count)
    }
    return rows
  }

  // 10,000 rows show an average well enough, and are read in some milliseconds.
  private static let sampledRows = 10_000
  // Texts are read as a whole.
  private static let sampledTexts = 500

  private static func blobBytes(
    of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [String: Int] {
    try bytes(of: table, "type LIKE 'BLOB%'", rows: sampledRows, connection) { "length(\($0))" }
  }

  private static func textBytes(
    of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [String: Int] {
    let types = "upper(type) IN ('TEXT', 'CLOB', 'JSON', '')"
    return try bytes(of: table, types, rows: sampledTexts, connection) {
      "length(CAST(\($0) AS BLOB))"
    }
  }

  /// - Parameter length: the length of a column in bytes, as SQL. That of a blob is in the row's header: SQLite does not
  ///   read the blob.
  private static func bytes(
    of table: String, _ condition: String, rows: Int, _ connection: Connection,
    length: (String) -> String
  ) throws(SQLiteError) -> [String: Int] {
    let columns = try connection.texts(
      "SELECT name FROM pragma_table_info(?1) WHERE \(condition)", table)
    guard !columns.isEmpty else { return [:] }
    let sums = columns.map { "total(\(length(PlanExplainer.quoted($0)))) / count(*)" }
    let query = try connection.prepare(
      """
      SELECT \(sums.joined(separator: ", ")) FROM (SELECT * FROM \
      main.\(PlanExplainer.quoted(table)) LIMIT \(rows))
      """)
    guard try query.step() else { return [:] }
    var bytes: [String: Int] = [:]
    for (index, column) in columns.enumerated() {
      bytes[column] =
        query.isNull(Int32(index)) ? 0 : Int(exactly: query.double(Int32(index)).rounded()) ?? 0
    }
    return bytes
  }
}

extension Connection {
  /// The first column of all rows.
  package func texts(_ sql: String, _ values: String...) throws(SQLiteError) -> [String] {
    let query = try prepare(sql)
    for (index, value) in values.enumerated() { query.bind(value, at: Int32(index) + 1) }
    var texts: [String] = []
    while try query.step() { texts.append(query.string(0)) }
    return texts
  }
}
