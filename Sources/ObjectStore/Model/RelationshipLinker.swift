// SPDX-License-Identifier: Apache-2.0

/// Joins the relationships of a model to their inverses, and names what the store keeps them in.
struct RelationshipLinker {
  let entities: [EntityDescription]

  func link() throws {
    for entity in entities {
      for relationship in entity.ownRelationships { try setInverse(of: relationship) }
    }
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

  /// Upper-cased names; two that clash are told apart by a number, as Core Data does.
  private func nameColumns(of root: EntityDescription) {
    var used: Set<String> = []
    func column(_ name: String) -> String {
      let column = "Z" + name.uppercased()
      var candidate = column
      var number = 0
      while !used.insert(candidate).inserted {
        number += 1
        candidate = column + String(number)
      }
      return candidate
    }
    for attribute in root.attributes { attribute.column = column(attribute.name) }
    for toOne in root.toOnes {
      let name = column(toOne.name)
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

  /// Each pair is named for the side with the lower entity id.
  private func nameJoinTables() {
    var used: Set<String> = []
    for entity in entities {
      for near in entity.ownRelationships where near.isToMany && near.inverse.isToMany {
        guard let far = near.inverse else { continue }
        let isNamedForNear =
          (entity.entityID, near.name) <= (far.entity.entityID, far.name)
        guard isNamedForNear else { continue }
        var table = "Z_\(entity.entityID)\(near.name.uppercased())"
        let base = table
        var number = 0
        while !used.insert(table).inserted {
          number += 1
          table = base + String(number)
        }
        let toNear = "\(entity.entityID)\(far.name.uppercased())"
        let toFar = "\(far.entity.entityID)\(near.name.uppercased())"
        // A relationship that is its own inverse has a pair for each direction.
        near.storage = .joinTable(
          table, source: "Z_" + toNear, destination: far === near ? "REFLEXIVE" : "Z_" + toFar,
          order: near.isOrdered ? "Z_FOK_" + toFar : nil)
        guard far !== near else { continue }
        far.storage = .joinTable(
          table, source: "Z_" + toFar, destination: "Z_" + toNear,
          order: far.isOrdered ? "Z_FOK_" + toNear : nil)
      }
    }
  }
}

extension EntityDescription {
  /// Without those that it inherits.
  var ownRelationships: [RelationshipDescription] { relationships.filter { $0.entity === self } }
}
