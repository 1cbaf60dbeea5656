// SPDX-License-Identifier: Apache-2.0

/// An object of a store within one context, of any entity: a row's snapshot, and the changes since.
///
/// Objects belong to their context's thread. A context has one object per row.
public class AnyManagedObject {
  // Unchecked: a context belongs to one thread, and the check costs more than the access.

  /// Retains the entity while objects exist, and refers to the context.
  private final let register: Unmanaged<ObjectRegister>
  private final let unretainedEntity: Unmanaged<EntityDescription>
  // The entity keeps it.
  @usableFromInline final let unretainedSchema: Unmanaged<EntitySchemaBase>
  /// The row of ``snapshot``; the object retains the row's page.
  @exclusivity(unchecked) @usableFromInline final private(set) var row: RowPointer?
  /// By slot; empty while nothing is changed.
  @exclusivity(unchecked) @usableFromInline final var changes: [StoreValue?] = []
  @exclusivity(unchecked) final var primaryKey: Int64
  /// The key that the save in progress has allocated.
  final var newPrimaryKey: Int64 = 0
  @exclusivity(unchecked) final var state: State = []
  /// Its index in the list of objects that its context has not indexed yet.
  @exclusivity(unchecked) final var listIndex: UInt32 = 0
  @exclusivity(unchecked) final var origin: FetchOrigin?
  @exclusivity(unchecked) private final var details: Details?

  /// Data that few objects have.
  private final class Details {
    var partial: PartialRow?
    var links: ObjectRelationships?
  }

  struct State: OptionSet {
    let rawValue: UInt8
    static let inserted = State(rawValue: 1)
    static let updated = State(rawValue: 2)
    static let deleted = State(rawValue: 4)
    /// The row no longer exists: the object reads as nil and zero.
    static let inaccessible = State(rawValue: 8)
    /// A save of the context has deleted the row.
    static let erased = State(rawValue: 32)
  }

  // Unmanaged: an object costs no atomic reference count but its own.
  required init(
    entity: Unmanaged<EntityDescription>, primaryKey: Int64, register: Unmanaged<ObjectRegister>
  ) {
    self.register = register
    unretainedEntity = entity
    unretainedSchema = entity._withUnsafeGuaranteedRef { .passUnretained($0.schema) }
    self.primaryKey = primaryKey
    register._withUnsafeGuaranteedRef { $0.objectDidBegin() }
    if checksQueue { changes = noChanges }
  }

  deinit {
    register._withUnsafeGuaranteedRef { $0.objectDidEnd(self) }
    row?.unretainedPage?.release()
  }

  /// The object's entity.
  public final var entity: EntityDescription {
    unretainedEntity._withUnsafeGuaranteedRef { $0 }
  }

  final var schema: EntitySchemaBase { unretainedSchema._withUnsafeGuaranteedRef { $0 } }

  /// The bound property at the end of a key path, without a count of references to the schema.
  @inlinable @inline(__always)
  final func property<Root: Entity, Property>(
    _ path: KeyPath<Root, Property>
  ) -> UnsafePointer<Property> {
    unretainedSchema._withUnsafeGuaranteedRef { $0.property(path) }
  }

  /// The index of its table in all that is kept by table.
  final var table: Int { unretainedEntity._withUnsafeGuaranteedRef { $0.index } }

  /// Whether an object of its table has hooks.
  final var mayHaveHooks: Bool { register._withUnsafeGuaranteedRef { $0.hasHooks } }

  final var hooks: [any LifecycleHooks.Type] {
    register._withUnsafeGuaranteedRef { $0.traits.hooks(of: entity) }
  }

  final var checksQueue: Bool { register._withUnsafeGuaranteedRef { $0.checksQueue } }

  /// Nil once the context was released or reset: an object must not keep its context alive.
  final var context: ManagedObjectContext? { register._withUnsafeGuaranteedRef { $0.context } }

  /// Fills a fault with its values.
  @inline(__always)
  final func fill(_ row: RowPointer) {
    guard self.row == nil else { return }
    _ = row.unretainedPage?.retain()
    self.row = row
  }

  /// Nil while the object is a fault, or was never saved.
  final var snapshot: RowSnapshot? {
    get { row.map { RowSnapshot($0) } }
    set {
      // The new page first: it may be the old one.
      _ = newValue?.pointer.unretainedPage?.retain()
      row?.unretainedPage?.release()
      row = newValue?.pointer
    }
  }

  /// Adopts a row, with the caller's reference to its page.
  final func fill(adopting row: consuming RowSnapshot) {
    self.row?.unretainedPage?.release()
    self.row = row.pointer
    _ = Unmanaged.passRetained(row.page)
  }

  /// The values that a fetch has read for a fault.
  final var partial: PartialRow? {
    get { details?.partial }
    set { if newValue != nil || details != nil { makeDetails().partial = newValue } }
  }

  /// The related objects that are known.
  final var links: ObjectRelationships? {
    get { details?.links }
    set {
      guard newValue != nil || details != nil else { return }
      makeDetails().links = newValue
      if newValue != nil { register._withUnsafeGuaranteedRef { $0.hasLinks = true } }
    }
  }

  private final func makeDetails() -> Details {
    if let details { return details }
    let new = Details()
    details = new
    return new
  }

  // MARK: - Identity and state

  /// The id of the object, which does not fire a fault; temporary until the object is saved.
  public final var objectID: ManagedObjectID {
    ManagedObjectID(reference: entity.reference, primaryKey: primaryKey)
  }

  /// The context; nil once it was released or reset.
  public final var managedObjectContext: ManagedObjectContext? { context }
  /// Whether the values are not loaded; they may still be in the row cache.
  public final var isFault: Bool { row == nil && !state.contains(.inserted) }
  /// Whether the next save inserts the object.
  public final var isInserted: Bool { state.contains(.inserted) }
  /// Whether values or relationships were changed since the last save.
  public final var isUpdated: Bool { state.contains(.updated) && !isInserted && !isRemoved }
  /// Whether the next save deletes the object, or its row was found to be gone; false once a save of
  /// the context has deleted it.
  public final var isDeleted: Bool { isRemoved && !state.contains(.erased) }
  /// Whether the next save deletes the object, or its row no longer exists.
  package final var isRemoved: Bool { !state.isDisjoint(with: [.deleted, .inaccessible]) }
  /// Whether the next save writes anything for the object.
  public final var hasChanges: Bool {
    !state.isDisjoint(with: [.inserted, .updated, .deleted])
  }

  // MARK: - Values

  @inlinable
  final func read<Value: AttributeValue>(_ slot: Int) -> Value {
    guard changes.isEmpty else { return readChanged(slot) }
    guard let row = row ?? firedRow(holding: slot), !row.isNull(slot) else { return .valueForNull }
    // Known when the type is: it costs nothing but data.
    if case .data = Value.attributeType, row.isExternal(slot) { return readChanged(slot) }
    return withExtendedLifetime(self) { Value(row: row, slot: slot) }
  }

  /// The row of a fault, which the object keeps; nil if it does not exist.
  @usableFromInline
  final func firedRow(holding slot: Int) -> RowPointer? {
    var isUnknown = false
    if details == nil, state.isDisjoint(with: [.inserted, .inaccessible]),
      let cached = register._withUnsafeGuaranteedRef({
        $0.retainedRow(table, primaryKey, &isUnknown)
      })
    {
      row = cached
      return cached
    }
    if let partial = partialRow(holding: slot) { return partial.pointer }
    return makeReadable(isUnknown: isUnknown) ? row : nil
  }

  @usableFromInline
  final func readChanged<Value: AttributeValue>(_ slot: Int) -> Value {
    checkQueue()
    if case .data = Value.attributeType { return Value(storeValue(slot)) ?? .valueForNull }
    if !changes.isEmpty, let value = changes[slot] { return Value(value) ?? .valueForNull }
    guard let row = partialRow(holding: slot) ?? readableRow(), !row.isNull(slot) else {
      return .valueForNull
    }
    return row.value(slot)
  }

  @usableFromInline
  final func write(_ value: StoreValue, _ slot: Int) {
    checkQueue()
    register._withUnsafeGuaranteedRef { $0.willChange(self) }
    guard assign(value, slot) else { return }
    if hasFollowers, !entity.derivedAttributes.isEmpty { derive(from: slot, value) }
    markUpdated()
  }

  /// Records a fault error if the replaced bytes are not a valid value of the type: the value read
  /// for them is a substitute.
  @usableFromInline
  final func writeData<Value: AttributeValue>(_ value: Value, _ slot: Int) {
    let new = value.storeValue
    if Value.isJSON, let problem = jsonProblem(value, new, slot) {
      context?.recordFaultError(
        StoreError.wrongValue(
          property: entity.attributes[slot].name, entity: entity.name, problem: .refused(problem)))
    } else {
      write(new, slot)
    }
  }

  private final func jsonProblem<Value: AttributeValue>(
    _ value: Value, _ new: StoreValue, _ slot: Int
  ) -> String? {
    if case .null = new,
      Mirror(reflecting: value).displayStyle != .optional
        || !Mirror(reflecting: value).children.isEmpty
    {
      return "the value cannot be encoded as JSON"
    }
    guard changes.isEmpty || changes[slot] == nil, case .data(let old) = storeValue(slot),
      Value(.data(old)) == nil
    else { return nil }
    return "the file's \(old.count) bytes cannot be decoded as \(Value.self) and would be lost"
  }

  /// Changes one value; false if the row does not exist.
  final func assign(_ value: StoreValue, _ slot: Int) -> Bool {
    if !state.contains(.inserted) {
      guard !state.contains(.inaccessible), let row = readableRow() else { return false }
      if changes.isEmpty { changes = entity.noChanges }
      changes[slot] = isSaved(value, in: row, slot) ? nil : value
    } else {
      changes[slot] = value
    }
    if hasFollowers, !entity.entityColumns.isEmpty { assignEntity(of: value, slot) }
    return true
  }

  private final var hasFollowers: Bool {
    unretainedEntity._withUnsafeGuaranteedRef { $0.hasFollowers }
  }

  final func markUpdated() {
    guard !state.contains(.updated) else { return }
    state.insert(.updated)
    context?.recordUpdate(of: self)
  }

  /// The value in a slot: changed, saved, or NULL.
  final func storeValue(_ slot: Int) -> StoreValue { loaded(unloadedValue(slot), slot) }

  /// The same, but returns only the reference to a file.
  final func unloadedValue(_ slot: Int) -> StoreValue {
    checkQueue()
    if !changes.isEmpty, let value = changes[slot] { return value }
    let row = partialRow(holding: slot) ?? readableRow()
    return row?.storeValue(slot, in: entity) ?? .null
  }

  /// The saved values, for which a fault fires; nil if the row does not exist.
  final func readableRow() -> RowSnapshot? { makeReadable() ? snapshot : nil }

  /// Fires a fault; false if the row does not exist.
  private final func makeReadable(isUnknown: Bool = false) -> Bool {
    if row != nil { return true }
    guard state.isDisjoint(with: [.inserted, .inaccessible]) else { return false }
    let fired: Bool? = register._withUnsafeGuaranteedRef { register in
      register.withContext { context in
        do {
          if try context.fire(self, isUnknown: isUnknown) { return true }
          if !context.shouldDeleteInaccessibleFaults {
            context.recordFaultError(StoreError.objectGone(objectID))
          }
        } catch {
          context.recordFaultError(error)
        }
        return false
      }
    }
    guard let fired else {
      fatalError(
        "a fault of \(entity.name) was fired after its context was reset or released; keep the "
          + "context while its objects are in use")
    }
    return fired
  }
}

extension AnyManagedObject: Hashable {
  /// Whether they are the same object: a context has one per row.
  public static func == (a: AnyManagedObject, b: AnyManagedObject) -> Bool { a === b }

  /// Hashes the identity, without firing a fault.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyManagedObject: CustomStringConvertible {
  /// The id and the state, without the values: no fault fires, and no private value is shown.
  public var description: String {
    let words = [
      isFault ? "fault" : nil, isInserted ? "inserted" : nil, isUpdated ? "updated" : nil,
      isDeleted ? "deleted" : nil,
    ].compactMap(\.self)
    return "<\(objectID.uri)\(words.isEmpty ? "" : ": " + words.joined(separator: ", "))>"
  }
}
