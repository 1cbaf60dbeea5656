// SPDX-License-Identifier: Apache-2.0

/// Joins the relationships of a model to their inverses, and names what the store keeps them in.
struct RelationshipLinker {
  let model: ManagedObjectModel

  func link() throws {
    for entity in model.entities {
      try setInverses(of: entity)
      nameColumns(of: entity)
    }
    for entity in model.entities {
      for relationship in entity.toManys where !relationship.inverse.isToMany {
        nameInverseColumn(of: relationship)
      }
    }
    try nameJoinTables()
  }

  private func setInverses(of entity: EntityDescription) throws {
    for relationship in entity.relationships {
      let declared = declaration(of: relationship)
      let name = declared?.inverseName
      guard let name, let inverse = relationship.destination.relationship(named: name),
        inverse.destination === entity, declaration(of: inverse)?.inverseName == relationship.name
      else {
        throw ModelError.mismatchedInverse(
          relationship: relationship.name, entity: entity.name, found: name)
      }
      relationship.inverse = inverse
    }
  }

  private func declaration(of relationship: RelationshipDescription) -> (any AnyRelationship)? {
    for property in relationship.entity.schema.properties where property.name == relationship.name {
      return property as? any AnyRelationship
    }
    return nil
  }

  /// Upper-cased names; two that clash are told apart by a number, as Core Data does.
  private func nameColumns(of entity: EntityDescription) {
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
    for attribute in entity.attributes { attribute.column = column(attribute.name) }
    for toOne in entity.toOnes { toOne.storage = .column(column(toOne.name)) }
  }

  private func nameInverseColumn(of relationship: RelationshipDescription) {
    guard let column = relationship.inverse.column else { return }
    relationship.storage = .inverseColumn(
      column, order: relationship.isOrdered ? "Z_FOK_" + column.dropFirst() : nil)
  }

  /// Each pair is named for the side with the lower entity id.
  private func nameJoinTables() throws {
    var used: Set<String> = []
    for entity in model.entities {
      for near in entity.toManys where near.inverse.isToMany {
        guard let far = near.inverse, far !== near else {
          throw ModelError.reflexiveManyToMany(relationship: near.name, entity: entity.name)
        }
        let isNamedForNear =
          (entity.entityID, near.name) < (far.entity.entityID, far.name)
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
        near.storage = .joinTable(
          table, source: "Z_" + toNear, destination: "Z_" + toFar,
          order: near.isOrdered ? "Z_FOK_" + toFar : nil)
        far.storage = .joinTable(
          table, source: "Z_" + toFar, destination: "Z_" + toNear,
          order: far.isOrdered ? "Z_FOK_" + toNear : nil)
      }
    }
  }
}
