// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Applies the delete rules to the other ends of deleted objects, once the other ends of merged
  /// one-to-ones are as they were set here.
  func followDeleteRules() throws {
    unlinkReplaced()
    var next = 0
    while next < deleted.count {
      let object = deleted[next]
      for relationship in object.entity.relationships {
        try follow(relationship, of: object)
      }
      next += 1
    }
    if let faultError { throw faultError }
  }

  /// To be called once all rules were followed: another deletion may have emptied a relationship.
  func checkDenials() throws {
    for object in deleted {
      for relationship in object.entity.relationships where relationship.deleteRule == .deny {
        guard try others(relationship, of: object).allSatisfy(\.isRemoved) else {
          throw StoreError.deletionDenied(object.objectID, relationship: relationship.name)
        }
      }
    }
    if let faultError { throw faultError }
  }

  /// Resets members that were loaded with changes of other objects, when these changes are undone.
  func discardMembersOfOwners() {
    for (owner, slot) in ownersOfChanged { owner.links?.toManys[slot]?.discardMembers() }
  }

  /// A one-to-one that was set here stays set after a merge: the object that was related elsewhere
  /// is removed.
  private func unlinkReplaced() {
    guard !rebased.isEmpty else { return }
    for object in exchange(&rebased, with: []) where object.hasChanges && !object.isRemoved {
      for relationship in object.entity.toOnes {
        for other in related(relationship, to: object) where !other.isRemoved {
          other.linkDestination(nil, relationship.inverse.slot)
        }
      }
    }
  }

  private func follow(_ relationship: RelationshipDescription, of object: AnyManagedObject) throws {
    switch relationship.deleteRule {
    case .noAction, .deny: break
    case .cascade:
      for other in try others(relationship, of: object) + related(relationship, to: object) {
        delete(other)
      }
    case .nullify:
      let inverse: RelationshipDescription = relationship.inverse
      // If the rule was already followed, there is nothing to do; objects that were related since
      // stay related.
      for other in try others(relationship, of: object) + related(relationship, to: object)
      where !other.isRemoved && other.mayLead(to: object, inverse) {
        if inverse.isToMany {
          other.unlinkMember(object, inverse.slot)
        } else {
          other.linkDestination(nil, inverse.slot)
        }
      }
    }
  }

  /// The object that has been related to a deleted one elsewhere, by a one-to-one that was changed
  /// here as well.
  private func related(
    _ relationship: RelationshipDescription, to object: AnyManagedObject
  ) -> [AnyManagedObject] {
    guard !relationship.isToMany, !relationship.inverse.isToMany, !object.changes.isEmpty,
      object.changes[relationship.slot] != nil,
      case .object(let id)? = object.snapshot?.storeValue(relationship.slot, in: object.entity)
    else { return [] }
    let entity = entity(of: id, declared: relationship.destination)
    let other = self.object(entity, id.primaryKey, origin: object.origin)
    return other.destination(relationship.inverse.slot) === object ? [other] : []
  }

  private func others(
    _ relationship: RelationshipDescription, of object: AnyManagedObject
  ) throws -> [AnyManagedObject] {
    if relationship.isToMany { return object.members(relationship.slot) }
    return object.destination(relationship.slot).map { [$0] } ?? []
  }
}

extension AnyManagedObject {
  /// Whether this end of a relationship leads to an object, as far as is known without querying the
  /// database.
  fileprivate final func mayLead(
    to other: AnyManagedObject, _ relationship: RelationshipDescription
  ) -> Bool {
    guard relationship.isToMany else { return destination(relationship.slot) === other }
    let link = unloadedLink(relationship.slot)
    if link.members != nil { return link.isMember(other) }
    // A to-many that is not loaded is only to be marked, or to note the pair.
    return relationship.inverse.isToMany
      ? !link.isRemovedPair(other) : !state.contains(.updated)
  }
}
