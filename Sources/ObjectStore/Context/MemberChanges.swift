// SPDX-License-Identifier: Apache-2.0

/// The changes of a context to the members of a to-many relationship, collected once for all its
/// owners.
struct MemberChanges {
  private let context: ManagedObjectContext
  private let relationship: RelationshipDescription
  /// In a one-to-many: objects that were moved to another owner, with their current owners.
  private var moved: [(object: AnyManagedObject, owner: StoreValue)] = []

  init(_ context: ManagedObjectContext, of relationship: RelationshipDescription) {
    self.context = context
    self.relationship = relationship
    guard !relationship.inverse.isToMany, !context.changed.isEmpty || !context.inserted.isEmpty
    else { return }
    let slot = relationship.inverse.slot
    for other in context.changed + context.inserted
    where other.entity.isKind(of: relationship.destination) && !other.changes.isEmpty {
      if let owner = other.changes[slot] { moved.append((other, owner)) }
    }
  }

  /// Applies the unsaved changes to the members in the database.
  func apply(
    to saved: [AnyManagedObject], of owner: AnyManagedObject, _ link: ToManyLink
  ) -> [AnyManagedObject] {
    guard !relationship.inverse.isToMany else { return applyPairs(to: saved, link) }
    if moved.isEmpty, !saved.contains(where: \.isRemoved) { return saved }
    let known = Set(saved.map(ObjectIdentifier.init))
    var left: Set<ObjectIdentifier> = []
    var joined: [AnyManagedObject] = []
    for (other, value) in moved {
      if value != .object(owner.objectID) {
        left.insert(ObjectIdentifier(other))
      } else if !known.contains(ObjectIdentifier(other)) {
        joined.append(other)
      }
    }
    let kept = saved.filter { !left.contains(ObjectIdentifier($0)) }
    let members = kept + joined
    // The delete rules remove deleted objects from their owners; a fault may fire after that.
    let present = members.filter { !$0.isRemoved }
    if present.count < members.count || kept.count < saved.count || !joined.isEmpty {
      context.ownersOfChanged.append((owner, relationship.slot))
    }
    return present
  }

  private func applyPairs(to saved: [AnyManagedObject], _ link: ToManyLink) -> [AnyManagedObject] {
    guard !link.removed.isEmpty || !link.added.isEmpty else { return saved }
    let removed = Set(link.removed.map(ObjectIdentifier.init))
    // Another context may have saved the same pair.
    let known = link.added.isEmpty ? [] : Set(saved.map(ObjectIdentifier.init))
    return saved.filter { !removed.contains(ObjectIdentifier($0)) }
      + link.added.filter { !known.contains(ObjectIdentifier($0)) }
  }
}
