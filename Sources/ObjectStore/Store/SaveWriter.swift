// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreInstruments

/// Writes the rows of one save, within its transaction.
struct SaveWriter {
  let context: ManagedObjectContext
  let connection: Connection
  let interests: Interests
  private(set) var statementCount: UInt64 = 0
  /// What a batch wrote, which is known only when it is done.
  var counts: (inserted: Int, updated: Int, deleted: Int)?
  let tracksHistory: Bool
  /// The entries of this transaction in the history.
  var history: [HistoryEntry] = []
  /// Statements whose plans are worth reporting: they search.
  var explained: Set<String> = []
  /// What the save leaves to adopt.
  var outcome = SaveOutcome()
  /// Places in ordered one-to-manys that this save assigns.
  var orderKeys: [OrderPlace: Int64] = [:]
  let externalData: ExternalDataTransaction

  init(context: ManagedObjectContext, connection: Connection, interests: Interests) {
    self.context = context
    self.connection = connection
    self.interests = interests
    tracksHistory = context.store.tracksHistory
    externalData = ExternalDataTransaction(context.store.externalData)
  }

  /// By object, how its conflict was resolved.
  var resolutions: [ObjectIdentifier: ConflictResolution] {
    get { outcome.resolutions }
    set { outcome.resolutions = newValue }
  }

  var store: PersistentStore { context.store }

  mutating func write(_ changes: ChangeSet) throws {
    let inserted = Dictionary(grouping: changes.inserted) { ObjectIdentifier($0.entity) }
    for entity in store.model.entities {
      if let objects = inserted[ObjectIdentifier(entity)] { try allocateKeys(entity, objects) }
    }
    let moved = try placeMembers(changes)
    var returned: [AnyManagedObject] = []
    for entity in store.model.entities {
      if let objects = inserted[ObjectIdentifier(entity)] {
        returned += try insert(entity, objects)
      }
    }
    // Their deletion was undone here, and another context has inserted them again as well.
    if !returned.isEmpty { try resolve(returned) }
    try update(changes.updated)
    for (object, slot) in moved { try writePlace(of: object, slot) }
    try writePairs(changes.linked)
    try delete(changes.deleted)
    recordHistory(changes)
  }

  // MARK: - Running statements

  mutating func execute(_ sql: String) throws {
    try run(sql, []) { _ in }
  }

  /// Runs one statement of the cache to its end.
  mutating func run(
    _ sql: String, _ values: [StoreValue], row: (Statement) -> Void = { _ in }
  ) throws {
    report(sql, values)
    let statement = try connection.cachedStatement(sql)
    defer { connection.recycle(statement) }
    for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
    while try statement.step() { row(statement) }
  }

  mutating func report(_ sql: String, _ values: [StoreValue]) {
    statementCount += 1
    guard interests.contains(.sql) else { return }
    store.instruments.willRun(
      sql: sql, bindings: values.map(\.boundValue), contextID: context.contextID)
  }

  // MARK: - Inserting

  mutating func allocateKeys(
    _ entity: EntityDescription, _ objects: [AnyManagedObject]
  ) throws {
    // A permanent id that was obtained before, or one from before a deletion that was undone,
    // stays.
    for object in objects { object.newPrimaryKey = object.primaryKey }
    let new = objects.filter { $0.primaryKey < 0 }
    guard !new.isEmpty else { return }
    let first = try allocateKeys(entity, count: new.count)
    for (index, object) in new.enumerated() { object.newPrimaryKey = first + Int64(index) }
  }

  /// Takes keys from the root's row of `Z_PRIMARYKEY`, as Core Data does.
  mutating func allocateKeys(_ entity: EntityDescription, count: Int) throws -> Int64 {
    let entity = entity.root
    var found: Int64?
    try run("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(entity.entityID)]) {
      if $0.columnType(0) == .integer { found = $0.int64(0) }
    }
    guard let last = found, (0...(.max - Int64(count))).contains(last) else {
      throw try numberDamage(entity.entityID)
    }
    try run(
      "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?",
      [.integer(last + Int64(count)), .integer(entity.entityID), .integer(last)])
    return last + 1
  }

  /// - Returns: the objects with keys from before, whose rows are there already.
  private mutating func insert(
    _ entity: EntityDescription, _ objects: [AnyManagedObject]
  ) throws -> [AnyManagedObject] {
    var returned: [AnyManagedObject] = []
    let sql = store.statements[entity.index].insert
    let ordered = entity.toOnes.filter { $0.orderColumn != nil }
    let statement = try connection.cachedStatement(sql)
    defer { connection.recycle(statement) }
    statement.bind(entity.entityID, at: 2)
    statement.bind(1 as Int64, at: 3)
    for object in objects {
      let changes = try columnValues(object.changes, of: object)
      let values = interests.contains(.sql) ? insertedValues(object, changes, ordered) : []
      report(sql, values)
      statement.bind(object.newPrimaryKey, at: 1)
      var index: Int32 = 4
      for value in changes {
        switch value {
        case .object(let id)? where id.isTemporary:
          statement.bind(context.permanent(.object(id)), at: index)
        case let value?: statement.bind(value, at: index)
        case nil: statement.bindNull(at: index)
        }
        index += 1
      }
      for toOne in ordered {
        if let key = orderKey(object, toOne) {
          statement.bind(key, at: index)
        } else {
          statement.bindNull(at: index)
        }
        index += 1
      }
      do { try statement.run() } catch {
        guard error.extendedCode == Self.primaryKeyIsTaken, object.primaryKey > 0 else {
          throw error
        }
        statement.reset()
        returned.append(object)
      }
    }
    return returned
  }

  /// `SQLITE_CONSTRAINT_PRIMARYKEY`.
  private static let primaryKeyIsTaken: Int32 = 1555

  private func insertedValues(
    _ object: AnyManagedObject, _ changes: [StoreValue?], _ ordered: [RelationshipDescription]
  ) -> [StoreValue] {
    [.integer(object.newPrimaryKey), .integer(object.entity.entityID), .integer(1)]
      + changes.map { context.permanent($0 ?? .null) }
      + ordered.map { orderKey(object, $0).map(StoreValue.integer) ?? .null }
  }

  // MARK: - Updating and deleting

  private mutating func update(_ objects: [AnyManagedObject]) throws {
    var conflicted: [AnyManagedObject] = []
    for object in objects {
      let version = object.readableRow()?.version ?? 0
      let isWritten = try updateRow(of: object, object.changes, version: version)
      guard !isWritten else { continue }
      discardExternalData(of: object)
      conflicted.append(object)
    }
    if !conflicted.isEmpty { try resolve(conflicted) }
  }

  /// Writes values over a row; false if the row has another version, or is gone.
  mutating func updateRow(
    of object: AnyManagedObject, _ changes: [StoreValue?], version: Int64
  ) throws -> Bool {
    var assignments: [String] = []
    var values: [StoreValue] = []
    let columns = object.entity.columns
    for (slot, change) in try columnValues(changes, of: object).enumerated() {
      guard let change else { continue }
      assignments.append("\(columns[slot]) = ?")
      values.append(context.permanent(change))
    }
    assignments.append("Z_OPT = ?")
    values += [
      .integer(try self.version(after: version, of: object)), .integer(object.primaryKey),
      .integer(version),
    ]
    try run(
      "UPDATE \(object.entity.table) SET \(assignments.joined(separator: ", ")) "
        + "WHERE Z_PK = ? AND Z_OPT = ?", values)
    return connection.changes > 0
  }

  private mutating func delete(_ objects: [AnyManagedObject]) throws {
    var conflicted: [AnyManagedObject] = []
    for object in objects {
      // A row that is already gone is as deleted as it can be.
      guard let version = object.readableRow()?.version else { continue }
      let isDeleted = try deleteRow(of: object, version: version)
      if !isDeleted { conflicted.append(object) }
    }
    if !conflicted.isEmpty { try resolve(conflicted) }
    for object in objects {
      if case .kept? = resolutions[ObjectIdentifier(object)] { continue }
      for relationship in object.entity.toManys {
        guard case .joinTable(let table, let source, let destination, _) = relationship.storage
        else { continue }
        try run("DELETE FROM \(table) WHERE \(source) = ?", [.integer(object.primaryKey)])
        guard relationship.inverse === relationship else { continue }
        try run("DELETE FROM \(table) WHERE \(destination) = ?", [.integer(object.primaryKey)])
      }
    }
  }

  /// Deletes a row; false if it has another version, or is gone.
  mutating func deleteRow(of object: AnyManagedObject, version: Int64) throws -> Bool {
    try run(
      store.statements[object.entity.index].delete,
      [.integer(object.primaryKey), .integer(version)])
    return connection.changes > 0
  }
}
