// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import SQLiteDriver

/// The inserted rows of a batch insert, in their order; rows that the policy skipped are not
/// counted.
public struct BatchInsertResult: Sendable {
  let reference: ManagedObjectID.EntityReference
  let keys: RowKeys
  /// Rows with lower keys were there and were updated.
  let firstKey: Int64

  /// The number of rows that were inserted, or updated because of a uniqueness constraint.
  public var count: Int { keys.count }

  /// The id of the row that was written as number `index`, from 0.
  public func objectID(at index: Int) -> ManagedObjectID {
    require(index >= 0 && index < count, "the batch wrote \(count) rows")
    return ManagedObjectID(reference: reference, primaryKey: keys[index])
  }

  /// The ids of all rows that were written.
  public var objectIDs: [ManagedObjectID] { (0..<count).map(objectID(at:)) }

  /// For ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
  public var changes: ContextChanges {
    let ids = objectIDs
    return ContextChanges(
      inserted: ids.filter { $0.primaryKey >= firstKey },
      updated: ids.filter { $0.primaryKey < firstKey })
  }

  /// The objects of the rows in a context, as faults.
  ///
  /// - Throws: ``StoreError/unknownEntity(_:)`` if the context is of another model.
  public func objects(in context: ManagedObjectContext) throws -> [AnyManagedObject] {
    try objectIDs.map(context.object(with:))
  }
}

/// The treatment of a row that violates a uniqueness constraint.
public enum BatchConflictPolicy: Sendable {
  /// Nothing of the batch is inserted.
  case fail
  /// The row is left out: `INSERT OR IGNORE`.
  case ignore
  /// The existing row gets the values that were set: `ON CONFLICT(ZIDENTIFIER) DO UPDATE`.
  case update
}

/// One row of a batch insert, bound straight to its statement.
@dynamicMemberLookup
public struct BatchRow<E: Entity> {
  @usableFromInline let statement: Statement
  @usableFromInline let schema: EntitySchema<E>
  @usableFromInline let required: RequiredSlots

  /// Sets an attribute of the row; an attribute that is not set has its default value, or is nil.
  @inlinable
  public subscript<Value>(dynamicMember path: KeyPath<E, Attribute<Value>>) -> Value {
    @available(*, unavailable, message: "a row of a batch is only written")
    get { .valueForNull }
    nonmutating set {
      set(newValue.storeValue, schema.property(path).pointee.slot)
    }
  }

  /// Sets a to-one relationship of the row to a saved object.
  @inlinable
  public subscript<D: Entity>(dynamicMember path: KeyPath<E, ToOne<D>>) -> ManagedObjectID? {
    @available(*, unavailable, message: "a row of a batch is only written")
    get { nil }
    nonmutating set {
      let slot = schema.property(path).pointee.slot
      require(
        newValue?.isTemporary != true, "a batch refers to saved objects; save this one first")
      set(newValue.map(StoreValue.object) ?? .null, slot)
    }
  }

  @inlinable
  func set(_ value: StoreValue, _ slot: Int) {
    required.note(slot, value)
    required.bind(value, statement, slot)
    guard required.hasDerived else { return }
    required.derive(from: slot, value) { required.bind($0, statement, $1) }
  }
}
