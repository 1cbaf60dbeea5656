// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents

extension ManagedObjectContext {
  /// Inserts rows in one transaction, without objects of the context and without the row cache.
  ///
  ///     try context.batchInsert(Stop.self, count: names.count) { row, index in
  ///       row.name = names[index]
  ///     }
  ///     // INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)
  ///
  /// Rows of an ordered relationship come after the existing ones, in the order of the batch.
  ///
  /// - Parameters:
  ///   - type: the entity.
  ///   - count: how many rows.
  ///   - policy: the treatment of a row that violates a uniqueness constraint.
  ///   - file: the caller's file.
  ///   - line: the caller's line.
  ///   - fill: sets the values of one row; called with 0 up to `count`.
  /// - Throws: ``StoreError``, such as `objectGone` where a row refers to an object that was deleted, and
  ///   errors of `fill`; nothing is inserted then.
  @discardableResult
  public func batchInsert<E: Entity>(
    _ type: E.Type, count: Int, onConflict policy: BatchConflictPolicy = .fail,
    file: String = #fileID, line: UInt = #line, fill: (BatchRow<E>, Int) throws -> Void
  ) throws -> BatchInsertResult {
    let entity = description(of: type)
    let schema = unsafeDowncast(entity.schema, to: EntitySchema<E>.self)
    return try insert(entity, count, policy, file, line) { statement, required, index in
      try fill(BatchRow(statement: statement, schema: schema, required: required), index)
    }
  }

  /// Inserts rows with values by attribute name.
  ///
  /// - Throws: ``StoreError``: `unknownEntity`, `unknownProperty`, `wrongType`, `invalid`, `objectGone`,
  ///   `foreignObject`, and errors of SQLite; nothing is inserted then.
  @discardableResult
  public func batchInsert(
    entityNamed name: String, _ rows: [[String: StoreValue]],
    onConflict policy: BatchConflictPolicy = .fail, file: String = #fileID, line: UInt = #line
  ) throws -> BatchInsertResult {
    guard let entity = store.model.entity(named: name) else { throw StoreError.unknownEntity(name) }
    return try insert(entity, rows.count, policy, file, line) { statement, required, index in
      // By name: a derived attribute is computed from the source that was set, in any order.
      for (name, value) in rows[index] {
        let (slot, value) = try entity.slotAndValue(name, value)
        required.note(slot, value)
        required.bind(value, statement, slot)
        required.derive(from: slot, value) { required.bind($0, statement, $1) }
      }
    }
  }

  private func insert(
    _ entity: EntityDescription, _ count: Int, _ policy: BatchConflictPolicy, _ file: String,
    _ line: UInt, fill: (Statement, RequiredSlots, Int) throws -> Void
  ) throws -> BatchInsertResult {
    guard !entity.isAbstract else { throw StoreError.abstractEntity(entity.name) }
    var operation = SaveOperation(
      of: store, by: saveOrigin, inserting: count,
      location: SourceLocation(file: file, line: UInt64(line)))
    var keys = RowKeys.range(first: 0, count: 0)
    var first: Int64 = 0
    try operation.run { writer in
      let required = RequiredSlots(
        entity, BatchExternalData(entity, writer.externalData, store.externalDataThreshold))
      first = try writer.allocateKeys(entity, count: count)
      keys = try writer.insertBatch(
        entity, first: first, count: count, policy, required
      ) { statement, index in
        try fill(statement, required, index)
      }
    }
    store.checkpointIfNeeded(contextID: contextID)
    return BatchInsertResult(reference: entity.reference, keys: keys, firstKey: first)
  }
}

extension EntityDescription {
  fileprivate func slotAndValue(_ name: String, _ value: StoreValue) throws -> (Int, StoreValue) {
    if let attribute = attribute(named: name) {
      guard attribute.derivation == nil, let value = attribute.type.converted(value) else {
        throw StoreError.wrongType(
          property: name, entity: self.name,
          expected: attribute.derivation == nil
            ? attribute.type.rawValue : "no value, as it is derived")
      }
      return (attribute.slot, value)
    }
    guard let toOne = relationship(named: name), !toOne.isToMany else {
      throw StoreError.unknownProperty(
        name, entity: self.name, nearest: nearestPropertyName(to: name))
    }
    switch value {
    case .null: return (toOne.slot, value)
    case .object(let id) where !id.isTemporary:
      if let problem = toOne.problem(with: id) { throw problem }
      return (toOne.slot, value)
    default:
      throw StoreError.wrongType(
        property: name, entity: self.name,
        expected: "the id of a saved \(toOne.destination.name)")
    }
  }
}

extension SaveWriter {
  mutating func insertBatch(
    _ entity: EntityDescription, first: Int64, count: Int, _ policy: BatchConflictPolicy,
    _ required: RequiredSlots, fill: (Statement, Int) throws -> Void
  ) throws -> RowKeys {
    let sql = entity.batchInsert(store.statements[entity.index].insert, policy)
    let ordered = entity.toOnes.filter { $0.orderColumn != nil }
    var defaults = entity.defaultValues
    for slot in entity.derivedAttributes.dates { defaults[slot] = .date(Date()) }
    for slot in entity.externalSlots {
      defaults[slot] = defaults[slot].map(entity.attributes[slot].inlineColumnValue)
    }
    let values = defaults.enumerated().filter { $1 != .null }
    report(sql, [])
    let statement = try connection.cachedStatement(sql)
    defer { connection.recycle(statement) }
    let slotCount = Int32(entity.rowLayout.slotCount)
    var written = KeyList()
    for index in 0..<count {
      let key = first + Int64(index)
      statement.clearBindings()
      statement.bind(key, at: 1)
      statement.bind(entity.entityID, at: 2)
      statement.bind(1 as Int64, at: 3)
      for (slot, value) in values { statement.bind(value ?? .null, at: Int32(slot + 4)) }
      required.begin()
      try fill(statement, index)
      if let error = required.externalData?.error ?? required.references.error { throw error }
      if let slot = required.firstMissing { throw missing(entity, slot, key) }
      if let (slot, problem) = required.refused {
        let id = ManagedObjectID(reference: entity.reference, primaryKey: key)
        throw StoreError.invalid([
          .init(objectID: id, property: entity.attributes[slot].name, problem: problem)
        ])
      }
      for (offset, toOne) in ordered.enumerated() {
        guard required.hasValue(toOne.slot) else { continue }
        // The last order key, for keys of a damaged file.
        let (orderKey, isTooLarge) = key.multipliedReportingOverflow(
          by: RelationshipDescription.orderGap)
        statement.bind(isTooLarge ? key : orderKey, at: 4 + slotCount + Int32(offset))
      }
      if policy == .update {
        let flags = 4 + slotCount + Int32(ordered.count)
        for slot in 0..<slotCount {
          statement.bind(required.isSet(Int(slot)) ? 1 as Int64 : 0, at: flags + slot)
        }
      }
      let count = written.count
      while try statement.step() { written.append(statement.int64(0)) }
      statement.reset()
      switch policy {
      case .fail where connection.changes == 0: throw try ignored(entity, key)
      case .update where written.count == count: throw try ignored(entity, key)
      case .ignore where written.count == count: required.externalData?.discardRow()
      default: break
      }
    }
    try required.references.check(self)
    if policy == .update { written = written.withoutRepetitions }
    counts = (policy == .fail ? count : written.count, 0, 0)
    let keys: RowKeys =
      policy == .fail ? .range(first: first, count: count) : .list(written)
    // A row that was there and was updated has a lower key.
    let (old, new) = keys.parted(at: first)
    if case .list(let updated) = old, updated.count > 0 {
      try checkRaisedVersions(entity.table, updated)
    }
    recordHistory(.insert, entity, new)
    recordHistory(.update, entity, old)
    return keys
  }

  /// After the largest integer SQLite continues with reals.
  private func checkRaisedVersions(_ table: String, _ keys: KeyList) throws {
    let array = JSONArray(keys: (0..<keys.count).lazy.map { keys[$0] })
    try checkVersions(
      table, " AND Z_PK IN (SELECT value FROM json_each(?))", [.string(array.text)])
  }

  private func missing(_ entity: EntityDescription, _ slot: Int, _ key: Int64) -> StoreError {
    let name =
      slot < entity.attributes.count
      ? entity.attributes[slot].name : entity.toOnes[slot - entity.attributes.count].name
    return .invalid([
      .init(
        objectID: ManagedObjectID(reference: entity.reference, primaryKey: key), property: name,
        problem: .missing)
    ])
  }
}

extension EntityDescription {
  /// The statement that inserts one row, or applies the policy.
  ///
  ///     INSERT OR IGNORE INTO ZSTOP(…) VALUES(…) RETURNING Z_PK
  ///     INSERT INTO ZSTOP(…) VALUES(…) ON CONFLICT(ZIDENTIFIER) DO UPDATE SET Z_OPT = Z_OPT + 1,
  ///       ZNAME = iif(?7, excluded.ZNAME, ZNAME) RETURNING Z_PK
  ///
  /// Flags after the values state whether the row set a value: an update leaves the others
  /// unchanged.
  fileprivate func batchInsert(_ insert: String, _ policy: BatchConflictPolicy) -> String {
    switch policy {
    case .fail: return insert
    case .ignore:
      return "INSERT OR IGNORE" + insert.dropFirst("INSERT".count) + " RETURNING Z_PK"
    case .update:
      let ordered = toOnes.filter { $0.orderColumn != nil }
      let flags = 4 + columns.count + ordered.count
      var columns = self.columns.enumerated().map { (name: $1, flag: flags + $0) }
      columns += ordered.compactMap { toOne in
        toOne.orderColumn.map { (name: $0, flag: flags + toOne.slot) }
      }
      let conflicts = uniquenessConstraints.map { unique in
        let updates = columns.filter { !unique.contains($0.name) }
          .map { ", \($0.name) = iif(?\($0.flag), excluded.\($0.name), \($0.name))" }
        return " ON CONFLICT(\(unique.joined(separator: ", "))) DO UPDATE SET Z_OPT = Z_OPT + 1"
          + updates.joined()
      }
      return insert + conflicts.joined() + " RETURNING Z_PK"
    }
  }
}
