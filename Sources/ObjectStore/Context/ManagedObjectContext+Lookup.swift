// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// The object of an id: the registered one, or a fault, without querying the store.
  ///
  /// - Throws: ``StoreError/unknownEntity(_:)`` if the id is of an entity of another model,
  ///   ``StoreError/foreignObject(_:)`` if it is of another store.
  public func object(with id: ManagedObjectID) throws -> AnyManagedObject {
    checkQueue("object(with:)")
    return object(try entity(id), id.primaryKey, origin: nil)
  }

  /// The object of an id, loaded.
  ///
  /// - Throws: ``StoreError/objectGone(_:)`` if the row does not exist, and the errors of
  ///   ``object(with:)``.
  public func existingObject(with id: ManagedObjectID) throws -> AnyManagedObject {
    let object = try object(with: id)
    guard object.isFault || object.state.contains(.inaccessible) else { return object }
    guard !object.state.contains(.erased), try fire(object) else { throw StoreError.objectGone(id) }
    return object
  }

  /// The object of an id, if this context has it.
  public func registeredObject(for id: ManagedObjectID) -> AnyManagedObject? {
    checkQueue("registeredObject(for:)")
    let key = permanentKeys[id.primaryKey] ?? id.primaryKey
    return (try? entity(id)).flatMap { registered($0, key) }
  }

  private func entity(_ id: ManagedObjectID) throws -> EntityDescription {
    guard let entity = store.model.entity(named: id.entityName) else {
      throw StoreError.unknownEntity(id.entityName)
    }
    guard id.reference === entity.reference || id.storeUUID == store.uuid else {
      throw StoreError.foreignObject(id)
    }
    return entity
  }

  func description<E: Entity>(of type: E.Type) -> EntityDescription {
    guard let entity = store.model.entity(of: type) else {
      fatalError("\(StoreError.unknownEntity(E.entityName))")
    }
    return entity
  }
}
