// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// Refuses to adopt a column with keys of another entity's objects: its rows would be related to
/// any rows with the same keys.
extension StorePlan {
  /// A column of the file that holds the keys of destinations.
  struct KeyColumn {
    let table: String
    let column: String
    /// The numbers of the entities with rows that have keys there.
    let kinds: [Int64]
  }

  mutating func checkDestinations() throws {
    guard !isChecked else { return }
    for root in model.roots {
      for (slot, property) in StoredProperty.all(of: root).enumerated() {
        guard let toOne = property.toOne else { continue }
        for (table, found) in (sources[root.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
          let columns = Dictionary(grouping: found.columns[slot], by: \.value)
          for (column, kinds) in columns.sorted(by: { $0.key < $1.key }) {
            try check(toOne, KeyColumn(table: table, column: column, kinds: kinds.map(\.key)))
          }
        }
      }
    }
  }

  /// Notes a former destination that the relationship's rows cannot keep.
  mutating func check(_ relationship: RelationshipDescription, _ column: KeyColumn) throws {
    let destination = relationship.destination
    let label = relationship.label
    if try wasAttribute(column), try count(column) > 0 {
      return note(
        "\(label) leads to \(destination.name) in the model, and is an attribute in the file")
    }
    guard let former = formerDestination(of: relationship, column) else {
      return try checkKeys(of: relationship, label, column)
    }
    guard former != destination.entityID else { return }
    let entity = file.entity(numbered: former)
    if let entity, keepsKeys(of: entity, for: destination) {
      let others = try strangers(among: column, in: file.tableName(of: entity), for: destination)
      guard others > 0 else { return }
      return note(
        "\(label) leads to \(destination.name) in the model, and "
          + "\(others == 1 ? "1 row leads" : "\(others) rows lead") to an object that is none")
    }
    let count = try self.count(column)
    guard count > 0 else { return }
    note(
      "\(label) leads to \(destination.name) in the model and to "
        + "\(entity?.name ?? "an entity that it lacks") in the file, where "
        + (count == 1 ? "1 row has a value" : "\(count) rows have a value"))
  }

  // MARK: - Findings from the file

  /// Whether the model that the file was last adapted to had numbers there.
  private func wasAttribute(_ column: KeyColumn) throws -> Bool {
    let key = StoreMetadata.key(fileRoot(of: column.table), column.column)
    return metadata.relationshipNames != nil && destinations[key] == nil
      && record?.leftovers.contains(key) == false
  }

  /// The number of the entity that the file's column leads to; nil if nothing shows it.
  private func formerDestination(
    of relationship: RelationshipDescription, _ column: KeyColumn
  ) -> Int64? {
    if let first = file.entities(in: column.table).first,
      let known = destinations[StoreMetadata.key(file.root(of: first).number, column.column)]
    {
      return known
    }
    guard let hashes = metadata.validHashes else { return nil }
    let (entity, destination) = (relationship.entity, relationship.destination)
    func hasSameHash(_ entity: EntityDescription) -> Bool {
      match.inFile[entity.name]?.name == entity.name && hashes[entity.name] == entity.versionHash
    }
    // The hash of either end contains the other one.
    if hasSameHash(entity) || !relationship.inverse.isHidden && hasSameHash(destination) {
      return destination.entityID
    }
    guard let hash = hashes[entity.name] else { return nil }
    return file.entities.first {
      entity.versionHash(withDestination: $0.name, of: relationship) == hash
    }?.number
  }

  /// Whether a column with keys of an entity of the file can keep them for an entity of the model:
  /// both are in one table, whose keys stay, or change there as well.
  private func keepsKeys(
    of former: FileStructure.Entity, for destination: EntityDescription
  ) -> Bool {
    let table = file.tableName(of: former)
    guard rootAfter(former) === destination.root else { return false }
    guard let source = sourceTable(of: destination) else {
      return homes[destination.root.name] == table
    }
    return source == table
  }

  /// How many rows lead to objects of other entities.
  private func strangers(
    among column: KeyColumn, in table: String, for destination: EntityDescription
  ) throws -> Int64 {
    var numbers = Set(destination.kinds.map(\.entityID))
    // Rows of entities that the model lacks stay with their parent.
    for entity in file.entities where match.inModel[entity.number] == nil {
      var next: FileStructure.Entity? = entity
      for _ in file.entities.indices {
        guard let current = next, current.superNumber != 0 else { break }
        if numbers.contains(current.superNumber) { numbers.insert(entity.number) }
        next = file.entity(numbered: current.superNumber)
      }
    }
    let list = numbers.map(String.init).joined(separator: ", ")
    let others = "SELECT Z_PK FROM \(quoted(table)) WHERE Z_ENT NOT IN (\(list))"
    return try count(column, " AND \(quoted(column.column)) IN (\(others))")
  }

  /// Concludes from the keys alone: no key refers to a table that is not there, and if all are keys
  /// of one other table, and not all of this one, they refer to that table.
  private mutating func checkKeys(
    of relationship: RelationshipDescription, _ label: String, _ column: KeyColumn
  ) throws {
    let destination = relationship.destination
    guard destination.root.kinds.contains(where: { sourceTable(of: $0) != nil }) else {
      let count = try self.count(column)
      guard count > 0 else { return }
      return note(
        "\(label) leads to \(destination.name), which the file lacks, and "
          + (count == 1 ? "1 row there has a value" : "\(count) rows there have a value"))
    }
    guard metadata.validHashes != nil, let table = sourceTable(of: destination) else { return }
    let unknown = try countKeys(column, notIn: table)
    guard unknown > 0 else { return }
    for other in file.entities where file.root(of: other) == other {
      let name = file.tableName(of: other)
      guard name != table, file.tables[name] != nil, try countKeys(column, notIn: name) == 0
      else { continue }
      return note(
        "\(label) leads to \(destination.name), and "
          + (unknown == 1 ? "1 row there has the key" : "\(unknown) rows there have keys")
          + " of none; all have keys of \(other.name)")
    }
  }

  func countKeys(_ column: KeyColumn, notIn table: String) throws -> Int64 {
    try count(column, " AND \(quoted(column.column)) NOT IN (SELECT Z_PK FROM \(quoted(table)))")
  }

  /// How many rows have a key.
  func count(_ column: KeyColumn, _ condition: String = "") throws -> Int64 {
    let kinds = column.kinds.map(String.init).joined(separator: ", ")
    return try integers(
      "SELECT count(*) FROM \(quoted(column.table)) WHERE \(quoted(column.column)) IS NOT NULL "
        + "AND Z_ENT IN (\(kinds))" + condition
    ).first ?? 0
  }
}
