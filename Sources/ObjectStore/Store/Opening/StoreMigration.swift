// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Makes an existing file fit a changed model, within the transaction that opens it.
///
/// It goes as far as it can and notes what it cannot do; the caller rolls back then, and so the file
/// is as it was.
struct StoreMigration {
  let model: ManagedObjectModel
  let connection: Connection
  /// What was done, in sentences for the log.
  private(set) var remarks: [String] = []
  /// What cannot be done.
  private(set) var obstacles: [String] = []
  /// By table, then by column: the declared type.
  private var tables: [String: [String: String]] = [:]
  /// Attributes that were missing, which have their values already.
  private var added: Set<ObjectIdentifier> = []

  /// Entities whose version hash is another than the file's.
  private let changed: Set<String>

  init(
    _ model: ManagedObjectModel, changed: Set<String>, on connection: Connection
  ) throws(SQLiteError) {
    self.model = model
    self.changed = changed
    self.connection = connection
    let names = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    while try names.step() {
      let table = names.string(0)
      tables[table] = try Self.columns(of: table, in: connection)
    }
  }

  private static func columns(
    of table: String, in connection: Connection
  ) throws(SQLiteError) -> [String: String] {
    var columns: [String: String] = [:]
    let info = try connection.prepare("PRAGMA table_info(\(SchemaComparison.quoted(table)))")
    while try info.step() { columns[info.string(1)] = info.string(2).uppercased() }
    return columns
  }

  /// Whether the file lacked an attribute.
  func isNew(_ attribute: AttributeDescription) -> Bool {
    added.contains(ObjectIdentifier(attribute))
  }

  mutating func note(_ obstacle: String) { obstacles.append(obstacle) }

  mutating func remark(_ done: String) { remarks.append(done) }

  mutating func execute(_ sql: String, _ remark: String) throws(SQLiteError) {
    try connection.execute(sql)
    remarks.append(remark)
  }

  private mutating func refresh(_ table: String) throws(SQLiteError) {
    tables[table] = try Self.columns(of: table, in: connection)
  }

  // MARK: - Entities

  /// Renames entities by their renaming identifiers, and adds those that the file lacks.
  mutating func migrateEntities(_ file: EntityNumbers) throws(SQLiteError) {
    for (old, entity) in file.renamed {
      let update = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_NAME = ? WHERE Z_NAME = ?")
      update.bind(entity.name, at: 1)
      update.bind(old, at: 2)
      try update.run()
      remarks.append("renamed entity \(old) to \(entity.name)")
      let table = "Z" + old.uppercased()
      guard entity.superentity == nil, let columns = tables[table], table != entity.table else {
        continue
      }
      try execute(
        "ALTER TABLE \(table) RENAME TO \(entity.table)", "renamed \(table) to \(entity.table)")
      tables[table] = nil
      tables[entity.table] = columns
    }
    for entity in model.entities {
      let superID = entity.superentity?.entityID ?? 0
      guard let known = file.superIDs[entity.entityID] else {
        let insert = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)")
        insert.bind(entity.entityID, at: 1)
        insert.bind(entity.name, at: 2)
        insert.bind(superID, at: 3)
        try insert.run()
        remarks.append("added entity \(entity.name)")
        continue
      }
      if known != superID {
        note("\(entity.name) inherits from another entity in the file than in the model")
      }
    }
  }

  // MARK: - Tables

  mutating func migrateTables() throws {
    for root in model.roots {
      guard tables[root.table] != nil else {
        try execute(StoreSchema.createTable(root), "added table \(root.table)")
        try refresh(root.table)
        continue
      }
      try migrateColumns(of: root)
      try addConstraints(to: root)
    }
    for table in StoreSchema(model: model).joinTables { try migrate(table) }
  }

  private mutating func migrateColumns(of root: EntityDescription) throws {
    let wanted = StoreSchema.columns(of: root)
    let kept = Set(wanted.map(\.name))
    for column in wanted {
      guard let type = tables[root.table]?[column.name] else {
        let old = root.formerColumns(of: column.name).first {
          tables[root.table]?[$0] == column.type && !kept.contains($0)
        }
        if let old {
          try rename(old, to: column.name, in: root.table)
        } else {
          try add(column, to: root)
        }
        continue
      }
      if type != column.type {
        note("\(root.table).\(column.name) is \(type), the model wants \(column.type)")
      }
    }
  }

  private mutating func rename(_ old: String, to new: String, in table: String) throws {
    try execute(
      "ALTER TABLE \(table) RENAME COLUMN \(old) TO \(new)", "renamed \(table).\(old) to \(new)")
    try refresh(table)
  }

  private mutating func add(_ column: StoreSchema.Column, to root: EntityDescription) throws {
    try execute(
      "ALTER TABLE \(root.table) ADD COLUMN \(column.name) \(column.type)",
      "added \(root.table).\(column.name)")
    try refresh(root.table)
    if let attribute = root.attributes.first(where: { $0.column == column.name }) {
      try fill(attribute, of: root)
    } else if let toOne = root.toOnes.first(where: { $0.column == column.name }) {
      try check(toOne)
    }
  }

  /// A relationship that was many-to-many must not look as if it were empty.
  private mutating func check(_ toOne: RelationshipDescription) throws {
    let ends = [toOne.entity.entityID, toOne.destination.entityID]
    if let table = formerJoinTable(of: ends) {
      note("\(toOne.entity.name).\(toOne.name) may be kept in the table \(table)")
    }
    if !toOne.isOptional, try hasRows(toOne.entity) {
      note("\(toOne.entity.name).\(toOne.name) is not optional, and the rows there lack it")
    }
  }

  /// A table of pairs of two entities that the model has no relationship for.
  private func formerJoinTable(of entityIDs: [Int64]) -> String? {
    let wanted = Set(StoreSchema(model: model).joinTables.flatMap { [$0.name] + $0.formerNames })
    return tables.keys.sorted().first { name in
      guard name.hasPrefix("Z_"), !wanted.contains(name), let columns = tables[name] else {
        return false
      }
      // `Z_2TAGS`, but not `Z_23TAGS`, begins with the number of entity 2.
      let numbers = Set(columns.keys.map { $0.dropFirst(2).prefix(while: \.isNumber) })
      return entityIDs.allSatisfy { numbers.contains(Substring(String($0))) }
    }
  }

  // MARK: - Join tables

  private mutating func migrate(_ join: StoreSchema.JoinTable) throws {
    if tables[join.name] == nil {
      let old = join.formerNames.first { tables[$0] != nil }
      guard let old else { return try create(join) }
      try execute(
        "ALTER TABLE \(old) RENAME TO \(join.name)", "renamed \(old) to \(join.name)")
      tables[old] = nil
      try refresh(join.name)
    }
    for column in join.columns where tables[join.name]?[column] == nil {
      if let old = join.formerColumns[column]?.first(where: { tables[join.name]?[$0] != nil }) {
        try rename(old, to: column, in: join.name)
      } else if column.hasPrefix("Z_FOK_") {
        try execute(
          "ALTER TABLE \(join.name) ADD COLUMN \(column) INTEGER", "added \(join.name).\(column)")
        try refresh(join.name)
      } else {
        note("no column \(join.name).\(column)")
      }
    }
  }

  private mutating func create(_ join: StoreSchema.JoinTable) throws {
    for relationship in join.relationships {
      let column = "Z" + relationship.name.uppercased()
      if let columns = tables[relationship.entity.table], columns[column] == "INTEGER",
        relationship.entity.root.attributes.allSatisfy({ $0.column != column })
      {
        note(
          "\(relationship.entity.name).\(relationship.name) is kept in the column "
            + "\(relationship.entity.table).\(column)")
      }
    }
    try execute(join.sql, "added table \(join.name)")
    try connection.execute(join.indexSQL)
    try refresh(join.name)
  }

  // MARK: - Values

  func hasRows(_ entity: EntityDescription) throws(SQLiteError) -> Bool {
    try connection.prepare("SELECT 1 FROM \(entity.table)\(entity.rowCondition) LIMIT 1").step()
  }

  /// Gives the rows of a new attribute its values.
  private mutating func fill(_ attribute: AttributeDescription, of root: EntityDescription) throws {
    added.insert(ObjectIdentifier(attribute))
    for entity in root.kinds where entity.has(attribute) {
      if attribute.derivation != nil {
        // Those of changed entities are derived together.
        if !changed.contains(entity.name) { try derive(attribute, of: entity) }
      } else if attribute.defaultValue != .null {
        try setDefault(of: attribute, entity, where: "Z_ENT = \(entity.entityID)")
      } else if !attribute.isOptional, try hasRows(entity) {
        note(
          "\(entity.name).\(attribute.name) is not optional and has no default, and the rows there "
            + "lack it")
      }
    }
  }

  private mutating func setDefault(
    of attribute: AttributeDescription, _ entity: EntityDescription, where condition: String
  ) throws {
    let update = try connection.prepare(
      "UPDATE \(entity.table) SET \(attribute.column) = ? WHERE \(condition)")
    update.bind(attribute.inlineColumnValue(attribute.defaultValue), at: 1)
    try update.run()
    if connection.changes > 0 {
      remarks.append("set \(entity.table).\(attribute.column) to its default")
    }
  }

  /// What the model now requires and did not before.
  mutating func fillRequired() throws {
    for entity in model.entities where changed.contains(entity.name) {
      for attribute in entity.attributesByName.values.sorted(by: { $0.name < $1.name })
      where !attribute.isOptional && attribute.derivation == nil && !isNew(attribute) {
        let condition = "Z_ENT = \(entity.entityID) AND \(attribute.column) IS NULL"
        let missing = try connection.prepare(
          "SELECT 1 FROM \(entity.table) WHERE \(condition) LIMIT 1")
        guard try missing.step() else { continue }
        missing.reset()
        guard attribute.defaultValue != .null else {
          note("\(entity.name).\(attribute.name) is not optional, and rows lack it")
          continue
        }
        try setDefault(of: attribute, entity, where: condition)
      }
      for attribute in entity.attributesByName.values where attribute.derivation != nil {
        try derive(attribute, of: entity)
      }
    }
  }
}

extension EntityDescription {
  /// ` WHERE Z_ENT IN (5,6)`, where its table holds others.
  fileprivate var rowCondition: String {
    guard let ids = entityIDs(includingSubentities: true) else { return "" }
    return " WHERE Z_ENT IN (\(ids.map(String.init).joined(separator: ",")))"
  }

  /// What a column was called before its property was renamed.
  fileprivate func formerColumns(of column: String) -> [String] {
    var former: [String] = []
    for attribute in attributes where attribute.column == column {
      if let old = attribute.renamingIdentifier { former.append("Z" + old.uppercased()) }
    }
    for toOne in toOnes {
      guard let old = toOne.renamingIdentifier?.uppercased() else { continue }
      if toOne.column == column { former.append("Z" + old) }
      if toOne.orderColumn == column { former.append("Z_FOK_" + old) }
      if toOne.entityColumn == column {
        former.append("Z\(toOne.destination.root.entityID)_" + old)
      }
    }
    return former
  }
}
