// SPDX-License-Identifier: Apache-2.0

extension SaveWriter {
  /// Writes the changed pairs of many-to-many relationships.
  ///
  /// Both ends hold a changed pair; the end that the table is named for writes it.
  mutating func writePairs(_ objects: [AnyManagedObject]) throws {
    for object in objects where !object.isRemoved {
      for relationship in object.entity.toManys {
        guard case .joinTable(let table, let source, let destination, _) = relationship.storage,
          relationship.ownsJoinTable, let link = object.links?.toManys[relationship.slot]
        else { continue }
        for member in link.removed where !member.isInserted {
          try run(
            "DELETE FROM \(table) WHERE \(source) = ? AND \(destination) = ?",
            [key(object), key(member)])
        }
        for member in link.added where !member.isRemoved {
          try run(
            "INSERT OR IGNORE INTO \(table)(\(source), \(destination)) VALUES(?, ?)",
            [key(object), key(member)])
        }
      }
    }
    for object in objects where !object.isRemoved {
      for relationship in object.entity.toManys where relationship.isOrdered {
        try writePlaces(relationship, of: object)
      }
    }
  }

  /// Renumbers the members of an ordered many-to-many, in steps of 1,024 as Core Data does.
  private mutating func writePlaces(
    _ relationship: RelationshipDescription, of object: AnyManagedObject
  ) throws {
    guard
      case .joinTable(let table, let source, let destination, let order?) = relationship.storage,
      let link = object.links?.toManys[relationship.slot], link.isReordered
    else { return }
    for (index, member) in object.members(relationship.slot).enumerated() {
      let place = Int64(index + 1) * 1024
      guard link.orderKeys[ObjectIdentifier(member)] != place else { continue }
      link.orderKeys[ObjectIdentifier(member)] = place
      try run(
        "UPDATE \(table) SET \(order) = ? WHERE \(source) = ? AND \(destination) = ?",
        [.integer(place), key(object), key(member)])
    }
  }

  private func key(_ object: AnyManagedObject) -> StoreValue {
    .integer(object.isInserted ? object.newPrimaryKey : object.primaryKey)
  }
}
