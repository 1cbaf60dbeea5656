// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import StoreInstruments

extension ManagedObjectContext {
  /// Inserts rows in one transaction, past the context: no objects, no row cache.
  ///
  ///     try context.batchInsert(Stop.self, count: names.count) { row, index in
  ///       row.name = names[index]
  ///     }
  ///     // INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)
  ///
  /// Rows of an ordered relationship come behind those that are there, in the order of the batch.
  ///
  /// - Parameters:
  ///   - count: how many rows.
  ///   - fill: sets the values of one row; called with 0 up to `count`.
  /// - Throws: ``StoreError``, and what `fill` throws; nothing is inserted then.
  @discardableResult
  public func batchInsert<E: Entity>(
    _ type: E.Type, count: Int, file: String = #fileID, line: UInt = #line,
    fill: (BatchRow<E>, Int) throws -> Void
  ) throws -> BatchInsertResult {
    let entity = description(of: type)
    let schema = unsafeDowncast(entity.schema, to: EntitySchema<E>.self)
    var operation = SaveOperation(
      context: self, inserting: count, location: SourceLocation(file: file, line: UInt64(line)))
    var firstKey: Int64 = 0
    try operation.run { writer in
      let required = RequiredSlots(entity)
      firstKey = try writer.insertBatch(entity, count: count, required) { statement, index in
        try fill(
          BatchRow(statement: statement, schema: schema, required: required), index)
      }
    }
    store.checkpointIfNeeded(contextID: contextID)
    return BatchInsertResult(count: count, reference: entity.reference, firstKey: firstKey)
  }
}

extension SaveWriter {
  mutating func insertBatch(
    _ entity: EntityDescription, count: Int, _ required: RequiredSlots,
    fill: (Statement, Int) throws -> Void
  ) throws -> Int64 {
    let first = try allocateKeys(entity, count: count)
    let sql = context.store.statements[entity.index].insert
    let ordered = entity.toOnes.filter { $0.orderColumn != nil }
    var defaults = entity.defaultValues
    for slot in entity.derivedAttributes.dates { defaults[slot] = .date(Date()) }
    let values = defaults.enumerated().filter { $1 != .null }
    tell(sql, [])
    let statement = try connection.cachedStatement(sql)
    defer { connection.recycle(statement) }
    statement.bind(entity.entityID, at: 2)
    statement.bind(1 as Int64, at: 3)
    let slotCount = Int32(entity.rowLayout.slotCount)
    for index in 0..<count {
      let key = first + Int64(index)
      statement.bind(key, at: 1)
      for parameter in 4..<(4 + slotCount) { statement.bindNull(at: parameter) }
      for (slot, value) in values { statement.bind(value ?? .null, at: Int32(slot + 4)) }
      required.begin()
      try fill(statement, index)
      if let slot = required.firstMissing { throw missing(entity, slot, key) }
      for (offset, toOne) in ordered.enumerated() {
        let parameter = 4 + slotCount + Int32(offset)
        if required.hasReference[toOne.slot] {
          statement.bind(key * 1024, at: parameter)
        } else {
          statement.bindNull(at: parameter)
        }
      }
      try statement.run()
    }
    return first
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
