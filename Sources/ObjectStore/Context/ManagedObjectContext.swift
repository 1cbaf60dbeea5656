// SPDX-License-Identifier: Apache-2.0

import StoreEvents
package import StoreInstruments
import Synchronization

/// A context in which objects are read, changed and saved; it has one object per row.
///
/// A context and its objects are used on the context's queue: within ``perform(_:)`` or
/// ``performAndWait(_:)``, or, for a main-queue context, on the main thread. A program that uses a
/// context on one thread at a time does not need these. `STORE_CONCURRENCY_DEBUG=1` traps on other
/// uses.
///
/// It keeps changed objects; any other object lives only while it is referenced elsewhere.
///
/// A context may be passed to another thread; its queue guards all its state.
public final class ManagedObjectContext: @unchecked Sendable {
  /// Unique within the process; in every event.
  public let contextID = ProcessCounter.nextContextID()
  /// A name for reports, in the event of the context's creation.
  public let name: String
  /// The queue of its work.
  public let concurrencyType: ConcurrencyType
  let queue: ContextQueue
  let checksQueue = ConcurrencyDebug.isOn
  /// The context that this one reads from and saves to; nil for the store.
  @exclusivity(unchecked) public private(set) var parent: ManagedObjectContext?
  /// The number of contexts from this one to the store.
  let depth: Int
  let store: PersistentStore
  let group: ContextGroup
  /// By table.
  @exclusivity(unchecked) private var registers: [ObjectRegister] = []
  private let ended = ReleasedObjects()
  /// The observers that are notified of an event's changes before the call returns.
  var observations = ContextObservations()
  /// New objects, some of which were deleted since.
  @exclusivity(unchecked) var inserted: [AnyManagedObject] = []
  /// Objects that were changed, some of which were inserted or deleted since.
  @exclusivity(unchecked) var changed: [AnyManagedObject] = []
  @exclusivity(unchecked) var deleted: [AnyManagedObject] = []
  /// The author of changes here, as recorded in the history; see ``StoreOptions/tracksHistory``.
  public var transactionAuthor: String?
  /// The error of an object that could not be read where nothing can be thrown, such as a damaged
  /// file.
  ///
  /// Its values were then nil, zero or empty; a save throws this error until
  /// ``rollback()`` or ``reset()``.
  public internal(set) var faultError: (any Error)?
  /// Whether an object counts as deleted when its row is found to be missing.
  ///
  /// Otherwise it stays a fault, and ``faultError`` makes the next save throw. A call that can
  /// throw, such as ``AnyManagedObject/value(forKey:)``, throws in both cases; nothing traps.
  public var shouldDeleteInaccessibleFaults = true
  /// How old a row of the row cache may be when a fault is fired with it; nil for any age.
  ///
  /// A loaded object is unchanged until it is refreshed.
  public var stalenessInterval: Duration? {
    didSet { staleness = stalenessInterval?.nanoseconds ?? .max }
  }
  @exclusivity(unchecked) private(set) var staleness = Nanoseconds.max
  /// The treatment of rows that another writer has changed since they were read.
  public var mergePolicy = MergePolicy.error
  /// The undo manager, if there is one.
  public var undoManager: ContextUndoManager? {
    didSet {
      if oldValue !== undoManager { oldValue?.attach(to: nil) }
      undoManager?.attach(to: self)
    }
  }
  /// Whether saves of other contexts to the store, or to the parent, are merged automatically.
  ///
  /// It is merged on the context's queue, as ``mergeChanges(from:)`` does it.
  public var automaticallyMergesChangesFromParent = false {
    didSet {
      saveObservers.remove(self)
      if automaticallyMergesChangesFromParent { saveObservers.add(self) }
    }
  }
  /// Record objects before they are changed.
  @exclusivity(unchecked) var journals: [ChangeJournal] = []
  /// The objects before the current user event, if an observer needs them.
  var eventJournal: ChangeJournal?
  let children = SaveObservers()
  /// Counts the rollbacks and resets that discarded unsaved changes, which children may have read.
  let discardCount = Atomic<Int>(0)
  /// The rollbacks and resets of all parents that this context has followed.
  var followedDiscards = 0
  /// Changed objects with rows that another context has deleted: they count as deleted once the
  /// changes are undone.
  var lost: [ObjectIdentifier: AnyManagedObject] = [:]
  /// Changed objects with rows that were read again since the delete rules were last followed.
  var rebased: [AnyManagedObject] = []
  /// Objects with members that were loaded when they differed from the saved ones, and the
  /// relationship's slot.
  var ownersOfChanged: [(object: AnyManagedObject, slot: Int)] = []
  let childSaveObservers = SaveObservers()
  let changeNotices = Broadcaster<ContextChanges>()
  let willSaveNotices = Broadcaster<ContextChanges>()
  let didSaveNotices = Broadcaster<ContextChanges>()
  /// Counts the saves that assigned permanent keys to objects, which children have to follow.
  let keyCount = Atomic<Int>(0)
  /// The sum of these counts of all parents that this context has followed.
  var followedKeys = 0
  /// Whether keys were adopted that the observations have not seen.
  var hasKeysToReport = false
  /// By temporary keys, the permanent keys of objects that were saved.
  var permanentKeys: [Int64: Int64] = [:]

  /// Makes a child of a context: it reads the parent's unsaved changes, and saves to the parent.
  ///
  /// When a parent discards changes with ``rollback()`` or ``reset()``, its children are refreshed
  /// before they fetch, save or end an event; their own changes stay. Contexts can be nested 100
  /// levels deep: below that, each fetch and save throws a ``StoreError``.
  ///
  ///     let edit = ManagedObjectContext(parent: container.viewContext)
  public convenience init(
    parent: ManagedObjectContext, concurrencyType: ConcurrencyType = .privateQueue,
    name: String = ""
  ) {
    self.init(
      in: parent.group, parent: parent, concurrencyType: concurrencyType, name: name)
    parent.children.add(self)
  }

  init(
    in group: ContextGroup, parent: ManagedObjectContext? = nil,
    concurrencyType: ConcurrencyType, name: String = ""
  ) {
    self.group = group
    store = group.store
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
    self.name = name
    self.concurrencyType = concurrencyType
    queue = ContextQueue(isMain: concurrencyType == .mainQueue)
    followedDiscards = parentDiscards
    followedKeys = parentKeyCount
    registers = makeRegisters()
    ended.contextDidBegin(self)
    store.instruments.emit(
      .contextCreated(
        ContextCreated(
          storeID: store.id, parentID: parent?.contextID ?? 0, queue: concurrencyType.rawValue,
          contextName: name)),
      contextID: contextID)
  }

  deinit {
    // In this order, because objects may be deallocated on other threads: their memory stays while
    // their register has them.
    let linked = registers.flatMap { $0.leaveObjects() }
    let entries = ended.contextDidEnd()
    for register in registers { register.contextDidEnd() }
    for entry in entries { entry.register.objectDidEnd(entry) }
    // Last, because this may deallocate objects, which must not find their context any longer.
    for object in linked { object.links = nil }
    releaseParents()
  }

  /// Releases parents that only this context keeps one after the other: the depth of the stack does
  /// not grow with their number.
  private func releaseParents() {
    var next = parent
    parent = nil
    while next != nil, isKnownUniquelyReferenced(&next) {
      let above = next?.parent
      next?.parent = nil
      next = above
    }
  }

  private func makeRegisters() -> [ObjectRegister] {
    store.model.entities.map { ObjectRegister(self, of: $0, ended) }
  }

  /// The observers of the saves of contexts with the same parent.
  var saveObservers: SaveObservers { parent?.childSaveObservers ?? group.saveObservers }

  var traits: ObjectTraits { group.traits }

  var interests: Interests { store.instruments.interests }
  /// For StoreExpectations, which watches for a while.
  package var instruments: Instruments { store.instruments }

  // MARK: - Uniquing

  func registered(_ entity: EntityDescription, _ primaryKey: Int64) -> AnyManagedObject? {
    registered(at: entity.index, primaryKey)
  }

  func registered(at index: Int, _ primaryKey: Int64) -> AnyManagedObject? {
    registers[index].object(primaryKey)
  }

  /// The object of a row: the existing one, or a fault.
  func object(
    _ entity: EntityDescription, _ primaryKey: Int64, origin: FetchOrigin?
  ) -> AnyManagedObject {
    if let object = registered(entity, primaryKey) { return object }
    if primaryKey < 0, let key = permanentKeys[primaryKey] {
      return object(entity, key, origin: origin)
    }
    // An object of this row may be registered under the temporary key still.
    if parent != nil, parentKeyCount != followedKeys {
      adoptKeys()
      return object(entity, primaryKey, origin: origin)
    }
    let object = makeObject(entity, primaryKey)
    if let origin { object.origin = origin }
    register(object)
    return object
  }

  func register(ofTable index: Int) -> ObjectRegister { registers[index] }

  /// An object that no register has.
  func makeObject(_ entity: EntityDescription, _ primaryKey: Int64) -> AnyManagedObject {
    traits.objectClass(of: entity).init(
      entity: .passUnretained(entity), primaryKey: primaryKey,
      register: .passUnretained(registers[entity.index]))
  }

  func register(_ object: AnyManagedObject) {
    queue.recordUse()
    registers[object.entity.index].insert(object)
  }

  func unregister(_ object: AnyManagedObject) { registers[object.table].remove(object) }

  /// Makes the queue remove objects from the registers that were deallocated elsewhere.
  func unregisterEndedLater() { queue.async { [weak self] in self?.unregisterEnded() } }

  private func unregisterEnded() {
    for entry in ended.drain() { entry.register.objectDidEnd(entry) }
  }

  /// The objects that the program, or the context itself, references.
  public var registeredObjects: [AnyManagedObject] {
    var objects: [AnyManagedObject] = []
    for register in registers { register.forEach { objects.append($0) } }
    return objects
  }

  /// Detaches every object: it keeps its loaded values, and loads nothing more.
  func detachAll() {
    unregisterEnded()
    let left = registers
    lost = [:]
    registers = makeRegisters()
    let linked = left.flatMap { $0.leaveObjects() }
    for register in left { register.contextDidEnd() }
    for object in linked { object.links = nil }
  }

  // MARK: - Changing

  /// Whether a save would write anything.
  public var hasChanges: Bool {
    !inserted.isEmpty || !deleted.isEmpty || changed.contains { $0.hasChanges }
  }

  /// Objects that the next save inserts.
  public var insertedObjects: [AnyManagedObject] { inserted.filter { !$0.isRemoved } }
  /// Objects that the next save updates, if a value of theirs differs from the saved one.
  public var updatedObjects: [AnyManagedObject] { changed.filter(\.isUpdated) }
  /// Objects that the next save deletes.
  public var deletedObjects: [AnyManagedObject] { deleted.filter { !$0.isInserted } }

  /// Makes a new object with its default values.
  public func insert<E: Entity>(_ type: E.Type) -> ManagedObject<E> {
    let entity = description(of: type)
    require(
      !entity.isAbstract, "entity \(entity.name) is abstract; insert an object of a subentity")
    return insert(entity).assumed(type)
  }

  /// Makes a new object of a named entity.
  ///
  /// - Throws: ``StoreError/unknownEntity(_:)``, ``StoreError/abstractEntity(_:)``.
  public func insert(entityNamed name: String) throws -> AnyManagedObject {
    guard let entity = store.model.entity(named: name) else { throw StoreError.unknownEntity(name) }
    guard !entity.isAbstract else { throw StoreError.abstractEntity(name) }
    return insert(entity)
  }

  private func insert(_ entity: EntityDescription) -> AnyManagedObject {
    checkQueue("insert")
    let object = makeObject(entity, ProcessCounter.nextTemporaryKey())
    object.state = .inaccessible
    willChange(object)
    object.state = .inserted
    object.changes = entity.defaultValues
    register(object)
    inserted.append(object)
    object.notify(.awakeFromInsert)
    return object
  }

  /// Marks an object to be deleted by the next save, which also follows the delete rules.
  public func delete(_ object: AnyManagedObject) {
    checkQueue("delete")
    require(object.context === self, "an object is deleted in its own context")
    guard !object.isRemoved else { return }
    object.notify(.prepareForDeletion)
    // The hook may have deleted it, with another object.
    guard !object.isRemoved else { return }
    willChange(object)
    object.state.insert(.deleted)
    deleted.append(object)
  }

  func recordUpdate(of object: AnyManagedObject) {
    if !object.isInserted { changed.append(object) }
  }

  func recordFaultError(_ error: any Error) { faultError = faultError ?? error }

  func discardChanges() {
    inserted = []
    changed = []
    deleted = []
    ownersOfChanged = []
  }
}
