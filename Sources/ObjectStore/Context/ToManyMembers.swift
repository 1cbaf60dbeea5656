// SPDX-License-Identifier: Apache-2.0

/// The members of a to-many relationship, in order where it is ordered.
///
/// The first access loads the ids of the members in one round trip; the members stay faults.
/// Changes through this collection change the relationship and its inverse.
public struct ToManyMembers<D: Entity>: RandomAccessCollection {
  @usableFromInline let owner: AnyManagedObject
  @usableFromInline let slot: Int

  @usableFromInline
  init(owner: AnyManagedObject, slot: Int) {
    self.owner = owner
    self.slot = slot
  }

  private var members: [AnyManagedObject] { owner.members(slot) }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of members.
  public var endIndex: Int { members.count }
  /// One member, which may be a fault.
  public subscript(position: Int) -> ManagedObject<D> {
    members[position].assumed(D.self)
  }

  /// Iterates over the current members, even if members are added or removed during the iteration.
  public func makeIterator() -> Iterator { Iterator(members: members.makeIterator()) }

  /// The members, one after the other.
  public struct Iterator: IteratorProtocol {
    fileprivate var members: IndexingIterator<[AnyManagedObject]>

    /// The next member, which may be a fault; nil after the last one.
    public mutating func next() -> ManagedObject<D>? { members.next()?.assumed(D.self) }
  }

  /// Whether an object is a member, without looking at its values.
  public func contains(_ object: ManagedObject<D>) -> Bool {
    owner.toManyLink(slot).isMember(object)
  }

  /// Adds an object at the end; an existing member keeps its position.
  public func append(_ object: ManagedObject<D>) { owner.addMember(object, slot, at: nil) }
  /// Adds an object; an existing member keeps its position.
  public func insert(_ object: ManagedObject<D>) { owner.addMember(object, slot, at: nil) }
  /// Adds an object at an index, or moves it there.
  public func insert(_ object: ManagedObject<D>, at index: Int) {
    owner.addMember(object, slot, at: index)
  }
  /// Removes an object from the relationship; the object is not deleted.
  public func remove(_ object: ManagedObject<D>) { owner.removeMember(object, slot) }
  /// Removes all objects from the relationship.
  public func removeAll() { for member in members { owner.removeMember(member, slot) } }
}
