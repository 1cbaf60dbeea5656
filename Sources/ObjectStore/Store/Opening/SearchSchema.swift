// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The tables and triggers of search indexes in a file.
struct SearchSchema {
  /// The SQL of each table and trigger, by name.
  private let present: [String: String]

  /// The objects of the file, ours and others.
  init(_ connection: Connection) throws(SQLiteError) {
    let rows = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'trigger') "
        + "AND name LIKE 'Z^_FTS^_%' ESCAPE '^' AND sql IS NOT NULL")
    var present: [String: String] = [:]
    while try rows.step() { present[rows.string(0)] = rows.string(1) }
    self.present = present
  }

  /// Whether an index exists and is kept up to date in the same way.
  func has(_ index: SearchIndexDescription) -> Bool {
    index.statements.allSatisfy { present[$0.name] == $0.sql }
  }

  /// Whether there is a table under the name of an index that the store did not make.
  func isForeign(_ index: SearchIndexDescription) -> Bool {
    present[index.name] != nil && !names.contains(index.name)
  }

  /// The indexes that the store made: their text is in a table of objects.
  var names: [String] {
    present.keys.filter {
      guard let sql = present[$0] else { return false }
      return sql.hasPrefix("CREATE VIRTUAL TABLE \($0) USING fts5(")
        && sql.contains(", content_rowid='Z_PK', ")
    }.sorted()
  }

  func others(than indexes: [SearchIndexDescription]) -> [String] {
    let declared = Set(indexes.map(\.name))
    return names.filter { !declared.contains($0) }
  }

  /// Drops an index: the text stays in its table.
  static func drop(_ name: String, on connection: Connection) throws(SQLiteError) {
    for trigger in SearchIndexDescription.triggerNames(of: name) {
      try connection.execute("DROP TRIGGER IF EXISTS \(SchemaComparison.quoted(trigger))")
    }
    try connection.execute("DROP TABLE IF EXISTS \(SchemaComparison.quoted(name))")
  }

  static func make(
    _ index: SearchIndexDescription, on connection: Connection
  ) throws(SQLiteError) {
    for statement in index.statements { try connection.execute(statement.sql) }
    try connection.execute(index.rebuildSQL)
  }
}

extension SearchIndexDescription {
  /// Its table, then the triggers that keep it up to date.
  var statements: [(name: String, sql: String)] {
    let list = columns.joined(separator: ", ")
    let triggers = Self.triggerNames(of: name)
    func values(_ row: String) -> String {
      (["Z_PK"] + columns).map { "\(row).\($0)" }.joined(separator: ", ")
    }
    let insert = "INSERT INTO \(name)(rowid, \(list)) VALUES (\(values("new")));"
    let delete = "INSERT INTO \(name)(\(name), rowid, \(list)) VALUES ('delete', \(values("old")));"
    return [
      (
        name,
        "CREATE VIRTUAL TABLE \(name) USING fts5(\(list), content='\(table)', "
          + "content_rowid='Z_PK', tokenize='\(tokenizer.rawValue)')"
      ),
      (triggers[0], "CREATE TRIGGER \(triggers[0]) AFTER INSERT ON \(table) BEGIN \(insert) END"),
      (triggers[1], "CREATE TRIGGER \(triggers[1]) AFTER DELETE ON \(table) BEGIN \(delete) END"),
      (
        triggers[2],
        "CREATE TRIGGER \(triggers[2]) AFTER UPDATE OF \(list) ON \(table) "
          + "BEGIN \(delete) \(insert) END"
      ),
    ]
  }

  static func triggerNames(of name: String) -> [String] {
    ["_INSERT", "_DELETE", "_UPDATE"].map { name + $0 }
  }

  /// Reads all text again.
  var rebuildSQL: String { "INSERT INTO \(name)(\(name)) VALUES ('rebuild')" }
  /// Fails where the index and the text differ.
  var checkSQL: String { "INSERT INTO \(name)(\(name), rank) VALUES ('integrity-check', 1)" }
}

extension ManagedObjectModel {
  var searchIndexes: [SearchIndexDescription] { entities.compactMap(\.searchIndex) }
}

extension StoreMigration {
  /// Drops all, so that tables and columns can change; ``addSearchIndexes()`` makes them again.
  mutating func dropSearchIndexes() throws {
    let schema = try SearchSchema(connection)
    for name in schema.names { try SearchSchema.drop(name, on: connection) }
    for name in schema.others(than: model.searchIndexes) {
      remark("dropped the search index \(name), which the model does not declare")
    }
  }

  /// Makes the search indexes that the file lacks, or has in another form.
  mutating func addSearchIndexes() throws {
    let indexes = model.searchIndexes
    guard !indexes.isEmpty else { return }
    let schema = try SearchSchema(connection)
    for index in indexes where !schema.has(index) {
      guard !schema.isForeign(index) else {
        note("the table \(index.name) is not a search index of this store; rename or drop it")
        continue
      }
      try SearchSchema.drop(index.name, on: connection)
      try SearchSchema.make(index, on: connection)
      remark("made the search index \(index.name) of \(index.columns.joined(separator: ", "))")
    }
  }

  /// Drops the search indexes that the model does not declare.
  mutating func dropOtherSearchIndexes() throws {
    for name in try SearchSchema(connection).others(than: model.searchIndexes) {
      try SearchSchema.drop(name, on: connection)
      remark("dropped the search index \(name), which the model does not declare")
    }
  }
}
