// SPDX-License-Identifier: Apache-2.0

/// The tables and indexes that Core Data would make for a model.
struct StoreSchema {
  let model: ManagedObjectModel

  /// In the order in which a new file gets them.
  var statements: [String] {
    model.roots.map { Self.createTable($0) } + joinTables.flatMap { [$0.sql, $0.indexSQL] }
      + model.roots.flatMap { entity in
        entity.allIndexes.map { Self.createIndex($0, on: entity.table) }
      } + model.searchIndexes.flatMap { $0.statements.map(\.sql) } + Self.systemTables
  }

  static let systemTables = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
      + "Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  /// A column as its table declares it.
  struct Column: Hashable {
    let name: String
    let type: String
  }

  /// Integer attributes, to-one relationships with their keys in an order, numbers and dates,
  /// text, bytes; each group A–Z.
  static func columns(of entity: EntityDescription) -> [Column] {
    func attributes(_ types: Set<String>) -> [Column] {
      entity.attributes.filter { types.contains($0.type.columnType) }
        .map { Column(name: $0.column, type: $0.type.columnType) }
    }
    let references =
      entity.toOnes.flatMap { [$0.column, $0.entityColumn].compactMap(\.self) }
      + orderColumns(of: entity)
    return attributes(["INTEGER"]) + references.map { Column(name: $0, type: "INTEGER") }
      + attributes(["TIMESTAMP", "FLOAT", "DECIMAL"]) + attributes(["VARCHAR"])
      + attributes(["BLOB"])
  }

  /// Including the columns that every table has.
  static func allColumns(of entity: EntityDescription) -> [Column] {
    ["Z_PK", "Z_ENT", "Z_OPT"].map { Column(name: $0, type: "INTEGER") } + columns(of: entity)
  }

  /// `Z_FOK_STOP` for a to-one with an ordered inverse.
  static func orderColumns(of entity: EntityDescription) -> [String] {
    entity.toOnes.compactMap(\.orderColumn)
  }

  /// - Parameter extraColumns: of an existing file, which the model lacks.
  static func createTable(
    _ entity: EntityDescription, named name: String? = nil,
    extraColumns: [FileStructure.Column] = []
  ) -> String {
    let columns =
      columns(of: entity).map { ", \($0.name) \($0.type)" }.joined()
      + extraColumns.map { ", " + $0.declaration }.joined()
    return "CREATE TABLE \(name ?? entity.table) "
      + "( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns) )"
  }

  static func createIndex(_ index: IndexDescription, on table: String) -> String {
    let columns = index.columns.map { index.isFetchIndex ? $0 + " COLLATE BINARY ASC" : $0 }
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(index.name) ON \(table) "
      + "(\(columns.joined(separator: ", ")))"
  }

  /// A table of pairs, with its index for the way back.
  struct JoinTable {
    let sql: String
    let indexSQL: String
  }

  var joinTables: [JoinTable] {
    model.entities.flatMap(\.ownRelationships).filter(\.ownsJoinTable).compactMap(JoinTable.init)
  }
}

extension StoreSchema.JoinTable {
  /// Nil for a relationship without a table of pairs.
  init?(_ relationship: RelationshipDescription) {
    guard
      case .joinTable(let name, let source, let destination, let order) = relationship.storage,
      case .joinTable(_, _, _, let inverseOrder) = relationship.inverse.storage
    else { return nil }
    let orders = relationship.inverse === relationship ? [order] : [inverseOrder, order]
    let columns = [source, destination] + orders.compactMap(\.self)
    self.init(
      sql: "CREATE TABLE \(name) ( \(columns.map { "\($0) INTEGER" }.joined(separator: ", ")), "
        + "PRIMARY KEY (\(source), \(destination)) )",
      indexSQL: "CREATE INDEX \(name)_\(destination)_INDEX ON \(name) "
        + "(\(destination), \(source))")
  }
}

extension RelationshipDescription {
  /// The end of a many-to-many that the join table is named after.
  var ownsJoinTable: Bool {
    guard case .joinTable = storage, let inverse else { return false }
    return (entity.entityID, name) <= (inverse.entity.entityID, inverse.name)
  }

  /// The column after a to-one with the object's key in the ordered inverse.
  var orderColumn: String? {
    guard case .column = storage, let inverse,
      case .inverseColumn(_, let order) = inverse.storage
    else { return nil }
    return order
  }
}
