// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Undoes every change since the last save.
  ///
  /// Children read the saved values from now on; see ``init(parent:concurrencyType:name:)``.
  public func rollback() {
    checkQueue("rollback")
    recordDiscard()
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
    discardMembersOfOwners()
    discardChanges()
    discardLost()
    faultError = nil
    undoManager?.removeAllActions()
  }

  /// Releases every object, changed or not; they must not be used afterwards.
  ///
  /// Controllers of fetched results fetch again. Children read the saved values from now on.
  public func reset() {
    checkQueue("reset")
    recordDiscard()
    followedDiscards = parentDiscards
    let discarded = observations.drainUnsaved(inserted + changed + deleted)
    detachAll()
    discardChanges()
    faultError = nil
    undoManager?.removeAllActions()
    notifyObservations(.refetch(discarded))
  }

  /// Makes an object a fault again, or reads its row again and keeps its changes.
  ///
  /// Changes written by another program are visible afterwards: older rows of the row cache are not
  /// used.
  ///
  /// - Throws: ``StoreError/objectGone(_:)`` if changes are to be kept and the row no longer
  ///   exists, and errors of SQLite.
  public func refresh(_ object: AnyManagedObject, mergeChanges: Bool) throws {
    checkQueue("refresh")
    guard !object.isInserted else { return }
    try checkDepth()
    try store.noticeForeignWrites()
    guard mergeChanges else {
      if object.state.contains(.updated) { changed.removeAll { $0 === object } }
      willChange(object)
      lost[ObjectIdentifier(object)] = nil
      observations.recordRefresh(of: object)
      return turnIntoFault(object)
    }
    guard try reread(object) else { throw StoreError.objectGone(object.objectID) }
    observations.recordRefresh(of: object)
  }

  /// Makes faults of all objects without changes; changed objects are read again and keep their
  /// changes.
  ///
  /// Objects that were changed here and deleted elsewhere are unchanged: the next save reports the
  /// conflict. An object that was only related to others counts as deleted, and its relationships
  /// are removed.
  ///
  /// - Throws: SQLite's errors.
  public func refreshAllObjects() throws {
    checkQueue("refreshAllObjects")
    try checkDepth()
    try store.noticeForeignWrites()
    let discards = parentDiscards
    if let parent { try returnToRows(of: parent) }
    var gone: [AnyManagedObject] = []
    for object in registeredObjects where !object.isInserted {
      if !object.hasChanges {
        turnIntoFault(object)
      } else if try !reread(object) {
        if object.isRemoved || !object.hasChangedValues {
          gone.append(object)
        } else {
          lost[ObjectIdentifier(object)] = object
        }
      }
    }
    detach(gone)
    followedDiscards = discards
    observations.recordRefreshOfAll()
  }

  /// Turns insertions into updates if the parent has the object: both contexts have undone its
  /// deletion.
  private func returnToRows(of parent: ManagedObjectContext) throws {
    // The id does not decide: a new object may have a permanent one before it has a row.
    for object in inserted {
      guard try hasRow(object, in: parent) else { continue }
      willChange(object)
      object.state.subtract([.inserted, .updated])
      _ = try reread(object)
      inserted.removeAll { $0 === object }
      if object.hasChangedValues
        || object.links?.toManys.contains(where: { $0?.hasChanges == true }) == true
      {
        object.markUpdated()
      }
    }
  }

  private func hasRow(_ object: AnyManagedObject, in parent: ManagedObjectContext) throws -> Bool {
    switch inherit(object, from: parent) {
    case .gone: return false
    case .row: return true
    case .asStored:
      var cost = QueryCost()
      let row = try store.row(
        of: object.entity, object.primaryKey, interests: interests, contextID: contextID,
        cost: &cost)
      return row != nil
    }
  }

  /// Reads the values that another context has saved of a loaded object, and keeps its changes
  /// here.
  func refreshValues(of object: AnyManagedObject) throws {
    if parent == nil, let row = store.cache.row(object.entity.index, object.primaryKey),
      !(row === RowSnapshot.deleted)
    {
      object.snapshot = row
      keepChanges(of: object)
      object.links?.discardDestinations()
    } else if object.hasChanges {
      _ = try reread(object)
    } else {
      turnIntoFault(object)
    }
  }

  /// Discards objects without changes whose rows are known to be deleted.
  func discardLost() {
    guard !lost.isEmpty else { return }
    let gone = lost.values.filter { !$0.isInserted && !$0.hasChangedValues }
    for object in gone { lost[ObjectIdentifier(object)] = nil }
    detach(gone.filter { $0.context === self })
  }

  /// Makes loaded objects without other changes read again the values that a save has derived.
  func discardDerived(_ rows: [DerivedRowKeys]) {
    for rows in rows {
      store.cache.evict(rows.keys, rows.tableIndex)
      for key in rows.keys {
        guard let object = registered(at: rows.tableIndex, key), !object.isRemoved,
          !object.isFault
        else { continue }
        if object.hasChanges {
          do { _ = try reread(object) } catch { recordFaultError(error) }
        } else {
          object.snapshot = nil
        }
      }
    }
  }

  private func turnIntoFault(_ object: AnyManagedObject) {
    guard !object.hooks.isEmpty, !object.isFault else { return dropValues(of: object) }
    object.notify(.willTurnIntoFault)
    dropValues(of: object)
    object.notify(.didTurnIntoFault)
  }

  private func dropValues(of object: AnyManagedObject) {
    object.snapshot = nil
    object.partial = nil
    object.links = nil
    object.changes = object.noChanges
    object.state.subtract([.updated, .inaccessible])
  }

  /// Reads a row, bypassing the row cache; false if it does not exist.
  private func reread(_ object: AnyManagedObject) throws -> Bool {
    if let parent {
      if case .gone = inherit(object, from: parent) { return false }
      object.snapshot = nil
      object.links?.discardUnchanged()
      guard try fire(object) else { return false }
      object.state.remove(.inaccessible)
      keepChanges(of: object)
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
    keepChanges(of: object)
    object.links?.discardUnchanged()
    return true
  }

  /// Applies unsaved changes to the row that was just read.
  private func keepChanges(of object: AnyManagedObject) {
    object.discardSavedChanges()
    if object.hasChanges { rebased.append(object) }
  }
}

extension AnyManagedObject {
  /// A change that is equal to the value in the row that was just read is not a change any longer.
  fileprivate final func discardSavedChanges() {
    guard let snapshot else { return }
    for slot in changes.indices {
      if let value = changes[slot], isSaved(value, in: snapshot, slot) { changes[slot] = nil }
    }
    entity.assignEntities(in: &changes)
  }
}
