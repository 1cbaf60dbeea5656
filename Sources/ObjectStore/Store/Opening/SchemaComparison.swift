// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// What an existing file lacks of a model; what it has beyond the model is let be.
struct SchemaComparison {
  let model: ManagedObjectModel
  let entityIDs: [String: Int64]

  /// Such as `ZSTOP.ZNAME is FLOAT, the model wants VARCHAR`.
  func differences(in connection: Connection) throws(SQLiteError) -> [String] {
    var differences: [String] = []
    for entity in model.entities {
      guard entityIDs[entity.name] != nil else {
        differences.append("no entity \(entity.name) in Z_PRIMARYKEY")
        continue
      }
      guard entity.superentity == nil else { continue }
      try compare(
        entity.table,
        [.init(name: "Z_PK", type: "INTEGER"), .init(name: "Z_OPT", type: "INTEGER")]
          + StoreSchema.columns(of: entity), connection, &differences)
      guard !entity.uniquenessConstraints.isEmpty else { continue }
      let present = try Self.indexes(of: entity.table, in: connection, origin: "u").values
      for columns in entity.uniquenessConstraints where !present.contains(columns) {
        differences.append(
          "no constraint UNIQUE (\(columns.joined(separator: ", "))) of \(entity.table)")
      }
    }
    for table in StoreSchema(model: model).joinTables {
      try compare(
        table.name, table.columns.map { .init(name: $0, type: "INTEGER") }, connection,
        &differences)
    }
    return differences
  }

  private func compare(
    _ table: String, _ wanted: [StoreSchema.Column], _ connection: Connection,
    _ differences: inout [String]
  ) throws(SQLiteError) {
    var present: [String: String] = [:]
    let statement = try connection.prepare("PRAGMA table_info(\(table))")
    while try statement.step() { present[statement.string(1)] = statement.string(2).uppercased() }
    guard !present.isEmpty else {
      differences.append("no table \(table)")
      return
    }
    for column in wanted {
      guard let type = present[column.name] else {
        differences.append("no column \(table).\(column.name)")
        continue
      }
      if type != column.type {
        differences.append("\(table).\(column.name) is \(type), the model wants \(column.type)")
      }
    }
  }

  /// The columns of each index that CREATE INDEX made, or UNIQUE if `origin` is `u`.
  static func indexes(
    of table: String, in connection: Connection, origin: String = "c"
  ) throws(SQLiteError) -> [String: [String]] {
    let list = try connection.prepare("PRAGMA index_list(\(table))")
    var indexes: [String: [String]] = [:]
    while try list.step() {
      guard list.string(3) == origin else { continue }
      let name = list.string(1)
      let info = try connection.prepare("PRAGMA index_info(\(quoted(name)))")
      var columns: [String] = []
      while try info.step() { columns.append(info.string(2)) }
      indexes[name] = columns
    }
    return indexes
  }

  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
