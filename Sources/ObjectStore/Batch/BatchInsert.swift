// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import SQLiteDriver

/// The rows that a batch insert wrote, in their order; those that it left out are not counted.
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

  /// Sets an attribute of the row; what is not set has its default value, or is nil.
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

/// The slots that a row must set, and those that are not set yet.
@usableFromInline
final class RequiredSlots {
  private let required: [Bool]
  private var missing: [Bool]
  private let requiredCount: Int
  private var missingCount: Int
  private(set) var hasReference: [Bool]
  /// The slots that the row has set, including those set to nil.
  private(set) var isSet: [Bool]
  /// A value that a column does not keep: it would be read as a different value, or as nil.
  private(set) var refused: (slot: Int, problem: StoreError.ValidationFailure.Problem)?
  private let entity: EntityDescription
  /// Whether setting an attribute may set others.
  @usableFromInline let hasDerived: Bool
  /// Nil for an entity without attributes with external storage.
  let externalData: BatchExternalData?

  init(_ entity: EntityDescription, _ externalData: BatchExternalData?) {
    self.entity = entity
    self.externalData = externalData
    hasDerived = !entity.derivedAttributes.isEmpty || !entity.entityColumns.isEmpty
    required =
      entity.attributes.map {
        !$0.isOptional && $0.defaultValue == .null && $0.derivation == nil && entity.has($0)
      }
      + entity.toOnes.map { !$0.isOptional && entity.has($0) }
      + entity.entityColumns.map { _ in false }
    missing = required
    requiredCount = required.count { $0 }
    missingCount = requiredCount
    hasReference = required.map { _ in false }
    isSet = hasReference
  }

  func begin() {
    refused = nil
    externalData?.begin()
    missing = required
    missingCount = requiredCount
    for slot in hasReference.indices {
      hasReference[slot] = false
      isSet[slot] = false
    }
  }

  @usableFromInline
  func bind(_ value: StoreValue, _ statement: Statement, _ slot: Int) {
    let value = externalData?.columnValue(value, slot) ?? value
    // The first three parameters are the key, the entity and the version.
    statement.bind(value, at: Int32(truncatingIfNeeded: slot &+ 4))
  }

  @usableFromInline
  func note(_ slot: Int, _ value: StoreValue) {
    switch value {
    case .double, .date, .decimal:
      if let problem = value.lossInColumn { refused = (slot, problem) }
    default: break
    }
    hasReference[slot] = value != .null
    isSet[slot] = true
    guard missing[slot], value != .null else { return }
    missing[slot] = false
    missingCount -= 1
  }

  @usableFromInline
  func derive(from slot: Int, _ value: StoreValue, bind: (StoreValue, Int) -> Void) {
    require(
      slot >= entity.attributes.count || entity.attributes[slot].derivation == nil,
      "\(entity.name).\(entity.attributes[slot].name) is derived and was set; set what it follows "
        + "from")
    for step in entity.derivedAttributes.steps(from: slot) {
      isSet[step.slot] = true
      bind(step.transform(value), step.slot)
    }
    for toOne in entity.entityColumns where toOne.slot == slot {
      if let entitySlot = toOne.entitySlot { bind(toOne.entityValue(of: value), entitySlot) }
    }
  }

  /// The first slot that still lacks a value.
  var firstMissing: Int? { missingCount == 0 ? nil : missing.firstIndex(of: true) }
}
