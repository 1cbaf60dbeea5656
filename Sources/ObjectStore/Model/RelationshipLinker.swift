// SPDX-License-Identifier: Apache-2.0

/// Links the relationships of a model to their inverses, and names their columns and tables.
struct RelationshipLinker {
  let entities: [EntityDescription]

  func link() throws {
    var problems = ModelProblems()
    for entity in entities {
      for relationship in entity.ownRelationships {
        try problems.collect { try setInverse(of: relationship) }
      }
    }
    try problems.check()
    for entity in entities where entity.superentity == nil { nameColumns(of: entity) }
    for entity in entities {
      for relationship in entity.ownRelationships
      where relationship.isToMany && !relationship.inverse.isToMany {
        nameInverseColumn(of: relationship)
      }
    }
    nameJoinTables()
  }

  private func setInverse(of relationship: RelationshipDescription) throws {
    let name = relationship.inverseName
    guard let name, let inverse = relationship.destination.relationship(named: name),
      inverse.destination === relationship.entity, inverse.inverseName == relationship.name,
      relationship.destination === inverse.entity
    else {
      throw ModelError.mismatchedInverse(
        relationship: relationship.name, entity: relationship.entity.name, found: name)
    }
    relationship.inverse = inverse
  }

  /// Upper-cased names; two that clash are distinguished by a number, as Core Data does.
  private func nameColumns(of root: EntityDescription) {
    var used: Set<String> = []
    func column(_ name: String) -> String { Self.unused("Z" + name.uppercased(), &used) }
    for attribute in root.attributes { attribute.column = column(attribute.name) }
    for toOne in root.toOnes {
      let name =
        toOne.isHidden
        ? column("\(toOne.destination.entityID)\(toOne.inverseName ?? "")") : column(toOne.name)
      toOne.storage = .column(name)
      let destination = toOne.destination
      toOne.entityColumn =
        destination.subentities.isEmpty
        ? nil : "Z\(destination.root.entityID)_\(name.dropFirst())"
    }
  }

  private func nameInverseColumn(of relationship: RelationshipDescription) {
    guard let column = relationship.inverse.column else { return }
    relationship.storage = .inverseColumn(
      column, order: relationship.isOrdered ? "Z_FOK_" + column.dropFirst() : nil)
  }

  /// Each table is named after the side with the lower entity id.
  ///
  /// Each column is named after the relationship that contains its objects, with numbers so that no
  /// two tables have the same name.
  private func nameJoinTables() {
    var usedTables: Set<String> = []
    var usedColumns: Set<String> = []
    for entity in entities {
      for near in entity.ownRelationships where near.isToMany && near.inverse.isToMany {
        guard let far = near.inverse else { continue }
        let isNamedForNear =
          (entity.entityID, near.name) <= (far.entity.entityID, far.name)
        guard isNamedForNear else { continue }
        let table = Self.unused("Z_\(entity.entityID)\(near.name.uppercased())", &usedTables)
        let toNear = Self.unused("Z_\(entity.entityID)\(far.name.uppercased())", &usedColumns)
        // A relationship that is its own inverse has a pair for each direction.
        let toFar =
          far === near
          ? "REFLEXIVE"
          : Self.unused("Z_\(far.entity.entityID)\(near.name.uppercased())", &usedColumns)
        near.storage = .joinTable(
          table, source: toNear, destination: toFar,
          order: near.isOrdered ? "Z_FOK_" + (far === near ? toNear : toFar).dropFirst(2) : nil)
        guard far !== near else { continue }
        far.storage = .joinTable(
          table, source: toFar, destination: toNear,
          order: far.isOrdered ? "Z_FOK_" + toNear.dropFirst(2) : nil)
      }
    }
  }

  /// The name, with a number if it is in use.
  private static func unused(_ name: String, _ used: inout Set<String>) -> String {
    var candidate = name
    var number = 0
    while !used.insert(candidate).inserted {
      number += 1
      candidate = name + String(number)
    }
    return candidate
  }
}

extension EntityDescription {
  /// Without inherited ones.
  var ownRelationships: [RelationshipDescription] { relationships.filter { $0.entity === self } }
}
