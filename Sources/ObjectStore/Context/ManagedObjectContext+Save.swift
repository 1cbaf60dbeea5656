// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension ManagedObjectContext {
  /// Writes all changes in one transaction, or none of them.
  ///
  ///     try context.save()
  ///     // BEGIN EXCLUSIVE
  ///     // SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?
  ///     // UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?
  ///     // INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)
  ///     // UPDATE ZSTOP SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?
  ///     // DELETE FROM ZSTOP WHERE Z_PK = ? AND Z_OPT = ?
  ///     // COMMIT
  ///
  /// A context with a parent writes nothing: the parent gets the changes, and saves them in turn.
  ///
  /// If it throws, nothing was written, and the context and its changes are as before.
  ///
  /// - Throws: ``StoreError``: `invalid` for values the model does not allow, `deletionDenied`,
  ///   `conflict` if a row was changed elsewhere since it was read and the ``mergePolicy`` is
  ///   to refuse that, `full`, `busy`.
  public func save(file: String = #fileID, line: UInt = #line) throws {
    checkQueue("save")
    try checkDepth()
    let location = SourceLocation(file: file, line: UInt64(line))
    while true {
      followKeys()
      try followDiscards()
      do { return try saveChanges(location) } catch is ParentDiscardedChanges { continue }
    }
  }

  private func saveChanges(_ location: SourceLocation) throws {
    // First: a change to an object that could not be read is none.
    if let faultError { throw faultError }
    guard hasChanges else { return }
    guard parent != nil || !store.isReadOnly else { throw StoreError.readOnly(path: store.path) }
    let (changes, outcome) = try attempt { _ in
      try followDeleteRules()
      try notifyWillSave()
      try checkDenials()
      let changes = ChangeSet(self)
      try changes.validate()
      if willSaveNotices.hasListeners {
        willSaveNotices.send(ContextChanges(self, saving: changes))
      }
      try undoManager?.contextWillSave()
      return (changes, try write(changes, location))
    }
    let isObserved = didSaveNotices.hasListeners || !saveObservers.isEmpty
    var saved = isObserved ? ContextChanges(self, saving: changes, outcome) : nil
    saved?.recordDerived(outcome.derived)
    endEvent()
    let event = consumeObservedEvent()
    if parent == nil {
      changes.adopt(in: self, outcome)
    } else {
      changes.adopt(inChild: self)
    }
    lost = [:]
    discardDerived(outcome.derived)
    if traits.hasHooks {
      for object in changes.inserted + changes.updated + changes.deleted { object.notify(.didSave) }
    }
    undoManager?.contextDidSave()
    // The resolution of a policy may change a value.
    notifyObservationsOfSave(
      after: event, resolved: mergePolicy == .error ? [] : changes.updated + changes.deleted)
    if let saved {
      didSaveNotices.send(saved)
      saveObservers.notify(saved)
    }
    if parent == nil { store.checkpointIfNeeded(contextID: contextID) }
  }

  /// Calls the hooks of the objects that the save writes, until none of them changes any.
  private func notifyWillSave() throws {
    guard traits.hasHooks else { return }
    var notified: [ObjectIdentifier: (AnyManagedObject.State, [StoreValue?])] = [:]
    for _ in 0..<Self.maxWillSaveRounds {
      let pending = (inserted + changed + deleted).filter { object in
        guard object.hasChanges, !object.hooks.isEmpty else { return false }
        return notified[ObjectIdentifier(object)].map { $0 != (object.state, object.changes) }
          ?? true
      }
      guard !pending.isEmpty else { return }
      for object in pending {
        notified[ObjectIdentifier(object)] = (object.state, object.changes)
        object.notify(.willSave)
      }
      try followDeleteRules()
    }
    throw StoreError.endlessWillSave
  }

  // Core Data's own limit: a hook that changes its object each time would never end.
  private static let maxWillSaveRounds = 1000

  var saveOrigin: SaveOrigin {
    SaveOrigin(contextID: contextID, contextName: name, author: transactionAuthor)
  }

  private func write(
    _ changes: ChangeSet, _ location: SourceLocation
  ) throws -> SaveOutcome {
    guard !changes.isEmpty else { return SaveOutcome(cacheEpoch: store.cache.epoch) }
    var operation = SaveOperation(
      of: store, by: saveOrigin, inserting: changes.inserted.count,
      updating: changes.updated.count, deleting: changes.deleted.count, location: location)
    if let parent {
      try operation.measure { _ in
        try parent.performAndWait { try parent.adopt(changes, of: self) }
      }
      return SaveOutcome()
    }
    let plan = changes.makePlan(mergePolicy)
    // The error of a row that could not be read.
    if let faultError { throw faultError }
    var outcome = SaveOutcome()
    try operation.run {
      try $0.write(plan)
      outcome = $0.outcome
      outcome.cacheEpoch = store.cache.epoch
    }
    outcome.derived = operation.derived
    for (object, key) in zip(changes.inserted, outcome.keys) { object.newPrimaryKey = key }
    changes.adoptOrderKeys(plan, outcome)
    return outcome
  }
}
