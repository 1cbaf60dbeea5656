// SPDX-License-Identifier: Apache-2.0

extension AnyManagedObject {
  /// Sets the entity beside a to-one relationship to an entity with subentities.
  final func assignEntity(of value: StoreValue, _ slot: Int) {
    for toOne in entity.entityColumns where toOne.slot == slot {
      guard let entitySlot = toOne.entitySlot, !changes.isEmpty else { continue }
      // Also if the row has that entity: a merge may return a row with another one.
      changes[entitySlot] = changes[slot] == nil ? nil : toOne.entityValue(of: value)
    }
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
