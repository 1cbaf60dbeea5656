// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Undoes every change since the last save.
  ///
  /// Children read the saved values from now on; see ``init(parent:concurrencyType:name:)``.
  public func rollback() {
    checkQueue("rollback")
    noteDiscard()
    for object in changed + deleted + inserted {
      willChange(object)
      object.links = nil
      object.changes = object.noChanges
      if object.state.contains(.inserted) {
        unregister(object)
        object.state = .inaccessible
      } else {
        object.state.subtract([.updated, .deleted])
      }
    }
    forgetChanges()
    forgetLost()
    faultError = nil
    undoManager?.removeAllActions()
  }

  /// Lets go of every object, changed or not; they must not be used any more.
  ///
  /// Controllers of fetched results fetch again. Children read the saved values from now on.
  public func reset() {
    checkQueue("reset")
    noteDiscard()
    followedDiscards = parentDiscards
    let discarded = observations.takeUnsaved(inserted + changed + deleted)
    detachAll()
    forgetChanges()
    faultError = nil
    undoManager?.removeAllActions()
    tellObservations(.refetch(discarded))
  }

  /// Makes an object a fault again, or reads its row again and keeps what was changed.
  ///
  /// What another program has written since is seen: the row cache is asked no more for older rows.
  ///
  /// - Throws: ``StoreError/objectGone(_:)`` if changes are to be kept and the row is gone, and what
  ///   SQLite reports.
  public func refresh(_ object: AnyManagedObject, mergeChanges: Bool) throws {
    checkQueue("refresh")
    guard !object.isInserted else { return }
    try checkDepth()
    try store.noticeForeignWrites()
    guard mergeChanges else {
      if object.state.contains(.updated) { changed.removeAll { $0 === object } }
      willChange(object)
      lost[ObjectIdentifier(object)] = nil
      observations.noteRefresh(of: object)
      return turnIntoFault(object)
    }
    guard try reread(object) else { throw StoreError.objectGone(object.objectID) }
    observations.noteRefresh(of: object)
  }

  /// Makes faults of all objects but those with changes, which are read again and keep them.
  ///
  /// Objects that were changed here and deleted elsewhere stay as they are: the next save tells. One
  /// that was only related to others is gone, and what was related to it is no more.
  ///
  /// - Throws: what SQLite reports.
  public func refreshAllObjects() throws {
    checkQueue("refreshAllObjects")
    try checkDepth()
    try store.noticeForeignWrites()
    let discards = parentDiscards
    var gone: [AnyManagedObject] = []
    for object in registeredObjects where !object.isInserted {
      if !object.hasChanges {
        turnIntoFault(object)
      } else if try !reread(object) {
        if object.isDeleted || !object.hasChangedValues {
          gone.append(object)
        } else {
          lost[ObjectIdentifier(object)] = object
        }
      }
    }
    forget(gone)
    followedDiscards = discards
    observations.noteRefreshOfAll()
  }

  /// Gives a loaded object what another context has saved, and keeps what was changed here.
  func refreshValues(of object: AnyManagedObject) throws {
    if parent == nil, let row = store.cache.row(object.entity.index, object.primaryKey),
      !(row === RowSnapshot.deleted)
    {
      object.snapshot = row
      object.forgetSavedChanges()
      object.links?.forgetDestinations()
    } else if object.hasChanges {
      _ = try reread(object)
    } else {
      turnIntoFault(object)
    }
  }

  /// Objects whose rows are known to be deleted, and that keep no change of their own any more.
  func forgetLost() {
    guard !lost.isEmpty else { return }
    let gone = lost.values.filter { !$0.isInserted && !$0.hasChangedValues }
    for object in gone { lost[ObjectIdentifier(object)] = nil }
    forget(gone.filter { $0.context === self })
  }

  private func turnIntoFault(_ object: AnyManagedObject) {
    object.snapshot = nil
    object.partial = nil
    object.links = nil
    object.changes = object.noChanges
    object.state.subtract([.updated, .inaccessible])
  }

  /// Reads a row past the row cache; false if it is gone.
  private func reread(_ object: AnyManagedObject) throws -> Bool {
    if let parent {
      if case .gone = inherit(object, from: parent) { return false }
      object.snapshot = nil
      object.links?.forgetUnchanged()
      guard try fire(object) else { return false }
      object.state.remove(.inaccessible)
      object.forgetSavedChanges()
      return true
    }
    var cost = QueryCost()
    guard
      let row = try store.row(
        of: object.entity, object.primaryKey, interests: interests, contextID: contextID,
        cost: &cost)
    else { return false }
    object.snapshot = row
    object.state.remove(.inaccessible)
    lost[ObjectIdentifier(object)] = nil
    object.forgetSavedChanges()
    object.links?.forgetUnchanged()
    return true
  }
}

extension AnyManagedObject {
  /// What the row that was just read has as well is no change any more.
  fileprivate final func forgetSavedChanges() {
    guard let snapshot else { return }
    for slot in changes.indices {
      if let value = changes[slot], isSaved(value, in: snapshot, slot) { changes[slot] = nil }
    }
    entity.assignEntities(in: &changes)
  }
}
