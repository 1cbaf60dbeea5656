// SPDX-License-Identifier: Apache-2.0

/// The members of a to-many relationship, in order where it is ordered.
///
/// The first look loads which objects they are, in one round trip; their own values stay faults.
/// Changes through this collection change the relationship, and its inverse with it.
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
  /// How many members there are.
  public var endIndex: Int { members.count }
  /// One member, which may be a fault.
  public subscript(position: Int) -> ManagedObject<D> {
    members[position].assumed(D.self)
  }

  /// Goes through the members that there are now, whatever is added or removed meanwhile.
  public func makeIterator() -> Iterator { Iterator(members: members.makeIterator()) }

  /// The members, one after the other.
  public struct Iterator: IteratorProtocol {
    fileprivate var members: IndexingIterator<[AnyManagedObject]>

    /// The next member, which may be a fault; nil after the last one.
    public mutating func next() -> ManagedObject<D>? { members.next()?.assumed(D.self) }
  }

  /// Whether an object is a member, without looking at its values.
  public func contains(_ object: ManagedObject<D>) -> Bool {
    members.contains { $0 === object }
  }

  /// Adds an object at the end; a member stays where it is.
  public func append(_ object: ManagedObject<D>) { owner.addMember(object, slot, at: nil) }
  /// Adds an object; a member stays where it is.
  public func insert(_ object: ManagedObject<D>) { owner.addMember(object, slot, at: nil) }
  /// Adds an object at a place, or moves it there.
  public func insert(_ object: ManagedObject<D>, at index: Int) {
    owner.addMember(object, slot, at: index)
  }
  /// Takes an object out of the relationship; the object itself stays.
  public func remove(_ object: ManagedObject<D>) { owner.removeMember(object, slot) }
  /// Takes all objects out of the relationship.
  public func removeAll() { for member in members { owner.removeMember(member, slot) } }
}
