// SPDX-License-Identifier: Apache-2.0

/// One object as it was.
struct JournaledObject {
  let object: AnyManagedObject
  let state: AnyManagedObject.State
  private var snapshot: RowSnapshot?
  private let changes: [StoreValue?]
  private let links: ObjectRelationships?
  /// By slot: data of files that a save was about to remove.
  private var externalData: [Int: StoreValue] = [:]
  /// By slot: members that were loaded when a save was about to delete the object.
  private var savedMembers: [Int: [AnyManagedObject]] = [:]
  /// By slot: the changes of a save to members that were not loaded.
  private var savedPairs: [Int: PairChanges] = [:]

  init(_ object: AnyManagedObject) {
    self.object = object
    state = object.state
    snapshot = object.snapshot
    changes = object.changes
    links = object.links?.copy()
  }

  private var wasThere: Bool { state.isDisjoint(with: [.inaccessible, .deleted]) }

  /// Restores the object's state.
  func restore(in context: ManagedObjectContext) {
    context.unregister(object)
    object.state = state
    object.snapshot = snapshot
    // A reference may have been made before its object got a permanent id.
    object.changes = changes.map { $0.map(context.current) }
    // The image may be restored again.
    object.links = links?.copy()
    if !state.contains(.inaccessible) { context.register(object) }
  }

  /// Records the row that a save is about to overwrite, which is not loaded yet if the object is a
  /// fault.
  ///
  /// Reads the files that the save is about to remove, and keeps their data.
  ///
  /// - Parameter isSaved: whether the image is of a change that an earlier save has written.
  mutating func keepSavedValues(isSaved: Bool) throws {
    guard wasThere else { return }
    if snapshot == nil, !state.contains(.inserted) {
      snapshot = object.isRemoved ? object.readableRow() : object.snapshot
    }
    // The members of a deletion belong to the change that it is part of; to an earlier change they
    // would count as members that were there before it.
    if !isSaved { object.isRemoved ? keepMembers() : keepPairs() }
    for slot in object.entity.externalSlots where externalData[slot] == nil {
      guard object.isRemoved || !object.changes.isEmpty && object.changes[slot] != nil,
        let value = snapshot?.storeValue(slot, in: object.entity),
        case .external(let reference) = value
      else { continue }
      externalData[slot] = .data(try object.externalData(reference, slot))
    }
  }

  /// The delete rules have loaded the members of an object that is to be deleted.
  private mutating func keepMembers() {
    for relationship in object.entity.toManys where relationship.inverse.isToMany {
      let slot = relationship.slot
      let image = links?.toManys[slot]
      guard image?.members == nil, savedMembers[slot] == nil,
        let link = object.links?.toManys[slot], let members = link.members
      else { continue }
      let saved = members.filter { !link.added.contains($0) } + link.removed
      let removed = image?.removed ?? []
      savedMembers[slot] = saved.filter { !removed.contains($0) } + (image?.added ?? [])
    }
  }

  /// Another context's change may have added pairs to an object with members that are not loaded
  /// here.
  private mutating func keepPairs() {
    for relationship in object.entity.toManys where relationship.inverse.isToMany {
      let slot = relationship.slot
      let image = links?.toManys[slot]
      guard image?.members == nil else { continue }
      let pairs = PairChanges(from: image, to: object.links?.toManys[slot]) { [object] member in
        let link = member.links?.toManys[relationship.inverse.slot]
        return link?.added.contains { $0 === object } == true
      }
      savedPairs[slot] = pairs.isEmpty ? nil : pairs
    }
  }

  // MARK: - After a save

  /// Restores the insertion or deletion of the object; a state that was saved since becomes a
  /// change again.
  func restoreExistence(in context: ManagedObjectContext) {
    switch (wasThere, !object.isRemoved) {
    case (false, true): context.delete(object)
    case (true, false) where object.state.contains(.deleted):
      object.state.remove(.deleted)
      context.deleted.removeAll { $0 === object }
    // A fault that no row was found for was never there: only a reference led to it.
    case (true, false) where snapshot != nil || state.contains(.inserted):
      // Its key again, so that references to it hold.
      object.snapshot = nil
      object.links = nil
      object.changes = values(in: context)
      object.state = .inserted
      context.register(object)
      context.inserted.append(object)
    default: break
    }
  }

  /// Restores the object's former values and members.
  func restoreValues(in context: ManagedObjectContext) {
    guard wasThere, !object.isRemoved else { return }
    let entity = object.entity
    for (slot, value) in values(in: context).enumerated() {
      // Derived values are restored with their sources.
      guard slot < entity.attributes.count + entity.toOnes.count,
        slot >= entity.attributes.count || entity.attributes[slot].derivation == nil
      else { continue }
      if let value, object.unloadedValue(slot) != value { object.write(value, slot) }
    }
    for relationship in object.entity.toManys where relationship.inverse.isToMany {
      restoreMembers(relationship)
    }
  }

  /// Restores the members of an object that is inserted again: the objects that refer to it.
  ///
  /// The database contains none of them, unless the delete rule left the references there.
  func restoreOwnership(in context: ManagedObjectContext) {
    guard object.isInserted, !object.isRemoved else { return }
    for relationship in object.entity.toManys where !relationship.inverse.isToMany {
      let link = object.unloadedLink(relationship.slot)
      if relationship.deleteRule == .noAction {
        link.members = nil
        if relationship.isOrdered { link.members = object.members(relationship.slot) }
      } else {
        link.members = context.applyChanges(to: [], relationship, of: object, link)
      }
      link.isReordered = relationship.isOrdered && link.members?.isEmpty == false
    }
  }

  private func restoreMembers(_ relationship: RelationshipDescription) {
    let slot = relationship.slot
    guard let members = links?.toManys[slot]?.members ?? savedMembers[slot] else {
      return restorePairs(slot)
    }
    let wanted = Set(members)
    for member in object.members(slot) where !wanted.contains(member) {
      object.removeMember(member, slot)
    }
    for member in members where !member.isRemoved && !object.toManyLink(slot).isMember(member) {
      object.addMember(member, slot, at: nil)
    }
  }

  /// Restores the former order of members; other members come last.
  func restoreOrder() {
    guard !object.isRemoved else { return }
    for relationship in object.entity.toManys where relationship.isOrdered {
      let slot = relationship.slot
      guard let members = links?.toManys[slot]?.members, !members.isEmpty else { continue }
      let present = object.members(slot)
      let known = Set(members)
      let wanted =
        members.filter(Set(present).contains) + present.filter { !known.contains($0) }
      guard !wanted.elementsEqual(present, by: ===) else { continue }
      object.reorder(slot) { _ in wanted }
    }
  }

  private func restorePairs(_ slot: Int) {
    guard let pairs = savedPairs[slot] else { return }
    for member in pairs.inserted where object.toManyLink(slot).isMember(member) {
      object.removeMember(member, slot)
    }
    for member in pairs.deleted
    where !member.isRemoved && !object.toManyLink(slot).isMember(member) {
      object.addMember(member, slot, at: nil)
    }
  }

  /// By slot; nil if the object was a fault, and for slots that it does not have.
  private func values(in context: ManagedObjectContext) -> [StoreValue?] {
    (0..<object.entity.rowLayout.slotCount).map { slot in
      let attributes = object.entity.attributes
      // A slot of another entity of the table.
      if slot < attributes.count, !object.entity.has(attributes[slot]) { return nil }
      let value = changes.isEmpty ? nil : changes[slot]
      return (value ?? externalData[slot] ?? snapshot?.storeValue(slot, in: object.entity))
        .map { context.current($0) }
    }
  }
}

extension AnyManagedObject {
  /// Calls back for each object that this one refers to and that lacks it among its loaded members:
  /// an earlier undo has restored that object.
  final func forEachOwnerWithoutIt(_ body: (AnyManagedObject, _ slot: Int) -> Void) {
    guard !isRemoved, !isFault else { return }
    for toOne in entity.toOnes where entity.has(toOne) && toOne.inverse.isToMany {
      guard let owner = destination(toOne.slot), !owner.isRemoved,
        let link = owner.links?.toManys[toOne.inverse.slot], link.members != nil,
        !link.isMember(self)
      else { continue }
      body(owner, toOne.inverse.slot)
    }
  }
}

extension AnyManagedObject {
  /// Calls back for each ordered to-many that this object was put into.
  final func forEachOrderThatChanged(_ body: (AnyManagedObject, _ slot: Int) -> Void) {
    guard !isRemoved, !changes.isEmpty else { return }
    for toOne in entity.toOnes where entity.has(toOne) && toOne.inverse.isOrdered {
      guard case .object? = changes[toOne.slot], let owner = destination(toOne.slot),
        !owner.isRemoved
      else { continue }
      body(owner, toOne.inverse.slot)
    }
  }

  /// Makes the next save write the order of members; members that are not loaded keep their
  /// positions.
  final func reorder(_ slot: Int, _ order: ([AnyManagedObject]) -> [AnyManagedObject]) {
    let link = unloadedLink(slot)
    link.members = link.members.map(order)
    link.isReordered = true
    link.changeCount &+= 1
    markUpdated()
  }
}

/// The members that one image of a many-to-many has and another one does not.
private struct PairChanges {
  let inserted: [AnyManagedObject]
  let deleted: [AnyManagedObject]
  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty }

  /// - Parameter isNew: whether the other end of a pair that is to be deleted keeps it as added: a delete
  ///   rule that is followed twice leaves such a pair, and the store never had it.
  init(
    from old: ToManyLink?, to new: ToManyLink?, isNew: (AnyManagedObject) -> Bool
  ) {
    func difference(
      _ list: KeyPath<ToManyLink, [AnyManagedObject]>, _ a: ToManyLink?, _ b: ToManyLink?
    ) -> [AnyManagedObject] {
      let known = Set(b?[keyPath: list] ?? [])
      return (a?[keyPath: list] ?? []).filter { !known.contains($0) }
    }
    inserted = difference(\.added, new, old) + difference(\.removed, old, new)
    deleted =
      difference(\.removed, new, old).filter { !isNew($0) } + difference(\.added, old, new)
  }
}

extension ManagedObjectContext {
  /// A reference to an object that was saved since by the key that it has now.
  fileprivate func current(_ value: StoreValue) -> StoreValue {
    guard case .object(let id) = value, let key = permanentKeys[id.primaryKey] else { return value }
    return .object(ManagedObjectID(reference: id.reference, primaryKey: key))
  }
}
