// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// The keys that a batch insert gave, in the order of the rows.
public struct BatchInsertResult: Sendable {
  /// How many rows were inserted.
  public let count: Int
  let reference: ManagedObjectID.EntityReference
  let firstKey: Int64

  /// The id of the row that was inserted as number `index`, from 0.
  public func objectID(at index: Int) -> ManagedObjectID {
    precondition(index >= 0 && index < count, "the batch inserted \(count) rows")
    return ManagedObjectID(reference: reference, primaryKey: firstKey + Int64(index))
  }
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
      precondition(
        newValue?.isTemporary != true, "a batch refers to saved objects; save this one first")
      set(newValue.map(StoreValue.object) ?? .null, slot)
    }
  }

  @inlinable
  func set(_ value: StoreValue, _ slot: Int) {
    required.note(slot, value)
    Self.bind(value, statement, slot)
    guard required.hasDerived else { return }
    required.derive(from: slot, value) { Self.bind($0, statement, $1) }
  }

  // The first three parameters are the key, the entity and the version.
  @usableFromInline
  static func bind(_ value: StoreValue, _ statement: Statement, _ slot: Int) {
    statement.bind(value, at: Int32(truncatingIfNeeded: slot &+ 4))
  }
}

/// Which slots a row must set, and which of them it has not set yet.
@usableFromInline
final class RequiredSlots {
  private let required: [Bool]
  private var missing: [Bool]
  private let requiredCount: Int
  private var missingCount: Int
  private(set) var hasReference: [Bool]
  private let entity: EntityDescription
  /// Whether setting an attribute may set others.
  @usableFromInline let hasDerived: Bool

  init(_ entity: EntityDescription) {
    self.entity = entity
    hasDerived = !entity.derivedAttributes.isEmpty
    required =
      entity.attributes.map {
        !$0.isOptional && $0.defaultValue == .null && $0.derivation == nil
      }
      + entity.toOnes.map { !$0.isOptional }
    missing = required
    requiredCount = required.count { $0 }
    missingCount = requiredCount
    hasReference = required.map { _ in false }
  }

  func begin() {
    missing = required
    missingCount = requiredCount
    for slot in hasReference.indices { hasReference[slot] = false }
  }

  @usableFromInline
  func note(_ slot: Int, _ value: StoreValue) {
    hasReference[slot] = value != .null
    guard missing[slot], value != .null else { return }
    missing[slot] = false
    missingCount -= 1
  }

  @usableFromInline
  func derive(from slot: Int, _ value: StoreValue, bind: (StoreValue, Int) -> Void) {
    precondition(
      slot >= entity.attributes.count || entity.attributes[slot].derivation == nil,
      "\(entity.name).\(entity.attributes[slot].name) is derived and was set; set what it follows "
        + "from")
    for step in entity.derivedAttributes.steps(from: slot) {
      bind(step.transform(value), step.slot)
    }
  }

  /// The first slot that still lacks a value.
  var firstMissing: Int? { missingCount == 0 ? nil : missing.firstIndex(of: true) }
}
