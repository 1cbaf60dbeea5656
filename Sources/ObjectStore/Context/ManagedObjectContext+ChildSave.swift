// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments

/// A save to a parent: its objects get what was changed, and nothing is written.
extension ManagedObjectContext {
  /// Takes over what a child saves, on this context's queue.
  ///
  /// - Throws: ``StoreError/conflict(_:)`` for objects that were deleted here, if the child's policy
  ///   is to refuse that; this context is what it was then.
  func takeOver(_ changes: ChangeSet, of child: ManagedObjectContext) throws {
    try attempt { _ in
      for object in changes.inserted { insert(object) }
      let updated = try changes.updated.filter { try accept($0, child.mergePolicy) }
      let all = changes.inserted + updated
      // Before any value is set: what a relationship is compared with is known then.
      for object in all { adoptSnapshot(of: object) }
      for object in all { takeOverValues(of: object) }
      for object in changes.linked where !object.isDeleted { takeOverMembers(of: object) }
      for object in changes.deleted { delete(own(object)) }
    }
    tellObservations()
    endEvent()
  }

  private func own(_ object: AnyManagedObject) -> AnyManagedObject {
    self.object(object.entity, permanentKeys[object.primaryKey] ?? object.primaryKey, origin: nil)
  }

  private func insert(_ object: AnyManagedObject) {
    let new = makeObject(object.entity, object.primaryKey)
    new.state = .inaccessible
    willChange(new)
    new.state = .inserted
    new.changes = object.entity.defaultValues
    register(new)
    inserted.append(new)
  }

  private func accept(_ object: AnyManagedObject, _ policy: MergePolicy) throws -> Bool {
    let own = own(object)
    guard own.isDeleted else { return true }
    switch policy {
    case .error: throw StoreError.conflict([MergeConflict(object, persisted: nil)])
    case .storeTrump, .rollback: return false
    case .objectTrump, .overwrite:
      willChange(own)
      own.state.subtract([.deleted, .inaccessible])
      deleted.removeAll { $0 === own }
      return true
    }
  }

  private func adoptSnapshot(of object: AnyManagedObject) {
    let own = own(object)
    if own.isFault { own.snapshot = object.snapshot }
  }

  private func takeOverValues(of object: AnyManagedObject) {
    let own = own(object)
    for (slot, value) in object.changes.enumerated() {
      guard let value else { continue }
      guard slot < object.entity.attributes.count else {
        // The entity of what a to-one leads to follows from it.
        guard slot < object.entity.attributes.count + object.entity.toOnes.count else { continue }
        own.setDestination(object.destination(slot).map { self.own($0) }, slot)
        continue
      }
      if object.entity.attributes[slot].derivation == nil { own.write(value, slot) }
    }
  }

  private func takeOverMembers(of object: AnyManagedObject) {
    let own = own(object)
    for relationship in object.entity.toManys {
      guard let link = object.links?.toManys[relationship.slot], link.hasChanges else { continue }
      let slot = relationship.slot
      for member in link.removed { own.unlinkMember(self.own(member), slot) }
      for member in link.added {
        let member = self.own(member)
        let isMember = own.unloadedLink(slot).members?.contains { $0 === member } == true
        if !isMember { own.linkMember(member, slot, at: nil) }
      }
      if link.isReordered, let members = link.members {
        own.takeOverOrder(members.map { self.own($0) }, slot, of: link)
      }
    }
  }
}

extension AnyManagedObject {
  /// Puts members in a child's order; those that the child does not know come last.
  fileprivate final func takeOverOrder(
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
  /// Makes what the parent has taken over the saved state of the child's objects.
  func adopt(inChild context: ManagedObjectContext) {
    for object in inserted + updated {
      object.snapshot = object.makeRow(
        primaryKey: object.primaryKey, version: object.snapshot?.version ?? 0
      ) { $0 }
    }
    for object in inserted + context.changed where !object.isDeleted {
      object.changes = object.noChanges
      object.state.subtract([.inserted, .updated])
      object.links?.toManys.forEach { $0?.forgetChanges() }
      object.releaseOwners()
    }
    for object in context.deleted { context.forgetRow(of: object) }
    context.forgetChanges()
  }
}
