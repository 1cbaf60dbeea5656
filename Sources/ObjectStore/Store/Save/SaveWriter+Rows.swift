// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreInstruments

extension SaveWriter {
  /// - Returns: the objects that already had keys, as their rows exist.
  mutating func insert(
    _ entity: EntityDescription, _ rows: [Int], of plan: SavePlan
  ) throws -> [Int] {
    var returned: [Int] = []
    let sql = store.statements[entity.index].insert
    let ordered = entity.toOnes.filter { $0.orderColumn != nil }
    let statement = try connection.cachedStatement(sql)
    defer { connection.recycle(statement) }
    statement.bind(entity.entityID, at: 2)
    statement.bind(1 as Int64, at: 3)
    for index in rows {
      let row = plan.insertions[index]
      let key = outcome.keys[index]
      let changes = try columnValues(row.changes, of: row)
      let values =
        interests.contains(.sql) ? insertedValues(row, key, changes, ordered) : []
      report(sql, values)
      statement.bind(key, at: 1)
      var parameter: Int32 = 4
      for value in changes {
        switch value {
        case .object(let id)? where id.isTemporary:
          statement.bind(permanent(.object(id)), at: parameter)
        case let value?: statement.bind(value, at: parameter)
        case nil: statement.bindNull(at: parameter)
        }
        parameter += 1
      }
      for toOne in ordered {
        if let orderKey = orderKeys[OrderSlot(member: row.id, slot: toOne.slot)] {
          statement.bind(orderKey, at: parameter)
        } else {
          statement.bindNull(at: parameter)
        }
        parameter += 1
      }
      do { try statement.run() } catch {
        if postpone(row, error, at: index) { continue }
        guard error.extendedCode == Self.primaryKeyIsTaken, row.key > 0 else { throw error }
        returned.append(index)
        continue
      }
      if connection.changes == 0 { throw try ignored(row, key: key) }
    }
    return returned
  }

  /// `SQLITE_CONSTRAINT_PRIMARYKEY`.
  private static let primaryKeyIsTaken: Int32 = 1555

  private func insertedValues(
    _ row: SavePlan.Row, _ key: Int64, _ changes: [StoreValue?],
    _ ordered: [RelationshipDescription]
  ) -> [StoreValue] {
    [.integer(key), .integer(row.entity.entityID), .integer(1)]
      + changes.map { permanent($0 ?? .null) }
      + ordered.map {
        orderKeys[OrderSlot(member: row.id, slot: $0.slot)].map(StoreValue.integer) ?? .null
      }
  }

  // MARK: - Updating and deleting

  mutating func update(_ rows: [SavePlan.Row], _ policy: MergePolicy) throws {
    var conflicted: [SavePlan.Row] = []
    // Rows of one entity with the same changed columns, one after the other, share a statement.
    var prepared: PreparedUpdate?
    defer { if let prepared { connection.recycle(prepared.statement) } }
    for row in rows {
      do {
        guard try !update(row, row.changes, version: row.version, by: &prepared) else { continue }
      } catch let error as SQLiteError {
        guard postpone(row, error) else { throw error }
        continue
      }
      discardExternalData(of: row)
      conflicted.append(row)
    }
    if !conflicted.isEmpty { try resolve(conflicted, policy) }
  }

  /// Overwrites the values of a row; false if the row has another version or does not exist.
  mutating func update(
    _ row: SavePlan.Row, _ changes: [StoreValue?], version: Int64
  ) throws -> Bool {
    var prepared: PreparedUpdate?
    defer { if let prepared { connection.recycle(prepared.statement) } }
    return try update(row, changes, version: version, by: &prepared)
  }

  private mutating func update(
    _ row: SavePlan.Row, _ changes: [StoreValue?], version: Int64,
    by prepared: inout PreparedUpdate?
  ) throws -> Bool {
    let changes = try columnValues(changes, of: row)
    let next = try self.version(after: version, of: row)
    if prepared?.fits(row.entity, changes) != true {
      if let known = prepared { connection.recycle(known.statement) }
      prepared = nil
      prepared = try PreparedUpdate(row.entity, changes, on: connection)
    }
    guard let update = prepared else { return false }
    if interests.contains(.sql) {
      let values = changes.compactMap { $0.map { permanent($0) } }
      report(update.sql, values + [.integer(next), .integer(row.key), .integer(version)])
    } else {
      report(update.sql, [])
    }
    let statement = update.statement
    var parameter: Int32 = 1
    for case let change? in changes {
      if case .object(let id) = change, id.isTemporary {
        statement.bind(permanent(change), at: parameter)
      } else {
        statement.bind(change, at: parameter)
      }
      parameter += 1
    }
    statement.bind(next, at: parameter)
    statement.bind(row.key, at: parameter + 1)
    statement.bind(version, at: parameter + 2)
    try statement.run()
    return connection.changes > 0
  }

  mutating func delete(_ rows: [SavePlan.Row], _ policy: MergePolicy) throws {
    var conflicted: [SavePlan.Row] = []
    // A row that is already gone is as deleted as it can be.
    for row in rows where row.snapshot != nil {
      let isDeleted = try delete(row, version: row.version)
      if !isDeleted { conflicted.append(row) }
    }
    if !conflicted.isEmpty { try resolve(conflicted, policy, areDeletions: true) }
    for row in rows {
      if case .kept? = outcome.resolutions[row.id] { continue }
      for relationship in row.entity.toManys {
        guard case .joinTable(let table, let source, let destination, _) = relationship.storage
        else { continue }
        try run("DELETE FROM \(table) WHERE \(source) = ?", [.integer(row.key)])
        guard relationship.inverse === relationship else { continue }
        try run("DELETE FROM \(table) WHERE \(destination) = ?", [.integer(row.key)])
      }
    }
  }

  /// Deletes a row; false if it has another version or does not exist.
  mutating func delete(_ row: SavePlan.Row, version: Int64) throws -> Bool {
    try run(
      store.statements[row.entity.index].delete, [.integer(row.key), .integer(version)])
    return connection.changes > 0
  }
}

/// `UPDATE ZSTOP SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?`, for all rows of an entity of
/// which the same columns are changed.
private struct PreparedUpdate {
  let sql: String
  let statement: Statement
  private let entity: EntityDescription
  /// The slots of the columns.
  private let slots: [Int]

  init(
    _ entity: EntityDescription, _ changes: [StoreValue?], on connection: Connection
  ) throws(SQLiteError) {
    self.entity = entity
    slots = changes.indices.filter { changes[$0] != nil }
    let columns = entity.columns
    let assignments = slots.map { "\(columns[$0]) = ?" } + ["Z_OPT = ?"]
    sql =
      "UPDATE \(entity.table) SET \(assignments.joined(separator: ", ")) "
      + "WHERE Z_PK = ? AND Z_OPT = ?"
    statement = try connection.cachedStatement(sql)
  }

  func fits(_ entity: EntityDescription, _ changes: [StoreValue?]) -> Bool {
    guard entity === self.entity else { return false }
    var index = 0
    for slot in changes.indices {
      if case nil = changes[slot] { continue }
      guard index < slots.count, slots[index] == slot else { return false }
      index += 1
    }
    return index == slots.count
  }
}
