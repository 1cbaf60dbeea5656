// SPDX-License-Identifier: Apache-2.0

/// A save to a parent: its objects get the changes, and nothing is written.
extension ManagedObjectContext {
  /// Adopts the changes that a child saves, on this context's queue.
  func adopt(_ changes: ChangeSet, of child: ManagedObjectContext) throws {
    // Here no other thread can discard changes of this context meanwhile.
    guard child.followedDiscards == child.parentDiscards else { throw ParentDiscardedChanges() }
    try attempt { _ in
      let new = changes.inserted.map { insert($0) }
      defer { withExtendedLifetime(new) {} }
      // Objects without a reference would end in between, and with it the row that is compared
      // here.
      let kept = (changes.updated + changes.deleted).map { own($0) }
      defer { withExtendedLifetime(kept) {} }
      let all = changes.inserted + (try resolve(changes, child.mergePolicy))
      try dropReferences(of: all, changes.linked, child.mergePolicy)
      // Before any value is set: relationships are compared with the snapshots.
      for object in all { adoptSnapshot(of: object) }
      for object in all { adoptValues(of: object) }
      for object in changes.linked where !object.isRemoved { adoptMembers(of: object) }
      for object in changes.deleted { delete(own(object)) }
      // One undo takes back both; without undo the rules are followed once they are needed.
      if undoManager != nil { try followDeleteRules() }
    }
    notifyObservations()
    endEvent()
  }

  private func own(_ object: AnyManagedObject) -> AnyManagedObject {
    self.object(object.entity, permanentKeys[object.primaryKey] ?? object.primaryKey, origin: nil)
  }

  /// Makes the object that a child inserts.
  ///
  /// If a child has undone its deletion, it inserts an object again that existed before: the object
  /// of this context is then restored.
  private func insert(_ object: AnyManagedObject) -> AnyManagedObject {
    let key = permanentKeys[object.primaryKey] ?? object.primaryKey
    if let own = registered(object.entity, key) ?? (key > 0 ? own(object) : nil),
      restoreDeleted(own)
    {
      return own
    }
    let new = makeObject(object.entity, key)
    new.state = .inaccessible
    willChange(new)
    new.state = .inserted
    new.changes = object.entity.defaultValues
    register(new)
    inserted.append(new)
    return new
  }

  /// Makes an object exist again, or still; false if it has no row and was not to be inserted.
  private func restoreDeleted(_ own: AnyManagedObject) -> Bool {
    guard own.state.contains(.deleted) else { return !own.isGone }
    willChange(own)
    own.state.remove(.deleted)
    deleted.removeAll { $0 === own }
    return true
  }

  /// - Returns: the updated objects of which changes are adopted.
  private func resolve(
    _ changes: ChangeSet, _ policy: MergePolicy
  ) throws -> [AnyManagedObject] {
    guard policy == .error else { return changes.updated.filter { accept($0, policy) } }
    try checkConflicts(changes)
    return changes.updated
  }

  private func checkConflicts(_ changes: ChangeSet) throws {
    let conflicts = (changes.updated + changes.deleted).compactMap { object -> MergeConflict? in
      let own = own(object)
      if own.isGone { return object.isRemoved ? nil : MergeConflict(of: object, persisted: nil) }
      return disputedSlots(object, own).isEmpty
        ? nil : MergeConflict(of: object, persisted: own.currentRow)
    }
    guard conflicts.isEmpty else { throw StoreError.conflict(conflicts) }
  }

  /// The properties that the child would write, or all if it would delete the object, with values
  /// that have changed here since the child read them.
  private func disputedSlots(
    _ object: AnyManagedObject, _ own: AnyManagedObject
  ) -> [Int] {
    guard let read = object.snapshot else { return [] }
    // A fault here is fired: a sibling's change may have been saved to the store since.
    return (0..<object.entity.slotNames.count).filter { slot in
      let change = object.changes.isEmpty ? nil : object.changes[slot]
      guard object.isRemoved || change != nil, !object.entity.isExternal(slot) else { return false }
      // Also if both have written the same value: of two increments one would be lost.
      return !isSame(own.storeValue(slot), read.storeValue(slot, in: object.entity))
    }
  }

  /// Whether values are equal, references by the keys that their objects have now.
  private func isSame(_ a: StoreValue, _ b: StoreValue) -> Bool {
    guard case .object(let a) = a, case .object(let b) = b else { return a == b }
    return permanentKeys[a.primaryKey] ?? a.primaryKey == permanentKeys[b.primaryKey]
      ?? b.primaryKey
  }

  /// Whether any change of an updated object is adopted after the policy has resolved conflicts;
  /// the child's object becomes the result.
  private func accept(_ object: AnyManagedObject, _ policy: MergePolicy) -> Bool {
    let own = own(object)
    if own.isGone {
      guard policy == .objectTrump || policy == .overwrite else { return false }
      guard own.primaryKey > 0 || own.isInserted else {
        // It was never saved, and this context has discarded it: no row could be updated.
        object.context?.willChange(object)
        object.changes = object.changes.indices.map { object.storeValue($0) }
        return insert(object).isInserted
      }
      willChange(own)
      own.state.subtract([.deleted, .inaccessible])
      deleted.removeAll { $0 === own }
      return true
    }
    let disputed = disputedSlots(object, own)
    guard !disputed.isEmpty else { return true }
    object.context?.willChange(object)
    switch policy {
    case .error, .objectTrump: break
    case .storeTrump:
      for slot in disputed { object.changes[slot] = nil }
      object.entity.assignEntities(in: &object.changes)
    case .overwrite: object.changes = object.changes.indices.map { object.storeValue($0) }
    case .rollback: object.changes = object.noChanges
    }
    object.snapshot = own.currentRow
    return policy != .rollback
  }

  /// Drops references of the child to objects that were deleted here: the rules of their deletion
  /// were followed before the references were made.
  private func dropReferences(
    of objects: [AnyManagedObject], _ linked: [AnyManagedObject], _ policy: MergePolicy
  ) throws {
    var conflicts: [MergeConflict] = []
    for object in objects where !object.changes.isEmpty {
      for toOne in object.entity.toOnes {
        guard case .object? = object.changes[toOne.slot],
          let destination = object.destination(toOne.slot), isKnownToBeGone(destination)
        else { continue }
        if toOne.inverse.deleteRule == .noAction {
          // A row keeps the key of a row that is deleted; an object that was never saved has none.
          if permanentKeys[destination.primaryKey] ?? destination.primaryKey < 0 {
            object.linkDestination(nil, toOne.slot)
          }
          continue
        }
        conflicts.append(MergeConflict(of: destination, persisted: nil))
        if policy != .error { object.linkDestination(nil, toOne.slot) }
      }
    }
    for object in linked {
      for toMany in object.entity.toManys {
        let added = object.links?.toManys[toMany.slot]?.added ?? []
        for member in added where isKnownToBeGone(member) {
          conflicts.append(MergeConflict(of: member, persisted: nil))
          if policy != .error { object.unlinkMember(member, toMany.slot) }
        }
      }
    }
    if policy == .error, !conflicts.isEmpty { throw StoreError.conflict(conflicts) }
  }

  /// Whether an object of a child was deleted or discarded here, as far as is known without a query.
  private func isKnownToBeGone(_ object: AnyManagedObject) -> Bool {
    let key = permanentKeys[object.primaryKey] ?? object.primaryKey
    if let own = registered(object.entity, key) { return own.isRemoved }
    guard key < 0, case .gone = answer(object.entity, key) else { return false }
    return true
  }

  private func adoptSnapshot(of object: AnyManagedObject) {
    let own = own(object)
    if own.isFault { own.snapshot = object.snapshot }
  }

  private func adoptValues(of object: AnyManagedObject) {
    let own = own(object)
    for (slot, value) in object.changes.enumerated() {
      guard let value else { continue }
      guard slot < object.entity.attributes.count else {
        // The entity of a to-one's destination follows from the destination.
        guard slot < object.entity.attributes.count + object.entity.toOnes.count else { continue }
        own.setDestination(object.destination(slot).map { self.own($0) }, slot)
        continue
      }
      if object.entity.attributes[slot].derivation == nil { own.write(value, slot) }
    }
  }

  private func adoptMembers(of object: AnyManagedObject) {
    let own = own(object)
    for relationship in object.entity.toManys {
      guard let link = object.links?.toManys[relationship.slot], link.hasChanges else { continue }
      let slot = relationship.slot
      for member in link.removed { own.unlinkMember(self.own(member), slot) }
      for member in link.added {
        let member = self.own(member)
        if !own.unloadedLink(slot).isMember(member) { own.linkMember(member, slot, at: nil) }
      }
      if link.isReordered, let members = link.members {
        own.adoptOrder(members.map { self.own($0) }, slot, of: link)
      }
    }
  }
}

extension EntityDescription {
  /// Whether a value may be in a file: then it is not compared, because that would read the file.
  fileprivate func isExternal(_ slot: Int) -> Bool {
    slot < attributes.count && attributes[slot].allowsExternalBinaryDataStorage
  }
}

extension AnyManagedObject {
  /// Whether it was deleted, or is a fault without a row.
  fileprivate final var isGone: Bool { isRemoved || !isInserted && readableRow() == nil }

  /// The current values, including unsaved ones.
  fileprivate final var currentRow: RowSnapshot {
    makeRow(primaryKey: primaryKey, version: snapshot?.version ?? 0) { $0 }
  }

  /// Puts members in a child's order; members that the child does not have come last.
  fileprivate final func adoptOrder(
    _ members: [AnyManagedObject], _ slot: Int, of childLink: ToManyLink
  ) {
    context?.willChange(self)
    let link = unloadedLink(slot)
    let known = Set(members)
    let others = (link.members ?? []).filter { !known.contains($0) }
    link.members = members + others
    for (member, childMember) in zip(members, childLink.members ?? []) {
      link.orderKeys[ObjectIdentifier(member)] =
        link.orderKeys[ObjectIdentifier(member)]
        ?? childLink.orderKeys[ObjectIdentifier(childMember)]
    }
    link.isReordered = true
    markUpdated()
  }
}

extension ChangeSet {
  /// Makes the changes that the parent has adopted the saved state of the child's objects.
  func adopt(inChild context: ManagedObjectContext) {
    // A fault stays a fault if only the order of its members was changed.
    for object in inserted + updated where !object.isFault {
      object.snapshot = object.makeRow(
        primaryKey: object.primaryKey, version: object.snapshot?.version ?? 0
      ) { $0 }
    }
    for object in inserted + context.changed where !object.isRemoved {
      object.changes = object.noChanges
      object.state.subtract([.inserted, .updated])
      object.links?.toManys.forEach { $0?.discardChanges() }
      object.releaseOwners()
    }
    for object in context.deleted { context.evictRow(of: object) }
    context.discardChanges()
  }
}

extension MergeConflict {
  fileprivate init(of object: AnyManagedObject, persisted: RowSnapshot?) {
    self.init(
      SavePlan.Row(object, object.changes, object.snapshot), isDeletion: object.isRemoved,
      persisted: persisted)
  }
}
