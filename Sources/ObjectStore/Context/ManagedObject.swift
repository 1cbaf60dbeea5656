// SPDX-License-Identifier: Apache-2.0

/// An object of an entity with a schema in Swift: its properties are members.
///
///     stop.name = "Am Treptower Park"
///     stop.stopTimes.append(stopTime)
///     try context.save()
///     // UPDATE ZSTOP SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?
///
/// Reading a member of a fault fires it. If its row no longer exists, the object counts as deleted
/// and its members read as nil, zero and empty; ``AnyManagedObject/value(forKey:)`` throws instead.
public final class ManagedObject<E: Entity>: AnyManagedObject, SchemaObject {}

/// The members of ``ManagedObject``.
///
/// A protocol, because a class takes its `E` from the object where its code is not specialized, and
/// an object of a subentity may be seen as one of its parent: a protocol takes it from the caller.
@dynamicMemberLookup
public protocol SchemaObject: AnyManagedObject {
  /// The schema that the object is seen through.
  associatedtype E: Entity
}

extension SchemaObject {
  /// An attribute's value; a new value is written by the next save.
  @inlinable
  public subscript<Value>(dynamicMember path: KeyPath<E, Attribute<Value>>) -> Value {
    // Inlined for EntitySchemaBase.property(_:), which is to see the literal path.
    @inline(__always) get { read(property(path).pointee.slot) }
    @inline(__always) set {
      let slot = property(path).pointee.slot
      if case .data = Value.attributeType { return writeData(newValue, slot) }
      write(newValue.storeValue, slot)
    }
  }

  /// The object at the other end of a to-one relationship, which may be a fault.
  @inlinable
  public subscript<D: Entity>(dynamicMember path: KeyPath<E, ToOne<D>>) -> ManagedObject<D>? {
    get {
      destination(property(path).pointee.slot).map { $0.assumed(D.self) }
    }
    set { setDestination(newValue, property(path).pointee.slot) }
  }

  /// The objects at the other end of a to-many relationship, loaded at the first access.
  @inlinable
  public subscript<D: Entity>(dynamicMember path: KeyPath<E, ToMany<D>>) -> ToManyMembers<D> {
    ToManyMembers(owner: self, slot: property(path).pointee.slot)
  }

  /// Whether the object at the other end is not loaded; does not query the database.
  public func hasFault<D: Entity>(for path: KeyPath<E, ToOne<D>>) -> Bool {
    hasFault(entity.toOnes[property(path).pointee.slot - entity.attributes.count])
  }

  /// Whether it is not known which objects are the members; does not query the database.
  public func hasFault<D: Entity>(for path: KeyPath<E, ToMany<D>>) -> Bool {
    hasFault(entity.toManys[property(path).pointee.slot])
  }
}
