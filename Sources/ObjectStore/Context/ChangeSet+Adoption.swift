// SPDX-License-Identifier: Apache-2.0

extension ChangeSet {
  /// Makes the written values the saved state of the objects, in the row cache too.
  func adopt(
    in context: ManagedObjectContext, _ outcome: SaveOutcome = SaveOutcome()
  ) {
    let epoch = outcome.cacheEpoch
    let (written, lost) = resolve(outcome.resolutions, in: context.store.cache, epoch)
    for object in written where !outcome.externalValues.isEmpty {
      for (slot, value) in outcome.externalValues[object.rowID] ?? [:] {
        object.changes[slot] = value
      }
    }
    // Objects from before an undone deletion: the cache treats their rows as deleted.
    for object in inserted where object.primaryKey > 0 {
      context.store.cache.evict([object.primaryKey], object.table)
    }
    // Before the keys change: rows refer to unsaved objects by their temporary keys.
    context.adoptSavedRows(of: written, savedIn: epoch)
    context.assignKeys(to: inserted)
    for object in inserted + context.changed where !object.isRemoved {
      object.changes = object.noChanges
      object.state.subtract([.inserted, .updated])
      object.links?.toManys.forEach { $0?.discardChanges() }
      object.releaseOwners(isSaved: true)
    }
    for object in lost {
      context.store.cache.insertDeleted(
        [object.primaryKey], object.entity.index, savedIn: epoch)
    }
    // Most are in both lists.
    for object in lost + context.deleted
    where object.isRemoved && !object.state.contains(.erased) {
      object.notify(.willTurnIntoFault)
      context.evictRow(of: object)
      object.notify(.didTurnIntoFault)
    }
    context.discardChanges()
  }

  /// Applies the resolutions of conflicts to their objects.
  ///
  /// - Returns: the objects that have a new row, and the objects that no longer have one.
  private func resolve(
    _ resolutions: [SavePlan.RowID: ConflictResolution], in cache: RowCache, _ epoch: UInt64
  ) -> (written: [AnyManagedObject], lost: [AnyManagedObject]) {
    var (written, lost) = (inserted, [AnyManagedObject]())
    if !resolutions.isEmpty { resolveReturned(resolutions, &written) }
    for object in updated + deleted {
      switch resolutions[object.rowID] {
      case .merged(let row, let changes)? where !object.isRemoved:
        object.snapshot = row
        object.changes = changes
        written.append(object)
      case .inserted(let values)?:
        cache.evict([object.primaryKey], object.entity.index)
        object.snapshot = nil
        object.changes = values
        written.append(object)
      case .kept(let row)?:
        object.keep(row)
        cache.insert(row, object.entity.index, savedIn: epoch)
      case .gone?:
        object.state.insert(.inaccessible)
        lost.append(object)
      case .merged?, nil:
        if object.isRemoved { lost.append(object) } else { written.append(object) }
      }
    }
    return (written, lost)
  }

  /// Applies the resolutions to objects that were to be inserted and already had a row.
  private func resolveReturned(
    _ resolutions: [SavePlan.RowID: ConflictResolution], _ written: inout [AnyManagedObject]
  ) {
    for object in inserted {
      switch resolutions[object.rowID] {
      case .merged(let row, let changes)?:
        object.snapshot = row
        object.changes = changes
      case .kept(let row)?:
        object.keep(row)
        written.removeAll { $0 === object }
      case .inserted?, .gone?, nil: break
      }
    }
  }
}

extension ManagedObjectContext {
  /// Sets the snapshots to the rows that the save has written, page by page, and adds them to the
  /// row cache.
  fileprivate func adoptSavedRows(of objects: [AnyManagedObject], savedIn epoch: UInt64) {
    var rest = objects[...]
    while let entity = rest.first?.entity {
      let alike = rest.prefix { $0.entity === entity }
      rest = rest.dropFirst(alike.count)
      var builder = RowBuilder(layout: entity.rowLayout, pageWords: RowBuilder.usualPageWords)
      var next = alike.startIndex
      for (index, object) in zip(alike.indices, alike) {
        object.fill(&builder) { permanent($0) }
        builder.end(
          primaryKey: object.isInserted ? object.newPrimaryKey : object.primaryKey,
          version: (object.snapshot?.version ?? 0) &+ 1)
        guard builder.isFull || index + 1 == alike.endIndex else { continue }
        let page = builder.takePage()
        page.forEach { row in
          alike[next].snapshot = RowSnapshot(page: page, pointer: row)
          next += 1
        }
        store.cache.insert(page, entity.index, savedIn: epoch)
      }
    }
  }

  fileprivate func assignKeys(to objects: [AnyManagedObject]) {
    let children = children.contexts
    let isRequested = undoManager != nil || !children.isEmpty
    var keys: [Int64: Int64] = [:]
    for object in objects where object.primaryKey < 0 {
      if isRequested { keys[object.primaryKey] = object.newPrimaryKey }
      unregister(object)
      object.primaryKey = object.newPrimaryKey
      register(object)
    }
    guard isRequested else { return permanentKeys = [:] }
    permanentKeys.merge(keys) { _, new in new }
    recordKeys(keys)
  }

  func evictRow(of object: AnyManagedObject) {
    unregister(object)
    object.links = nil
    object.changes = object.noChanges
    // Objects that another connection has deleted still count as deleted.
    object.state = object.state.contains(.deleted) ? [.inaccessible, .erased] : .inaccessible
  }

  /// A reference as the database keeps it: to an object of this save by its new key, to one that
  /// was never saved as NULL.
  func permanent(_ value: StoreValue) -> StoreValue {
    guard case .object(let id) = value, id.isTemporary, parent == nil else { return value }
    guard let entity = store.model.entity(named: id.entityName),
      let object = registered(entity, id.primaryKey), object.isInserted, !object.isRemoved
    else { return .null }
    // A damaged file may have rows with keys below zero.
    guard object.isInserted else { return value }
    return .object(ManagedObjectID(reference: id.reference, primaryKey: object.newPrimaryKey))
  }
}

extension AnyManagedObject {
  /// Makes a row the saved state of the object, and drops its changes.
  fileprivate final func keep(_ row: RowSnapshot) {
    snapshot = row
    links = nil
    changes = noChanges
    state.subtract([.inserted, .updated, .deleted])
  }

  /// A row of the object's values, unsaved ones too.
  final func makeRow(
    primaryKey: Int64, version: Int64, _ written: (StoreValue) -> StoreValue
  ) -> RowSnapshot {
    var builder = RowBuilder(layout: entity.rowLayout)
    fill(&builder, written)
    return builder.makeSnapshot(primaryKey: primaryKey, version: version)
  }

  fileprivate final func fill(
    _ builder: inout RowBuilder, _ written: (StoreValue) -> StoreValue
  ) {
    builder.begin()
    for slot in 0..<entity.rowLayout.slotCount {
      if let value = changes.isEmpty ? nil : changes[slot] {
        builder.set(slot, written(value))
      } else if let snapshot {
        builder.copy(slot, from: snapshot)
      } else {
        builder.setNull(slot)
      }
    }
  }
}
