// SPDX-License-Identifier: Apache-2.0

/// Queries of a child to its parent, each on the parent's queue.
extension ManagedObjectContext {
  /// A context's state of one of its store's rows.
  enum Answer {
    /// The saved row under this key, from this context and its parents.
    case asStored(Int64)
    /// Including unsaved changes.
    case row(RowSnapshot)
    /// Deleted, or never saved.
    case gone
  }

  /// The values of an object as a child sees them.
  func answer(_ entity: EntityDescription, _ primaryKey: Int64) -> Answer {
    let key = permanentKeys[primaryKey] ?? primaryKey
    if let object = registered(entity, key) {
      if object.isRemoved { return .gone }
      if object.isInserted || object.hasChanges || key < 0 {
        guard object.isInserted || object.readableRow() != nil else { return .gone }
        return .row(object.makeRow(primaryKey: key, version: object.snapshot?.version ?? 0) { $0 })
      }
      if let snapshot = object.snapshot { return .row(snapshot) }
    }
    if let parent { return parent.performAndWait { parent.answer(entity, key) } }
    return key < 0 ? .gone : .asStored(key)
  }

  /// Reads the values of an object from the parent, and sets the key that it has there.
  func inherit(_ object: AnyManagedObject, from parent: ManagedObjectContext) -> Answer {
    let answer = parent.performAndWait { parent.answer(object.entity, object.primaryKey) }
    switch answer {
    case .asStored(let key): rekey(object, key)
    case .row(let row): rekey(object, row.primaryKey)
    case .gone: break
    }
    return answer
  }

  /// Whether a parent has changes that are not saved.
  var inheritsChanges: Bool {
    guard let parent else { return false }
    return parent.performAndWait { parent.hasChanges || parent.inheritsChanges }
  }

  /// Sets the key under which an object was saved since.
  func rekey(_ object: AnyManagedObject, _ primaryKey: Int64) {
    guard object.primaryKey != primaryKey else { return }
    permanentKeys[object.primaryKey] = primaryKey
    unregister(object)
    object.primaryKey = primaryKey
    register(object)
  }

  /// Identifies a member of a to-many relationship in another context.
  struct MemberKey {
    let entity: EntityDescription
    let primaryKey: Int64
    let orderKey: Int64?
  }

  /// The members as a child sees them; nil to query the store, if there are no unsaved changes.
  func memberKeys(
    _ relationship: RelationshipDescription, of entity: EntityDescription, _ primaryKey: Int64
  ) -> [MemberKey]? {
    let key = permanentKeys[primaryKey] ?? primaryKey
    guard hasChanges || key < 0 else {
      guard let parent else { return nil }
      return parent.performAndWait { parent.memberKeys(relationship, of: entity, key) }
    }
    let link = object(entity, key, origin: nil).toManyLink(relationship.slot)
    return (link.members ?? []).filter { !$0.isRemoved }.map {
      MemberKey(
        entity: $0.entity, primaryKey: $0.primaryKey, orderKey: link.orderKeys[ObjectIdentifier($0)]
      )
    }
  }

  /// An object that a context has changed and not saved; without a row if it was deleted.
  struct UnsavedObject {
    let entity: EntityDescription
    let id: SavePlan.RowID
    let row: RowSnapshot?
  }

  /// The changes of this context and its parents to the requested objects.
  func unsavedObjects(_ isWanted: (AnyManagedObject) -> Bool) -> [UnsavedObject] {
    do { try followDeleteRules() } catch { recordFaultError(error) }
    var known: Set<SavePlan.RowID> = []
    var unsaved: [UnsavedObject] = []
    for object in changed + deleted + inserted
    where object.hasChanges && isWanted(object) && known.insert(object.rowID).inserted {
      let row =
        object.isRemoved || !object.isInserted && object.readableRow() == nil
        ? nil
        : object.makeRow(
          primaryKey: object.primaryKey, version: object.snapshot?.version ?? 0
        ) { $0 }
      unsaved.append(UnsavedObject(entity: object.entity, id: object.rowID, row: row))
    }
    guard let parent else { return unsaved }
    let inherited = parent.performAndWait { parent.unsavedObjects(isWanted) }
    return inherited.filter { !known.contains($0.id) } + unsaved
  }

  /// The objects that parents have changed and not saved, loaded with their values there.
  func inheritedChanges(_ isWanted: (AnyManagedObject) -> Bool) -> [AnyManagedObject] {
    guard let parent else { return [] }
    return parent.performAndWait { parent.unsavedObjects(isWanted) }.map { unsaved in
      let object = object(unsaved.entity, unsaved.id.key, origin: nil)
      if object.isFault {
        object.snapshot = unsaved.row
        if unsaved.row == nil { object.state.insert(.inaccessible) }
      }
      return object
    }
  }
}
