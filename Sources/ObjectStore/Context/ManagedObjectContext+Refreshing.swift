// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Undoes every change since the last save.
  public func rollback() {
    checkQueue("rollback")
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
    faultError = nil
    undoManager?.removeAllActions()
  }

  /// Lets go of every object, changed or not; they must not be used any more.
  public func reset() {
    checkQueue("reset")
    detachAll()
    forgetChanges()
    faultError = nil
    undoManager?.removeAllActions()
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
    try store.noticeForeignWrites()
    guard mergeChanges else {
      if object.state.contains(.updated) { changed.removeAll { $0 === object } }
      willChange(object)
      return turnIntoFault(object)
    }
    guard try reread(object) else { throw StoreError.objectGone(object.objectID) }
  }

  /// Makes faults of all objects but those with changes, which are read again and keep them.
  ///
  /// Objects that were changed here and deleted elsewhere stay as they are: the next save tells. One
  /// that was only related to others is gone, and what was related to it is no more.
  ///
  /// - Throws: what SQLite reports.
  public func refreshAllObjects() throws {
    checkQueue("refreshAllObjects")
    try store.noticeForeignWrites()
    var gone: [AnyManagedObject] = []
    for object in registeredObjects where !object.isInserted {
      if !object.hasChanges {
        turnIntoFault(object)
      } else if try !reread(object), object.isDeleted || !object.hasChangedValues {
        gone.append(object)
      }
    }
    forget(gone)
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
  }
}
