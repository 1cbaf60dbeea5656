// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  // MARK: - Notifying

  /// The changes of each user event from now on: after a ``perform(_:)``, a save, a merge or
  /// ``processPendingChanges()``.
  public var objectsDidChange: AsyncStream<ContextChanges> {
    let stream = changeNotices.stream()
    if eventJournal == nil { startEvent() }
    return stream
  }

  /// The changes that each save is about to write, from now on; sent after validation.
  public var willSave: AsyncStream<ContextChanges> { willSaveNotices.stream() }

  /// The changes that each save has written, from now on.
  public var didSave: AsyncStream<ContextChanges> { didSaveNotices.stream() }

  private func startEvent() {
    let journal = ChangeJournal(self)
    eventJournal = journal
    journals.append(journal)
  }

  /// Reports the changes since the last event, and makes them one step of the undo manager.
  func endEvent() {
    undoManager?.eventDidEnd()
    guard let journal = eventJournal, !journal.isEmpty else { return }
    journals.removeAll { $0 === journal }
    eventJournal = nil
    guard changeNotices.hasListeners else { return }
    let changes = ContextChanges(self, since: journal)
    if !changes.isEmpty { changeNotices.send(changes) }
    startEvent()
  }

  // MARK: - Merging

  /// Merges the changes that another context has saved.
  ///
  ///     for await changes in background.didSave { await view.perform { view.mergeChanges(from: changes) } }
  ///
  /// Loaded objects get their new values, from the row cache if possible, and keep unsaved changes.
  /// Objects that were deleted there are deleted here, unless they have unsaved changes: then a
  /// save reports the conflict.
  public func mergeChanges(from changes: ContextChanges) {
    checkQueue("mergeChanges")
    guard changes.contextID != contextID else { return }
    if changes.storeID != store.id {
      do { try store.noticeForeignWrites() } catch { recordFaultError(error) }
    }
    if changes.contextID == 0 { evictRows(of: changes) }
    var merged = ContextChanges(self)
    merged.inserted = changes.inserted
    merged.refreshed = changes.updated.filter { id in
      guard let object = registeredObject(for: id), !object.isFault else { return false }
      return adoptRow(of: object)
    }
    for id in changes.inserted { revive(registeredObject(for: id)) }
    for id in changes.deleted {
      guard let object = registeredObject(for: id), object.hasChanges else { continue }
      lost[ObjectIdentifier(object)] = object
    }
    let gone = changes.deleted.compactMap { registeredObject(for: $0) }
      .filter { !$0.isUpdated || !$0.hasChangedValues }
    merged.deleted = gone.map(\.objectID)
    detach(gone, keepsValues: true)
    for key in changes.toManys { discardMembers(key) }
    if !merged.isEmpty { changeNotices.send(merged) }
    notifyObservations(merging: changes)
  }

  /// Merges the changes of a batch or another process into each context, on its own queue.
  ///
  ///     let result = try background.execute(deletion)
  ///     ManagedObjectContext.mergeChanges(
  ///       fromRemoteContextSave: result.changes, into: [container.viewContext])
  ///
  /// A parent comes before its children. It waits for each context's queue.
  public static func mergeChanges(
    fromRemoteContextSave changes: ContextChanges, into contexts: [ManagedObjectContext]
  ) {
    for context in contexts {
      context.performAndWait { context.mergeChanges(from: changes) }
    }
  }

  /// Evicts changed rows from the row cache and from loaded to-many relationships, since nothing
  /// has updated them.
  private func evictRows(of changes: ContextChanges) {
    var tables: Set<Int> = []
    func forEachTable(_ ids: [ManagedObjectID], _ body: ([Int64], Int) -> Void) {
      for (name, ids) in Dictionary(grouping: ids, by: \.entityName) {
        guard let entity = store.model.entity(named: name) else { continue }
        tables.insert(entity.index)
        body(ids.map(\.primaryKey), entity.index)
      }
    }
    forEachTable(changes.inserted + changes.updated) { store.cache.evict($0, $1) }
    forEachTable(changes.deleted) {
      store.cache.insertDeleted($0, $1, savedIn: store.cache.epoch)
    }
    for object in registeredObjects where object.links != nil {
      for toMany in object.entity.toManys where tables.contains(toMany.destination.index) {
        discardMembers(
          .init(
            entity: object.entity.index, slot: toMany.slot, primaryKey: object.primaryKey))
      }
    }
  }

  /// An observer may list objects that the context does not hold at the moment.
  private func notifyObservations(merging changes: ContextChanges) {
    guard !observations.isEmpty else { return }
    // An id of an unknown entity belongs to another model's store.
    let there = (changes.inserted + changes.updated).compactMap { try? object(with: $0) }
    let gone = changes.deleted.compactMap { try? object(with: $0) }
    for object in gone where object.isFault { object.state.insert(.inaccessible) }
    notifyObservations(.changed(there + gone))
  }

  private func adoptRow(of object: AnyManagedObject) -> Bool {
    guard !object.isInserted, !object.state.contains(.inaccessible) else { return false }
    // Also for an object to be deleted: the delete rules use its current references.
    do { try refreshValues(of: object) } catch { recordFaultError(error) }
    return !object.isRemoved
  }

  /// Marks objects without a row as deleted, and removes unsaved references to them.
  ///
  /// - Parameter keepsValues: whether objects that are loaded can still be read.
  func detach(_ objects: [AnyManagedObject], keepsValues: Bool = false) {
    guard !objects.isEmpty else { return }
    let gone = Set(objects)
    if objects.contains(where: { $0.state.contains(.updated) }) {
      changed.removeAll(where: gone.contains)
    }
    if objects.contains(where: { $0.state.contains(.deleted) }) {
      deleted.removeAll(where: gone.contains)
    }
    for object in objects { detach(object, keepsValues) }
    dropReferences(to: objects)
  }

  private func detach(_ object: AnyManagedObject, _ keepsValues: Bool) {
    willChange(object)
    if !keepsValues { object.snapshot = nil }
    object.links = nil
    object.changes = object.noChanges
    object.state = .inaccessible
  }

  /// An object that was requested before its row existed, or with a row that exists again.
  private func revive(_ object: AnyManagedObject?) {
    guard let object else { return }
    let wasLost = lost.removeValue(forKey: ObjectIdentifier(object)) != nil
    guard object.state == .inaccessible else {
      if wasLost { _ = adoptRow(of: object) }
      return
    }
    object.state = []
    object.snapshot = nil
    object.links = nil
  }

  /// References that were made here and not saved would lead to no row: they are dropped, as if the
  /// objects had been deleted here with the rule to nullify.
  private func dropReferences(to gone: [AnyManagedObject]) {
    guard !gone.isEmpty, hasChanges else { return }
    let objects = Set(gone)
    for object in changed + inserted where !object.isRemoved {
      for toOne in object.entity.toOnes where toOne.inverse.deleteRule != .noAction {
        guard !object.changes.isEmpty, case .object? = object.changes[toOne.slot],
          let destination = object.destination(toOne.slot), objects.contains(destination)
        else { continue }
        object.linkDestination(nil, toOne.slot)
      }
      for toMany in object.entity.toManys {
        guard let added = object.links?.toManys[toMany.slot]?.added else { continue }
        for member in added where objects.contains(member) {
          object.unlinkMember(member, toMany.slot)
        }
      }
    }
  }

  /// Discards loaded members; they are loaded again when read, with unsaved changes and an unsaved
  /// order applied.
  private func discardMembers(_ key: ContextChanges.ToManyKey) {
    let owner = registered(at: key.entity, key.primaryKey)
    owner?.links?.toManys[key.slot]?.discardMembers()
  }
}

extension AnyManagedObject {
  /// Whether a save would write a value.
  final var hasChangedValues: Bool { changes.contains { $0 != nil } }
}
