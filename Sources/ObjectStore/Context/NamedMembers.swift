// SPDX-License-Identifier: Apache-2.0

/// The members of a to-many relationship that is reached by name, in order where it is ordered.
///
/// Changes through this collection change the relationship, and its inverse with it.
public struct NamedMembers: RandomAccessCollection {
  private let owner: AnyManagedObject
  private let relationship: RelationshipDescription

  init(owner: AnyManagedObject, relationship: RelationshipDescription) {
    self.owner = owner
    self.relationship = relationship
  }

  private var members: [AnyManagedObject] { owner.members(relationship.slot) }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of members.
  public var endIndex: Int { members.count }
  /// One member, which may be a fault.
  public subscript(position: Int) -> AnyManagedObject { members[position] }

  /// Adds an object at the end, or at an index; a member is moved to the index.
  ///
  /// - Throws: ``StoreError``: `wrongType` for an object of another entity, `foreignObject` for one
  ///   of another context.
  public func insert(_ object: AnyManagedObject, at index: Int? = nil) throws {
    try check(object)
    owner.addMember(object, relationship.slot, at: index)
  }

  /// Removes an object from the relationship; the object is not deleted.
  public func remove(_ object: AnyManagedObject) { owner.removeMember(object, relationship.slot) }

  /// Removes all objects from the relationship.
  public func removeAll() { for member in members { remove(member) } }

  /// Makes these objects the members, in this order where the relationship is ordered.
  ///
  /// - Throws: the errors of ``insert(_:at:)``; nothing is changed then.
  public func replace(with objects: [AnyManagedObject]) throws {
    for object in objects { try check(object) }
    try owner.loadMembers(relationship.slot)
    let wanted = Set(objects)
    for member in members where !wanted.contains(member) { remove(member) }
    for (index, object) in objects.enumerated() {
      let isThere = index < members.count && members[index] === object
      guard !isThere else { continue }
      owner.addMember(object, relationship.slot, at: relationship.isOrdered ? index : nil)
    }
  }

  private func check(_ object: AnyManagedObject) throws {
    guard object.entity.isKind(of: relationship.destination) else {
      throw StoreError.wrongType(
        property: relationship.name, entity: owner.entity.name,
        expected: "objects of \(relationship.destination.name)")
    }
    guard object.context === owner.context else {
      throw StoreError.foreignObject(object.objectID)
    }
  }
}
