// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments

/// A place to read, change and save objects; one object stands for one row.
///
/// A context and its objects belong to one thread at a time. It keeps the objects that were
/// changed, and otherwise only those that somebody else keeps.
public final class ManagedObjectContext {
  /// Unique within the process; in every event.
  public let contextID = ProcessCounter.nextContextID()
  /// A name for people.
  public var name = ""
  let store: PersistentStore
  @exclusivity(unchecked) private var registers: [Register]
  /// New objects, some of which were deleted since.
  var inserted: [AnyManagedObject] = []
  /// Objects that were changed, some of which were inserted or deleted since.
  var changed: [AnyManagedObject] = []
  var deleted: [AnyManagedObject] = []
  /// Why an object could not be read where nothing can be thrown, such as a damaged file.
  ///
  /// Its values were then nil, zero or empty; ``save(file:line:)`` throws this error until
  /// ``rollback()`` or ``reset()``.
  public private(set) var faultError: (any Error)?

  /// The objects of one entity, by primary key; not retained.
  private final class Register {
    @exclusivity(unchecked) var objects = KeyTable<AnyManagedObject>()
  }

  init(store: PersistentStore) {
    self.store = store
    registers = store.model.entities.map { _ in Register() }
  }

  deinit { detachAll() }

  var interests: Interests { store.instruments.interests }

  // MARK: - Uniquing

  func registered(_ entity: EntityDescription, _ primaryKey: Int64) -> AnyManagedObject? {
    registers[entity.index].objects.value(primaryKey)?.takeUnretainedValue()
  }

  /// The object of a row: the one there is, or a fault.
  func object(
    _ entity: EntityDescription, _ primaryKey: Int64, origin: FetchOrigin?
  ) -> AnyManagedObject {
    if let object = registered(entity, primaryKey) { return object }
    let object = entity.schema.objectClass.init(
      entity: entity, primaryKey: primaryKey, context: self)
    object.origin = origin
    register(object)
    return object
  }

  func register(_ object: AnyManagedObject) {
    registers[object.entity.index].objects.set(object.primaryKey, .passUnretained(object))
  }

  func unregister(_ object: AnyManagedObject) {
    let register = registers[object.entity.index]
    guard
      register.objects.value(object.primaryKey)?.toOpaque()
        == Unmanaged.passUnretained(object).toOpaque()
    else { return }
    register.objects.remove(object.primaryKey)
  }

  /// Leaves every object on its own: it keeps what it has loaded, and loads nothing more.
  private func detachAll() {
    var linked: [AnyManagedObject] = []
    for register in registers {
      register.objects.forEach {
        $1._withUnsafeGuaranteedRef { object in
          object.context = nil
          if object.links != nil { linked.append(object) }
        }
      }
      register.objects = KeyTable()
    }
    // Last: this may end objects, which must not find their context any more.
    for object in linked { object.links = nil }
  }

  // MARK: - Looking up

  /// The object of an id: the registered one, or a fault, without asking the store.
  ///
  /// - Throws: ``StoreError/unknownEntity(_:)`` if the id is of an entity of another model.
  public func object(with id: ManagedObjectID) throws -> AnyManagedObject {
    object(try entity(id), id.primaryKey, origin: nil)
  }

  /// The object of an id, loaded.
  ///
  /// - Throws: ``StoreError/objectGone(_:)`` if there is no such row.
  public func existingObject(with id: ManagedObjectID) throws -> AnyManagedObject {
    let object = object(try entity(id), id.primaryKey, origin: nil)
    guard object.isFault else { return object }
    guard try fire(object) != nil else { throw StoreError.objectGone(id) }
    return object
  }

  /// The object of an id, if this context has it.
  public func registeredObject(for id: ManagedObjectID) -> AnyManagedObject? {
    store.model.entity(named: id.entityName).flatMap { registered($0, id.primaryKey) }
  }

  private func entity(_ id: ManagedObjectID) throws -> EntityDescription {
    guard let entity = store.model.entity(named: id.entityName) else {
      throw StoreError.unknownEntity(id.entityName)
    }
    return entity
  }

  func description<E: Entity>(of type: E.Type) -> EntityDescription {
    guard let entity = store.model.entity(of: type) else {
      preconditionFailure("\(StoreError.unknownEntity(E.entityName))")
    }
    return entity
  }

  // MARK: - Changing

  /// Whether a save would write anything.
  public var hasChanges: Bool {
    !inserted.isEmpty || !deleted.isEmpty || changed.contains { $0.hasChanges }
  }

  /// Objects that the next save inserts.
  public var insertedObjects: [AnyManagedObject] { inserted.filter { !$0.isDeleted } }
  /// Objects that the next save updates, if a value of theirs differs from the saved one.
  public var updatedObjects: [AnyManagedObject] { changed.filter(\.isUpdated) }
  /// Objects that the next save deletes.
  public var deletedObjects: [AnyManagedObject] { deleted.filter { !$0.isInserted } }

  /// Makes a new object with its default values.
  public func insert<E: Entity>(_ type: E.Type) -> ManagedObject<E> {
    unsafeDowncast(insert(description(of: type)), to: ManagedObject<E>.self)
  }

  /// Makes a new object of a named entity.
  ///
  /// - Throws: ``StoreError/unknownEntity(_:)``.
  public func insert(entityNamed name: String) throws -> AnyManagedObject {
    guard let entity = store.model.entity(named: name) else { throw StoreError.unknownEntity(name) }
    return insert(entity)
  }

  private func insert(_ entity: EntityDescription) -> AnyManagedObject {
    let object = entity.schema.objectClass.init(
      entity: entity, primaryKey: ProcessCounter.nextTemporaryKey(), context: self)
    object.state = .inserted
    object.changes = entity.defaultValues
    register(object)
    inserted.append(object)
    return object
  }

  /// Marks an object to be deleted by the next save, which also follows the delete rules.
  public func delete(_ object: AnyManagedObject) {
    precondition(object.context === self, "an object is deleted in its own context")
    guard !object.isDeleted else { return }
    object.state.insert(.deleted)
    deleted.append(object)
  }

  func noteUpdate(of object: AnyManagedObject) {
    if !object.isInserted { changed.append(object) }
  }

  func noteFaultError(_ error: any Error) { faultError = faultError ?? error }

  // MARK: - Forgetting

  /// Undoes every change since the last save.
  public func rollback() {
    for object in changed + deleted + inserted {
      object.links = nil
      object.changes = []
      if object.state.contains(.inserted) {
        unregister(object)
        object.state = .inaccessible
      } else {
        object.state.subtract([.updated, .deleted])
      }
    }
    forgetChanges()
    faultError = nil
  }

  /// Lets go of every object, changed or not; they must not be used any more.
  public func reset() {
    detachAll()
    forgetChanges()
    faultError = nil
  }

  func forgetChanges() {
    inserted = []
    changed = []
    deleted = []
  }

  /// Makes an object a fault again, or reads its row again and keeps what was changed.
  ///
  /// - Throws: ``StoreError/objectGone(_:)`` if changes are to be kept and the row is gone.
  public func refresh(_ object: AnyManagedObject, mergeChanges: Bool) throws {
    guard !object.isInserted else { return }
    guard mergeChanges else {
      object.snapshot = nil
      object.links = nil
      object.changes = []
      object.state.remove(.updated)
      changed.removeAll { $0 === object }
      return
    }
    var cost = QueryCost()
    guard
      let row = try store.row(
        of: object.entity, object.primaryKey, interests: interests, contextID: contextID,
        cost: &cost)
    else { throw StoreError.objectGone(object.objectID) }
    object.snapshot = row
    if object.links?.toManys.allSatisfy({ $0?.hasChanges != true }) == true { object.links = nil }
  }
}
