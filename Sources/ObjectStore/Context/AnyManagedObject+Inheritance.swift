// SPDX-License-Identifier: Apache-2.0

extension AnyManagedObject {
  /// Sets the entity beside a to-one relationship to an entity with subentities.
  final func assignEntity(of value: StoreValue, _ slot: Int) {
    for toOne in entity.entityColumns where toOne.slot == slot {
      guard let entitySlot = toOne.entitySlot, !changes.isEmpty else { continue }
      // Also where the row has that entity: a merge may bring a row with another one.
      changes[entitySlot] = changes[slot] == nil ? nil : toOne.entityValue(of: value)
    }
  }
}

extension EntityDescription {
  /// Sets the entities beside the references among changes; those of other references stay.
  func assignEntities(in changes: inout [StoreValue?]) {
    guard !changes.isEmpty else { return }
    for toOne in entityColumns {
      guard let entitySlot = toOne.entitySlot else { continue }
      changes[entitySlot] = changes[toOne.slot].map { toOne.entityValue(of: $0) }
    }
  }
}

extension RelationshipDescription {
  /// The `Z_ENT` of what an entity column stands beside.
  func entityValue(of value: StoreValue) -> StoreValue {
    guard case .object(let id) = value else { return .null }
    let entity = destination.kinds.first { $0.name == id.entityName }
    return .integer((entity ?? destination).entityID)
  }
}

extension ManagedObjectContext {
  /// The entity of an object that a relationship leads to.
  func entity(of id: ManagedObjectID, declared: EntityDescription) -> EntityDescription {
    declared.hierarchy == nil ? declared : store.model.entity(named: id.entityName) ?? declared
  }

  /// Whether an id is of an entity, or of one that inherits from it.
  func isKind(_ id: ManagedObjectID, _ entity: EntityDescription) -> Bool {
    store.model.entity(named: id.entityName)?.isKind(of: entity) == true
  }
}
