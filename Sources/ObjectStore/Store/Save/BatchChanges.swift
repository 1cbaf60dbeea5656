// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The changes of the statements of a batch.
struct BatchChanges {
  var count = 0
  /// Empty unless they are wanted.
  var keys: [(EntityDescription, [Int64])] = []
  /// Rows with a reference that was set to nil because its destination was deleted, and the
  /// property.
  var nullified: [(entity: EntityDescription, keys: [Int64], property: String)] = []

  /// `ZNAME = ?`, or an expression instead of the `?`.
  struct Assignment {
    var column: String
    var value: StoreValue
    var sql: String?
  }
}

extension SaveWriter {
  /// - Parameter rows: selects the keys of the rows; all rows if nil.
  mutating func updateBatch(
    _ entity: EntityDescription, _ assignments: [BatchChanges.Assignment],
    _ rows: SelectStatement?, returnsKeys: Bool
  ) throws -> BatchChanges {
    let rows = try rows ?? .keysOfKinds(of: entity)
    try checkVersions(
      entity.table, rows.map { " AND Z_PK IN (\($0.sql))" } ?? "", rows?.bindings ?? [])
    let sets = assignments.map { "\($0.column) = \($0.sql ?? "?")" } + ["Z_OPT = Z_OPT + 1"]
    let changes = try runBatch(
      "UPDATE \(entity.table) SET \(sets.joined(separator: ", "))", entity,
      assignments.filter { $0.sql == nil }.map(\.value), rows,
      returnsKeys || tracksHistory)
    let columns = Set(assignments.map(\.column))
    let properties = entity.attributesByName.values.filter { columns.contains($0.column) }.map(
      \.name)
    let toOnes = entity.relationships.filter { $0.column.map(columns.contains) == true }.map(\.name)
    return note(.update, changes, (properties + toOnes).sorted(), returnsKeys)
  }

  /// Records the history, which needs the keys whether they are returned or not.
  private mutating func note(
    _ kind: HistoryChange.Kind, _ changes: BatchChanges, _ properties: [String],
    _ returnsKeys: Bool
  ) -> BatchChanges {
    for (entity, keys) in changes.keys {
      recordHistory(kind, entity, .list(KeyList(keys)), properties)
    }
    for (entity, keys, property) in changes.nullified {
      recordHistory(.update, entity, .list(KeyList(keys)), [property])
    }
    return returnsKeys ? changes : BatchChanges(count: changes.count)
  }

  /// - Parameter rows: selects the keys of the rows; all rows if nil.
  mutating func deleteBatch(
    _ entity: EntityDescription, _ rows: SelectStatement?, returnsKeys: Bool
  ) throws -> BatchChanges {
    let rows = try rows ?? .keysOfKinds(of: entity)
    guard entity.isReferredTo else {
      let changes = try runBatch(
        "DELETE FROM \(entity.table)", entity, [], rows, returnsKeys || tracksHistory)
      return note(.delete, changes, [], returnsKeys)
    }
    // The rules below may change which rows the predicate finds.
    let keys = try keys(rows?.sql ?? "SELECT Z_PK FROM \(entity.table)", rows?.bindings ?? [])
    var deletion = BatchDeletion(returnsKeys: returnsKeys || tracksHistory)
    try deletion.run(entity, keys, with: &self)
    let changes = deletion.changes
    return note(.delete, changes, [], returnsKeys)
  }

  private mutating func runBatch(
    _ statement: String, _ entity: EntityDescription, _ values: [StoreValue],
    _ rows: SelectStatement?, _ returnsKeys: Bool
  ) throws -> BatchChanges {
    let sql =
      statement + (rows.map { " WHERE Z_PK IN (\($0.sql))" } ?? "")
      + (returnsKeys ? entity.returningKeys : "")
    var keys = BatchKeys(entity)
    try run(sql, values + (rows?.bindings ?? [])) { keys.append($0) }
    explained.insert(sql)
    return BatchChanges(
      count: returnsKeys ? keys.count : connection.changes, keys: returnsKeys ? keys.byEntity : [])
  }

  /// The first column of a statement's rows.
  mutating func keys(_ sql: String, _ values: [StoreValue]) throws -> [Int64] {
    var keys: [Int64] = []
    try run(sql, values) { keys.append($0.int64(0)) }
    explained.insert(sql)
    return keys
  }
}

/// Keys by the entities of their rows, which share a table.
struct BatchKeys {
  private let entity: EntityDescription
  private(set) var byEntity: [(EntityDescription, [Int64])] = []
  private(set) var count = 0

  init(_ entity: EntityDescription) { self.entity = entity }

  /// Adds the rows that a statement returns that ends in the entity's `returningKeys`.
  mutating func append(_ row: Statement) {
    let owner = entity.hierarchy == nil ? entity : entity.root.entity(numbered: row.int64(1))
    count += 1
    if let index = byEntity.firstIndex(where: { $0.0 === owner }) {
      byEntity[index].1.append(row.int64(0))
    } else {
      byEntity.append((owner, [row.int64(0)]))
    }
  }
}

extension EntityDescription {
  /// The end of a statement that returns which rows it has written.
  var returningKeys: String { hierarchy == nil ? " RETURNING Z_PK" : " RETURNING Z_PK, Z_ENT" }
}

/// The keys of rows that were written in one way.
enum RowKeys: Sendable {
  case range(first: Int64, count: Int)
  case list(KeyList)

  var count: Int {
    switch self {
    case .range(_, let count): count
    case .list(let keys): keys.count
    }
  }

  /// The keys below a key, and the others.
  func parted(at key: Int64) -> (RowKeys, RowKeys) {
    guard case .list(let keys) = self else { return (.range(first: 0, count: 0), self) }
    let all = keys[0..<keys.count]
    return (.list(KeyList(all.filter { $0 < key })), .list(KeyList(all.filter { $0 >= key })))
  }

  subscript(index: Int) -> Int64 {
    switch self {
    case .range(let first, _): first + Int64(index)
    case .list(let keys): keys[index]
    }
  }
}
