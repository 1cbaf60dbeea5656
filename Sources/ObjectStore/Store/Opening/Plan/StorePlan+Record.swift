// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// Conclusions from the record of the model that a file was last adapted to.
extension StorePlan {
  /// The leftovers that the record of this plan's model lists.
  var recordedLeftovers: Set<String> {
    var left = Set(leftovers.pairTables)
    left.formUnion(leftovers.entities.map { "\($0.number)" })
    for root in model.roots {
      for column in leftovers.columns[root.table] ?? [] {
        left.insert("\(root.entityID).\(column)")
      }
    }
    return left
  }

  /// Refuses bytes that are no JSON of the model's type: they would be read as an empty value.
  mutating func checkJSON(_ properties: [StoredProperty], of root: EntityDescription) throws {
    guard properties.contains(where: { $0.attribute?.codable != nil }) else { return }
    // A version that kept no types has read these values as well.
    let known = record?.codableTypes
    guard known != nil || metadata.validHashes == nil else { return }
    for (slot, property) in properties.enumerated() {
      guard let codable = property.attribute?.codable else { continue }
      for (table, found) in sources[root.name] ?? [:] {
        for column in Set(found.columns[slot].values).sorted()
        where known?.contains("\(fileRoot(of: table)).\(column) \(codable.type)") != true {
          mustRecord = true
          guard let key = try firstMisfit(column, of: table, codable) else { continue }
          note(
            "\(currentNames[table] ?? table).\(column) has a value that is no JSON of \(codable.type), "
              + "in row \(key)")
        }
      }
    }
  }

  private func firstMisfit(
    _ column: String, of table: String, _ codable: CodableType
  ) throws(SQLiteError) -> Int64? {
    let name = quoted(column)
    let rows = try connection.prepare(
      "SELECT Z_PK, \(name) FROM \(quoted(table)) WHERE \(name) IS NOT NULL")
    while try rows.step() {
      if !codable.canDecode(Data(rows.blob(1))) { return rows.int64(0) }
    }
    return nil
  }

  /// Values of a property that the last model lacked are there again; its references may lead to rows
  /// that were deleted in between, because the delete rules did not apply to them.
  mutating func planReturned(_ properties: [StoredProperty], of root: EntityDescription) throws {
    guard let left = record?.leftovers, !left.isEmpty else { return }
    for (slot, property) in properties.enumerated() {
      for (table, found) in sources[root.name] ?? [:] {
        for (column, kinds) in Dictionary(grouping: found.columns[slot], by: \.value) {
          let numbers = kinds.map(\.key).sorted().filter {
            left.contains("\(fileRoot(of: table)).\(column)") || left.contains("\($0)")
          }
          guard !numbers.isEmpty else { continue }
          if let toOne = property.toOne {
            try planReturned(toOne, KeyColumn(table: table, column: column, kinds: numbers))
          } else if left.contains("\(fileRoot(of: table)).\(column)") {
            try recordReturned(
              property.label, KeyColumn(table: table, column: column, kinds: numbers))
          }
        }
      }
    }
  }

  private mutating func recordReturned(_ label: String, _ column: KeyColumn) throws {
    guard try count(column) > 0 else { return }
    addFirst { $0.remark("\(label) has the values again that it had in an earlier model") }
  }

  private mutating func planReturned(
    _ toOne: RelationshipDescription, _ column: KeyColumn
  ) throws {
    guard let destination = sourceTable(of: toOne.destination),
      try countKeys(column, notIn: destination) > 0
    else { return }
    let name = quoted(column.column)
    let kinds = column.kinds.map(String.init).joined(separator: ", ")
    let sql =
      "UPDATE \(quoted(column.table)) SET \(name) = NULL WHERE Z_ENT IN (\(kinds)) "
      + "AND \(name) NOT IN (SELECT Z_PK FROM \(quoted(destination)))"
    addFirst { try $0.remove(sql, "\(toOne.entity.name).\(toOne.name)") }
  }

  /// The same for the pairs of a many-to-many.
  mutating func planReturnedPairs(
    _ near: RelationshipDescription, _ table: String, toNear: String, toFar: String
  ) throws {
    let numbers = [near.entity, near.destination].flatMap(\.kinds).map { "\($0.entityID)" }
    guard let left = record?.leftovers, left.contains(table) || !left.isDisjoint(with: numbers),
      let own = sourceTable(of: near.entity), let other = sourceTable(of: near.destination)
    else { return }
    let sql =
      "DELETE FROM \(quoted(table)) WHERE \(quoted(toNear)) NOT IN (SELECT Z_PK FROM \(quoted(other))) "
      + "OR \(quoted(toFar)) NOT IN (SELECT Z_PK FROM \(quoted(own)))"
    addFirst { try $0.remove(sql, "\(near.entity.name).\(near.name)") }
  }

  mutating func addFirst(_ run: @escaping (inout StoreMigration) throws -> Void) {
    steps.append(Step(differences: [], changesStructure: false, comesFirst: true, run: run))
  }
}

extension StoreMigration {
  /// Removes references to rows that do not exist.
  fileprivate mutating func remove(_ sql: String, _ label: String) throws {
    try connection.execute(sql)
    let count = connection.changes
    guard count > 0 else { return }
    remark(
      "removed \(count == 1 ? "1 reference" : "\(count) references") of \(label) to objects that were "
        + "deleted while the model lacked it")
  }
}
