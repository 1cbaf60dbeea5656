// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Follows the delete rules in the database: rows to delete, references to set to nil, rows that
/// deny the deletion.
struct BatchDeletion {
  let returnsKeys: Bool
  /// By entity, in the order in which they were found.
  private var doomed: [(entity: EntityDescription, keys: Set<Int64>)] = []
  private var deleted: [(EntityDescription, [Int64])] = []
  private var nullified: [(entity: EntityDescription, keys: [Int64], property: String)] = []
  /// The destinations of a to-one with the deny rule, which are known only while the rows exist.
  private var denying: [(relationship: RelationshipDescription, owners: [Int64: Int64])] = []

  init(returnsKeys: Bool) { self.returnsKeys = returnsKeys }

  mutating func run(
    _ entity: EntityDescription, _ keys: [Int64], with writer: inout SaveWriter
  ) throws {
    try doom(entity, keys, &writer)
    for (entity, keys) in doomed {
      var gone = BatchKeys(entity)
      try writer.run(
        "DELETE FROM \(entity.table) WHERE Z_PK IN", keys,
        then: returnsKeys && entity.hierarchy != nil ? entity.returningKeys : ""
      ) { gone.append($0) }
      if returnsKeys {
        deleted += entity.hierarchy == nil ? [(entity, keys.sorted())] : gone.byEntity
      }
    }
    for (entity, keys) in doomed {
      for relationship in entity.tableRelationships { try applyRule(relationship, keys, &writer) }
    }
    for (relationship, owners) in denying {
      let gone = doomed.first { $0.entity === relationship.destination.root }?.keys ?? []
      if let owner = owners.first(where: { !gone.contains($0.key) })?.value {
        throw denied(relationship, owner)
      }
    }
  }

  var changes: BatchChanges {
    BatchChanges(
      count: doomed.reduce(0) { $0 + $1.keys.count },
      keys: deleted.map { ($0.0, $0.1.sorted()) }, nullified: nullified)
  }

  // MARK: - Rows to delete

  private mutating func doom(
    _ entity: EntityDescription, _ keys: [Int64], _ writer: inout SaveWriter
  ) throws {
    // Keys belong to a table, whichever of its entities the rows have.
    let entity = entity.root
    let index: Int
    if let known = doomed.firstIndex(where: { $0.entity === entity }) {
      index = known
    } else {
      index = doomed.count
      doomed.append((entity, []))
    }
    let new = keys.filter { doomed[index].keys.insert($0).inserted }
    guard !new.isEmpty else { return }
    for relationship in entity.tableRelationships {
      switch relationship.deleteRule {
      case .cascade:
        let others = try destinations(of: relationship, new, &writer)
        try doom(relationship.destination, others.map(\.destination), &writer)
      case .deny where relationship.column != nil:
        let others = try destinations(of: relationship, new, &writer)
        denying.append(
          (
            relationship,
            Dictionary(
              others.map { ($0.destination, $0.owner) }, uniquingKeysWith: { a, _ in a })
          ))
      default: break
      }
    }
  }

  private func destinations(
    of relationship: RelationshipDescription, _ keys: [Int64], _ writer: inout SaveWriter
  ) throws -> [(owner: Int64, destination: Int64)] {
    var pairs: [(owner: Int64, destination: Int64)] = []
    let table = relationship.destination.table
    let sql =
      switch relationship.storage {
      case .column(let column):
        "SELECT t0.Z_PK, t1.Z_PK FROM \(relationship.entity.table) t0 "
          + "JOIN \(table) t1 ON t1.Z_PK = t0.\(column) WHERE t0.Z_PK IN"
      case .inverseColumn(let column, _): "SELECT \(column), Z_PK FROM \(table) WHERE \(column) IN"
      case .joinTable(let table, let source, let destination, _):
        "SELECT \(source), \(destination) FROM \(table) WHERE \(source) IN"
      }
    try writer.run(sql, keys) { pairs.append(($0.int64(0), $0.int64(1))) }
    return pairs
  }

  // MARK: - Remaining references

  /// The rows to delete no longer exist, so the remaining references belong to other rows.
  private mutating func applyRule(
    _ relationship: RelationshipDescription, _ keys: Set<Int64>, _ writer: inout SaveWriter
  ) throws {
    switch relationship.storage {
    case .joinTable(let table, let source, let destination, _):
      if relationship.deleteRule == .deny {
        try refuse(
          relationship,
          "SELECT \(source) FROM \(table) JOIN \(relationship.destination.table) "
            + "ON Z_PK = \(destination) WHERE \(source) IN", keys, &writer)
      }
      try writer.run("DELETE FROM \(table) WHERE \(source) IN", keys)
      if relationship.inverse === relationship {
        try writer.run("DELETE FROM \(table) WHERE \(destination) IN", keys)
      }
    case .inverseColumn(let column, let order):
      try applyRule(relationship, column, order, keys, &writer)
    case .column:
      guard let inverse = relationship.inverse, let column = inverse.column else { return }
      try applyRule(relationship, column, nil, keys, &writer)
    }
  }

  private mutating func applyRule(
    _ relationship: RelationshipDescription, _ column: String, _ order: String?,
    _ keys: Set<Int64>, _ writer: inout SaveWriter
  ) throws {
    let table = relationship.destination.table
    switch relationship.deleteRule {
    case .noAction, .cascade: return
    case .nullify where relationship.inverse.isOptional:
      let columns = [column, order, relationship.inverse.entityColumn].compactMap(\.self)
        .map { "\($0) = NULL, " }.joined()
      try writer.checkVersions(table, column, keys)
      var changed = BatchKeys(relationship.destination)
      try writer.run(
        "UPDATE \(table) SET \(columns)Z_OPT = Z_OPT + 1 WHERE \(column) IN", keys,
        then: returnsKeys ? relationship.destination.returningKeys : ""
      ) { changed.append($0) }
      nullified += changed.byEntity.map { ($0, $1, relationship.inverse.name) }
    case .nullify, .deny:
      try refuse(relationship, "SELECT \(column) FROM \(table) WHERE \(column) IN", keys, &writer)
    }
  }

  private func refuse(
    _ relationship: RelationshipDescription, _ sql: String, _ keys: Set<Int64>,
    _ writer: inout SaveWriter
  ) throws {
    var owner: Int64?
    try writer.run(sql, keys) { owner = owner ?? $0.int64(0) }
    if let owner { throw denied(relationship, owner) }
  }

  private func denied(_ relationship: RelationshipDescription, _ owner: Int64) -> StoreError {
    .deletionDenied(
      ManagedObjectID(reference: relationship.entity.reference, primaryKey: owner),
      relationship: relationship.name)
  }
}

extension EntityDescription {
  /// Whether deleting a row may concern other rows.
  var isReferredTo: Bool {
    tableRelationships.contains { relationship in
      switch relationship.storage {
      case .column:
        relationship.deleteRule != .noAction
          && (relationship.deleteRule != .nullify || relationship.inverse.column != nil)
      case .inverseColumn: relationship.deleteRule != .noAction
      case .joinTable: true
      }
    }
  }
}

extension SaveWriter {
  /// The keys of the rows that refer to some keys.
  fileprivate func checkVersions(_ table: String, _ column: String, _ keys: Set<Int64>) throws {
    let keys = keys.sorted()
    for start in stride(from: 0, to: keys.count, by: 100_000) {
      let chunk = keys[start..<min(start + 100_000, keys.count)]
      try checkVersions(
        table, " AND \(column) IN (SELECT value FROM json_each(?))",
        [.string(JSONArray(keys: chunk).text)])
    }
  }

  /// Runs `… IN` for keys, in parts with about a megabyte of bound text.
  fileprivate mutating func run(
    _ sql: String, _ keys: some Sequence<Int64>, then end: String = "",
    row: (Statement) -> Void = { _ in }
  ) throws {
    let keys = keys.sorted()
    for start in stride(from: 0, to: keys.count, by: 100_000) {
      let chunk = keys[start..<min(start + 100_000, keys.count)]
      try run(
        sql + " (SELECT value FROM json_each(?))" + end, [.string(JSONArray(keys: chunk).text)],
        row: row)
    }
  }
}
