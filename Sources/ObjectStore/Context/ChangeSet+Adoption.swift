// SPDX-License-Identifier: Apache-2.0

extension ChangeSet {
  /// Makes what was written the saved state of the objects, in the row cache too.
  func adopt(
    in context: ManagedObjectContext, _ outcome: SaveOutcome = SaveOutcome()
  ) {
    let (written, lost) = settle(outcome.resolutions, in: context.store.cache)
    var rows: [Int: [RowSnapshot]] = [:]
    for object in written {
      for (slot, value) in outcome.externalValues[ObjectIdentifier(object)] ?? [:] {
        object.changes[slot] = value
      }
      let row = object.makeSavedRow()
      rows[object.entity.index, default: []].append(row)
    }
    context.giveKeys(to: inserted)
    for (entity, rows) in rows { context.store.cache.insert(rows, entity) }
    for object in inserted + context.changed where !object.isDeleted {
      object.changes = object.noChanges
      object.state.subtract([.inserted, .updated])
      object.links?.toManys.forEach { $0?.forgetChanges() }
      object.releaseOwners()
    }
    for object in lost {
      context.store.cache.insertDeleted([object.primaryKey], object.entity.index)
    }
    for object in lost + context.deleted where object.isDeleted { context.forgetRow(of: object) }
    context.forgetChanges()
  }

  /// Gives the objects that conflicts were about what came of them.
  ///
  /// - Returns: the objects that have a new row now, and those that have none any more.
  private func settle(
    _ resolutions: [ObjectIdentifier: ConflictResolution], in cache: RowCache
  ) -> (written: [AnyManagedObject], lost: [AnyManagedObject]) {
    var (written, lost) = (inserted, [AnyManagedObject]())
    for object in updated + deleted {
      switch resolutions[ObjectIdentifier(object)] {
      case .merged(let row, let changes)? where !object.isDeleted:
        object.snapshot = row
        object.changes = changes
        written.append(object)
      case .inserted(let values)?:
        cache.remove([object.primaryKey], object.entity.index)
        object.snapshot = nil
        object.changes = values
        written.append(object)
      case .kept(let row)?:
        object.keep(row)
        cache.insert([row], object.entity.index)
      case .gone?:
        object.state.insert(.deleted)
        lost.append(object)
      case .merged?, nil:
        if object.isDeleted { lost.append(object) } else { written.append(object) }
      }
    }
    return (written, lost)
  }
}

extension ManagedObjectContext {
  fileprivate func giveKeys(to objects: [AnyManagedObject]) {
    var keys: [Int64: Int64] = [:]
    for object in objects {
      guard object.primaryKey < 0 else {
        // From before a deletion that was undone: the cache takes the row for deleted.
        store.cache.remove([object.primaryKey], object.entity.index)
        continue
      }
      keys[object.primaryKey] = object.newPrimaryKey
      unregister(object)
      object.primaryKey = object.newPrimaryKey
      register(object)
    }
    let children = children.contexts
    guard undoManager != nil || !children.isEmpty else { return permanentKeys = [:] }
    permanentKeys.merge(keys) { _, new in new }
    tellChildren(keys)
  }

  func forgetRow(of object: AnyManagedObject) {
    unregister(object)
    object.links = nil
    object.changes = object.noChanges
    object.state = .inaccessible
  }

  /// A reference as the database keeps it: to an object of this save by its new key, to one that
  /// was never saved as NULL.
  func permanent(_ value: StoreValue) -> StoreValue {
    guard case .object(let id) = value, id.isTemporary, parent == nil else { return value }
    guard let entity = store.model.entity(named: id.entityName),
      let object = registered(entity, id.primaryKey), !object.isDeleted
    else { return .null }
    return .object(ManagedObjectID(reference: id.reference, primaryKey: object.newPrimaryKey))
  }
}

extension AnyManagedObject {
  /// Takes a row for what the object is, and drops what was changed.
  fileprivate final func keep(_ row: RowSnapshot) {
    snapshot = row
    links = nil
    changes = noChanges
    state.subtract([.updated, .deleted])
  }

  /// Sets the snapshot to what the save has written, and gives it.
  fileprivate final func makeSavedRow() -> RowSnapshot {
    let row = makeRow(
      primaryKey: isInserted ? newPrimaryKey : primaryKey, version: (snapshot?.version ?? 0) + 1
    ) { context?.permanent($0) ?? $0 }
    snapshot = row
    return row
  }

  /// A row of the object's values, unsaved ones too.
  final func makeRow(
    primaryKey: Int64, version: Int64, _ written: (StoreValue) -> StoreValue
  ) -> RowSnapshot {
    var builder = RowBuilder(layout: entity.rowLayout)
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
    return builder.makeSnapshot(primaryKey: primaryKey, version: version)
  }
}
