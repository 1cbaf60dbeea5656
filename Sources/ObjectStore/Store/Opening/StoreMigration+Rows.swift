// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

extension StoreMigration {
  /// Computes a derived attribute of all rows of an entity from its source.
  mutating func derive(_ attribute: AttributeDescription, of entity: EntityDescription) throws {
    if let column = entity.relatedColumn(of: attribute) {
      return try execute(
        column.updateSQL(of: entity), "derived \(entity.table).\(attribute.column)")
    }
    guard case .value(let name, let transform)? = attribute.derivation?.kind,
      let source = entity.attribute(named: name)
    else { return }
    let select = try connection.prepare(
      "SELECT Z_PK, \(source.column) FROM \(entity.table) WHERE Z_PK > ? AND Z_ENT = ? "
        + "ORDER BY Z_PK LIMIT 10000")
    let update = try connection.prepare(
      "UPDATE \(entity.table) SET \(attribute.column) = ? WHERE Z_PK = ?")
    var last: Int64 = .min
    while true {
      // In parts, each read to its end: a table must not change under a statement that reads it.
      var rows: [(key: Int64, value: StoreValue)] = []
      select.bind(last, at: 1)
      select.bind(entity.entityID, at: 2)
      while try select.step() {
        rows.append((select.int64(0), transform(try value(of: source, in: select))))
      }
      select.reset()
      guard let end = rows.last?.key else { break }
      last = end
      for (key, value) in rows {
        update.bind(attribute.inlineColumnValue(value), at: 1)
        update.bind(key, at: 2)
        try update.run()
      }
    }
    if last != .min { remark("derived \(entity.table).\(attribute.column)") }
  }

  /// - Throws: ``StoreError/externalData(_:property:_:)``.
  private func value(of source: AttributeDescription, in select: Statement) throws -> StoreValue {
    guard source.allowsExternalBinaryDataStorage, !select.isNull(1) else {
      return select.value(1, of: source.type)
    }
    let value = ExternalDataColumn(select.blob(1)).storeValue
    guard case .external(let reference) = value else { return value }
    do throws(ExternalDataProblem) {
      return .data(try ExternalDataFolder(store: connection.path).read(reference))
    } catch {
      throw StoreError.externalData(nil, property: source.name, error)
    }
  }

  // MARK: - Constraints and contents that the model lacks

  /// Replaces the uniqueness constraints of a table by the model's.
  ///
  /// - Parameters:
  ///   - extra: the columns of constraints that the model lacks.
  ///   - indexes: the constraints of `extra` that are indexes; the others take a new table.
  mutating func setConstraints(
    of root: EntityDescription, missing: [[String]], extra: [[String]], _ indexes: [String]
  ) throws {
    for columns in missing {
      let list = columns.joined(separator: ", ")
      let isComplete = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      let duplicates = try connection.prepare(
        "SELECT 1 FROM \(root.table) WHERE \(isComplete) GROUP BY \(list) HAVING COUNT(*) > 1 LIMIT 1"
      )
      if try duplicates.step() { note("rows of \(root.table) have the same \(list)") }
    }
    guard obstacles.isEmpty else { return }
    for index in indexes {
      try connection.execute("DROP INDEX \(SchemaComparison.quoted(index))")
    }
    if extra.count > indexes.count { try rebuild(root, dropping: []) }
    try addIndexes(of: root)
    for columns in missing {
      remark("made (\(columns.joined(separator: ", "))) of \(root.table) unique")
    }
    for columns in extra {
      remark("allowed rows of \(root.table) to have the same (\(columns.joined(separator: ", ")))")
    }
  }

  /// Copies a table into one without constraints, which become indexes; its other columns, indexes and
  /// triggers stay.
  private func rebuild(_ root: EntityDescription, dropping dropped: Set<String>) throws {
    let table = root.table
    var columns: [FileStructure.Column] = []
    let info = try connection.prepare("PRAGMA table_info(\(table))")
    while try info.step() { columns.append(.init(name: info.string(1), type: info.string(2))) }
    columns.removeAll { dropped.contains($0.name) }
    var others: [String] = []
    let schema = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type <> 'table' AND sql IS NOT NULL")
    schema.bind(table, at: 1)
    while try schema.step() { others.append(schema.string(0)) }
    let names = columns.map { SchemaComparison.quoted($0.name) }.joined(separator: ", ")
    let wanted = Set(StoreSchema.allColumns(of: root).map(\.name))
    let extra = columns.filter { !wanted.contains($0.name) }
    let new = table + "_NEW"
    try connection.execute(StoreSchema.createTable(root, named: new, extraColumns: extra))
    try connection.execute("INSERT INTO \(new)(\(names)) SELECT \(names) FROM \(table)")
    try connection.execute("DROP TABLE \(table)")
    // Triggers of other tables name the table that is gone.
    try connection.execute("PRAGMA legacy_alter_table = ON")
    defer { try? connection.execute("PRAGMA legacy_alter_table = OFF") }
    try connection.execute("ALTER TABLE \(new) RENAME TO \(table)")
    // An index or a trigger over a column that is dropped goes with it.
    for sql in others {
      if dropped.isEmpty { try connection.execute(sql) } else { try? connection.execute(sql) }
    }
    try addIndexes(of: root)
  }

  /// Drops the columns, tables and entities that the model does not have, with their contents.
  mutating func drop(_ rest: StorePlan.Leftovers, _ plan: StorePlan) throws {
    for root in model.roots {
      guard let columns = rest.columns[root.table], !columns.isEmpty else { continue }
      try rebuild(root, dropping: Set(columns))
      try dropTriggers(on: root.table, naming: Set(columns))
      for column in columns { remark("dropped \(root.table).\(column)") }
    }
    let tables = Set(model.roots.map(\.table))
    for entity in rest.entities {
      for root in model.roots where root.hierarchy != nil {
        try connection.execute("DELETE FROM \(root.table) WHERE Z_ENT = \(entity.number)")
      }
      try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity.number)")
      let table = "Z" + entity.name.uppercased()
      if !tables.contains(table) {
        try connection.execute("DROP TABLE IF EXISTS \(SchemaComparison.quoted(table))")
      }
      remark("dropped entity \(entity.name)")
    }
    for table in rest.pairTables {
      try execute("DROP TABLE \(SchemaComparison.quoted(table))", "dropped table \(table)")
    }
  }

  /// Drops the triggers that name a table and a column of it that is gone: they would fail.
  private func dropTriggers(on table: String, naming columns: Set<String>) throws(SQLiteError) {
    let find = try connection.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    var dropped: [String] = []
    while try find.step() {
      let words = Set(find.string(1).split { !($0 == "_" || $0.isLetter || $0.isNumber) })
      if words.contains(table[...]), columns.contains(where: { words.contains($0[...]) }) {
        dropped.append(find.string(0))
      }
    }
    find.reset()
    for name in dropped {
      try connection.execute("DROP TRIGGER \(SchemaComparison.quoted(name))")
    }
  }
}

extension Statement {
  /// A column as an attribute of a type holds it.
  fileprivate func value(_ column: Int32, of type: AttributeType) -> StoreValue {
    guard !isNull(column) else { return .null }
    switch type {
    case .int16, .int32, .int64: return .integer(int64(column))
    case .bool: return .bool(int64(column) != 0)
    case .double, .float: return .double(double(column))
    case .decimal: return .decimal(Decimal(stored: double(column)))
    case .string: return .string(string(column))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double(column)))
    case .data: return .data(Data(blob(column)))
    case .uuid:
      let bytes = blob(column)
      return bytes.count == 16 ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : .null
    case .url: return URL(string: string(column)).map(StoreValue.url) ?? .null
    }
  }
}
