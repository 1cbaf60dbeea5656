// SPDX-License-Identifier: Apache-2.0

/// What a context has changed of the members of a to-many relationship, looked up once for all its
/// owners.
struct MemberChanges {
  private let context: ManagedObjectContext
  private let relationship: RelationshipDescription
  /// Of a one-to-many: objects whose owner was changed, and the owners that they have now.
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

  /// Puts the unsaved changes over the members that the database has.
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
    // What was deleted leaves its owners by the delete rules, which a fault may come after.
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
