// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Carries out a ``StorePlan`` within the transaction that opens the file.
///
/// It proceeds as far as possible and records the steps that fail. The caller then rolls back,
/// which restores the file.
struct StoreMigration {
  let model: ManagedObjectModel
  let connection: Connection
  let files: ExternalDataTransaction
  /// The steps that were taken, in sentences for the log.
  private(set) var remarks: [String] = []
  /// The steps that cannot be taken.
  private(set) var obstacles: [String] = []

  init(
    _ model: ManagedObjectModel, _ files: ExternalDataTransaction, on connection: Connection
  ) {
    self.model = model
    self.files = files
    self.connection = connection
  }

  mutating func note(_ obstacle: String) {
    if !obstacles.contains(obstacle) { obstacles.append(obstacle) }
  }

  mutating func remark(_ done: String) { remarks.append(done) }

  mutating func execute(_ sql: String, _ remark: String) throws(SQLiteError) {
    try connection.execute(sql)
    remarks.append(remark)
  }

  /// Runs all steps, and counts before and after them.
  mutating func run(_ plan: StorePlan, isExact: Bool) throws {
    for step in plan.steps where step.comesFirst { try step.run(&self) }
    let preservedCounts = plan.preservedCounts.map { $0() }
    let counts = try preservedCounts.map { try $0.measure($0.before, connection) }
    if plan.changesStructure || isExact { try dropSearchIndexes() }
    for step in plan.steps where !step.comesFirst { try step.run(&self) }
    try fillRequired()
    for (preservedCount, before) in zip(preservedCounts, counts) {
      let after = try preservedCount.measure(preservedCount.after, connection)
      if let loss = preservedCount.loss(from: before, to: after) { note(loss) }
    }
    if isExact, obstacles.isEmpty { try drop(plan.leftovers, plan) }
    if obstacles.isEmpty { try addSearchIndexes() }
  }

  /// Sets a new attribute in all rows to its default, or to its derived value.
  mutating func fill(_ attribute: AttributeDescription, _ kinds: [EntityDescription]) throws {
    for entity in kinds {
      if attribute.derivation != nil {
        try derive(attribute, of: entity)
      } else if attribute.defaultValue != .null {
        try setDefault(of: attribute, entity)
      }
    }
  }

  private mutating func setDefault(
    of attribute: AttributeDescription, _ entity: EntityDescription
  ) throws {
    let update = try connection.prepare(
      "UPDATE \(entity.table) SET \(attribute.column) = ? "
        + "WHERE Z_ENT = \(entity.entityID) AND \(attribute.column) IS NULL")
    update.bind(attribute.inlineColumnValue(attribute.defaultValue), at: 1)
    try update.run()
    guard connection.changes > 0 else { return }
    let done = "set \(entity.table).\(attribute.column) to its default"
    if !remarks.contains(done) { remarks.append(done) }
  }

  /// Sets required attributes without a value to their defaults.
  private mutating func fillRequired() throws {
    for entity in model.entities where !entity.isAbstract {
      let required = entity.attributesByName.values.filter(\.isRequiredValue)
        .sorted { $0.name < $1.name }
      guard !required.isEmpty else { continue }
      let missing = try connection.prepare(
        "SELECT " + required.map { "max(\($0.column) IS NULL)" }.joined(separator: ", ")
          + " FROM \(entity.table) WHERE Z_ENT = \(entity.entityID)")
      guard try missing.step() else { continue }
      let isMissing = required.indices.map { missing.int64(Int32($0)) != 0 }
      missing.reset()
      for (attribute, isMissing) in zip(required, isMissing) where isMissing {
        guard attribute.defaultValue != .null else {
          note("\(entity.name).\(attribute.name) is not optional, and rows lack it")
          continue
        }
        try setDefault(of: attribute, entity)
      }
    }
  }

  /// An index with the same columns will do, whatever its name: Core Data's own have other ones.
  func addIndexes() throws {
    guard obstacles.isEmpty else { return }
    for root in model.roots { try addIndexes(of: root) }
  }

  func addIndexes(of root: EntityDescription) throws(SQLiteError) {
    // To drop an index that has the name of another one may remove one that is needed.
    while let missing = try firstMissingIndex(of: root) {
      try connection.execute("DROP INDEX IF EXISTS \(SchemaComparison.quoted(missing.name))")
      try connection.execute(StoreSchema.createIndex(missing, on: root.table))
    }
  }

  private func firstMissingIndex(
    of root: EntityDescription
  ) throws(SQLiteError) -> IndexDescription? {
    let present = try SchemaComparison.indexes(of: root.table, in: connection)
    return root.allIndexes.first { index in
      !present.contains {
        $0.columns == index.columns && (index.isUnique ? $0.isUnique : $0.origin == "c")
      }
    }
  }

  /// Drops the indexes of entity tables that the model does not declare.
  func dropOtherIndexes() throws {
    for root in model.roots {
      let declared = Set(root.allIndexes.map(\.columns))
      for index in try SchemaComparison.indexes(of: root.table, in: connection)
      where index.origin == "c" && !declared.contains(index.columns) {
        try connection.execute("DROP INDEX \(SchemaComparison.quoted(index.name))")
      }
    }
  }
}
