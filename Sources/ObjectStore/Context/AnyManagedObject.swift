// SPDX-License-Identifier: Apache-2.0

/// An object of a store within one context, whatever its entity: a row's snapshot, and what was
/// changed since.
///
/// Objects belong to their context's thread. There is one object per row in a context.
public class AnyManagedObject {
  // Unchecked: a context belongs to one thread, and the check costs more than the access.

  /// The object's entity.
  public final let entity: EntityDescription
  // The entity keeps it.
  @usableFromInline final unowned(unsafe) let schema: EntitySchemaBase
  /// Nil while the object is a fault, or was never saved.
  @exclusivity(unchecked) @usableFromInline final var snapshot: RowSnapshot?
  /// What a fetch has read of a fault.
  @exclusivity(unchecked) final var partial: PartialRow?
  /// By slot; empty while nothing was changed.
  @exclusivity(unchecked) @usableFromInline final var changes: [StoreValue?] = []
  /// The context clears this when it goes: an object must not keep its context alive.
  @exclusivity(unchecked) final unowned(unsafe) var context: ManagedObjectContext?
  @exclusivity(unchecked) final var primaryKey: Int64
  /// The key that the save in progress has allocated.
  final var newPrimaryKey: Int64 = 0
  @exclusivity(unchecked) final var state: State = []
  @exclusivity(unchecked) final var origin: FetchOrigin?
  @exclusivity(unchecked) final var links: ObjectLinks?

  struct State: OptionSet {
    let rawValue: UInt8
    static let inserted = State(rawValue: 1)
    static let updated = State(rawValue: 2)
    static let deleted = State(rawValue: 4)
    /// The row is gone: the object reads as nil and zero.
    static let inaccessible = State(rawValue: 8)
    /// Waits in the context's list of updated objects.
    static let listed = State(rawValue: 16)
  }

  required init(entity: EntityDescription, primaryKey: Int64, context: ManagedObjectContext) {
    self.entity = entity
    schema = entity.schema
    self.primaryKey = primaryKey
    self.context = context
    if context.checksQueue { changes = noChanges }
  }

  deinit { context?.objectDidEnd(self) }

  /// Gives a fault its values.
  @inline(__always)
  final func fill(_ page: RowPage, _ row: RowPointer) {
    if snapshot == nil { snapshot = RowSnapshot(page: page, pointer: row) }
  }

  // MARK: - Identity and state

  /// Names the object, without firing a fault; temporary until the object is saved.
  public final var objectID: ManagedObjectID {
    ManagedObjectID(reference: entity.reference, primaryKey: primaryKey)
  }

  /// The context; nil once it is gone or was reset.
  public final var managedObjectContext: ManagedObjectContext? { context }
  /// Whether the values are not loaded; they may still be in the row cache.
  public final var isFault: Bool { snapshot == nil && !state.contains(.inserted) }
  /// Whether the next save inserts the object.
  public final var isInserted: Bool { state.contains(.inserted) }
  /// Whether values or relationships were changed since the last save.
  public final var isUpdated: Bool { state.contains(.updated) && !isInserted && !isDeleted }
  /// Whether the next save deletes the object, or its row is known to be gone.
  public final var isDeleted: Bool { !state.isDisjoint(with: [.deleted, .inaccessible]) }
  /// Whether the next save writes anything for the object.
  public final var hasChanges: Bool {
    !state.isDisjoint(with: [.inserted, .updated, .deleted])
  }

  // MARK: - Values

  @inlinable
  final func read<Value: AttributeValue>(_ slot: Int) -> Value {
    if changes.isEmpty, let row = snapshot {
      if row.isNull(slot) { return .valueForNull }
      // Known when the type is: it costs nothing but data.
      if case .data = Value.attributeType, row.isExternal(slot) { return readChanged(slot) }
      return Value(row: row, slot: slot)
    }
    return readChanged(slot)
  }

  @usableFromInline
  final func readChanged<Value: AttributeValue>(_ slot: Int) -> Value {
    checkQueue()
    if case .data = Value.attributeType { return Value(storeValue(slot)) ?? .valueForNull }
    if !changes.isEmpty, let value = changes[slot] { return Value(value) ?? .valueForNull }
    guard let row = partialRow(holding: slot) ?? readableRow(), !row.isNull(slot) else {
      return .valueForNull
    }
    return Value(row: row, slot: slot)
  }

  @usableFromInline
  final func write(_ value: StoreValue, _ slot: Int) {
    checkQueue()
    context?.willChange(self)
    guard assign(value, slot) else { return }
    if !entity.derivedAttributes.isEmpty { derive(from: slot, value) }
    markUpdated()
  }

  /// Changes one value; false if there is no row, or none any more.
  final func assign(_ value: StoreValue, _ slot: Int) -> Bool {
    if !state.contains(.inserted) {
      guard let row = readableRow() else { return false }
      if changes.isEmpty { changes = Array(repeating: nil, count: entity.rowLayout.slotCount) }
      changes[slot] = isSaved(value, in: row, slot) ? nil : value
    } else {
      changes[slot] = value
    }
    if !entity.entityColumns.isEmpty { assignEntity(of: value, slot) }
    return true
  }

  final func markUpdated() {
    guard !state.contains(.updated) else { return }
    state.insert(.updated)
    context?.noteUpdate(of: self)
  }

  /// The value in a slot: changed, saved, or NULL; its file is read, if it lies in one.
  final func storeValue(_ slot: Int) -> StoreValue { loaded(unloadedValue(slot), slot) }

  /// The same, but for a file only the reference to it.
  final func unloadedValue(_ slot: Int) -> StoreValue {
    checkQueue()
    if !changes.isEmpty, let value = changes[slot] { return value }
    let row = partialRow(holding: slot) ?? readableRow()
    return row?.storeValue(slot, in: entity) ?? .null
  }

  /// The saved values, for which a fault fires; nil if there is no row, or none any more.
  final func readableRow() -> RowSnapshot? {
    if let snapshot { return snapshot }
    guard !state.contains(.inserted), !state.contains(.inaccessible) else { return nil }
    guard let context else {
      preconditionFailure(
        "a fault of \(entity.name) was fired after its context was reset or released; keep the "
          + "context while its objects are in use")
    }
    do {
      if let row = try context.fire(self) { return row }
      if !context.shouldDeleteInaccessibleFaults {
        context.noteFaultError(StoreError.objectGone(objectID))
      }
      return nil
    } catch {
      context.noteFaultError(error)
      return nil
    }
  }
}

extension AnyManagedObject: Hashable {
  /// Whether they are the same object: there is one per row in a context.
  public static func == (a: AnyManagedObject, b: AnyManagedObject) -> Bool { a === b }

  /// Hashes the identity, without firing a fault.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyManagedObject: CustomStringConvertible {
  /// The id and the state, without the values: no fault fires, and nothing private is told.
  public var description: String {
    let words = [
      isFault ? "fault" : nil, isInserted ? "inserted" : nil, isUpdated ? "updated" : nil,
      isDeleted ? "deleted" : nil,
    ].compactMap(\.self)
    return "<\(objectID.uri)\(words.isEmpty ? "" : ": " + words.joined(separator: ", "))>"
  }
}
