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

extension AnyManagedObject {
  /// The object as one of an entity that it belongs to or inherits from; otherwise nil.
  ///
  ///     for vehicle in try context.fetch(FetchRequest<Vehicle>()) {
  ///       if let bus = vehicle.as(NightBus.self) { print(bus.line) }
  ///     }
  ///
  /// Swift's own `as?` does not see that entities inherit: their classes are not related.
  public final func `as`<E: Entity>(_ type: E.Type) -> ManagedObject<E>? {
    schema.lineage.contains { $0.schema.type == type } ? assumed(type) : nil
  }

  // Not unsafeDowncast: the object of a subentity has that subentity's class. In a hierarchy,
  // ManagedObject works by the entity and by the key path, never by its own type; and its instances
  // have no storage but that of AnyManagedObject.
  @inlinable
  final func assumed<E: Entity>(_ type: E.Type) -> ManagedObject<E> {
    Unmanaged<ManagedObject<E>>.fromOpaque(Unmanaged.passUnretained(self).toOpaque())
      .takeUnretainedValue()
  }
}
