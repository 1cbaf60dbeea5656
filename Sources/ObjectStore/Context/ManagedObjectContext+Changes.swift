// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  // MARK: - Telling

  /// What each user event changes, from now on: after a ``perform(_:)``, a save, a merge or
  /// ``processPendingChanges()``.
  public var objectsDidChange: AsyncStream<ContextChanges> {
    let stream = changeNotices.stream()
    if eventJournal == nil { startEvent() }
    return stream
  }

  /// What each save is about to write, from now on; sent once it is known to be valid.
  public var willSave: AsyncStream<ContextChanges> { willSaveNotices.stream() }

  /// What each save has written, from now on.
  public var didSave: AsyncStream<ContextChanges> { didSaveNotices.stream() }

  private func startEvent() {
    let journal = ChangeJournal(self)
    eventJournal = journal
    journals.append(journal)
  }

  /// Tells what was changed since the last event, and makes it one step of the undo manager.
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

  /// Takes over what another context has saved.
  ///
  ///     for await changes in background.didSave { await view.perform { view.mergeChanges(from: changes) } }
  ///
  /// Loaded objects get their new values, from the row cache where it has them, and keep what was
  /// changed here; objects deleted there are gone here, unless they were changed here: then a save
  /// tells the conflict.
  public func mergeChanges(from changes: ContextChanges) {
    checkQueue("mergeChanges")
    guard changes.contextID != contextID else { return }
    if changes.storeID != store.id {
      do { try store.noticeForeignWrites() } catch { noteFaultError(error) }
    }
    var merged = ContextChanges(self)
    merged.inserted = changes.inserted
    merged.refreshed = changes.updated.filter { id in
      guard let object = registeredObject(for: id), !object.isFault else { return false }
      return takeOver(object)
    }
    merged.deleted = changes.deleted.filter { id in
      guard let object = registeredObject(for: id), !object.isUpdated else { return false }
      forget(object)
      return true
    }
    for key in changes.toManys { forgetMembers(key) }
    if !merged.isEmpty { changeNotices.send(merged) }
    tellObservations(merging: changes)
  }

  /// An observer may list objects that the context does not hold at the moment.
  private func tellObservations(merging changes: ContextChanges) {
    guard !observations.isEmpty else { return }
    // An id that the model does not know is of another model's store.
    let there = (changes.inserted + changes.updated).compactMap { try? object(with: $0) }
    let gone = changes.deleted.compactMap { try? object(with: $0) }
    for object in gone where object.isFault { object.state.insert(.inaccessible) }
    observations.tell(there + gone)
  }

  private func takeOver(_ object: AnyManagedObject) -> Bool {
    guard !object.isInserted, !object.isDeleted else { return false }
    do { try refreshValues(of: object) } catch { noteFaultError(error) }
    return true
  }

  private func forget(_ object: AnyManagedObject) {
    willChange(object)
    if object.state.contains(.deleted) { deleted.removeAll { $0 === object } }
    object.snapshot = nil
    object.links = nil
    object.changes = object.noChanges
    object.state = .inaccessible
  }

  /// The members are looked up again when they are asked for, and what was changed here is put over
  /// them; an order that was changed here stays.
  private func forgetMembers(_ key: ContextChanges.ToManyKey) {
    let owner = registered(at: key.entity, key.primaryKey)
    guard let link = owner?.links?.toManys[key.slot], !link.isReordered else { return }
    link.members = nil
    link.orderKeys = [:]
  }
}
