// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The objects of one table in a context, by primary key; not retained.
///
/// Objects that a fetch creates in the order of their keys are first only listed: if they are
/// deallocated before one of them is looked up, they are never indexed.
///
/// A register outlives its context while objects of it exist, and retains their entities. Each
/// object then costs a plain count; a reference of its own would cost atomic counts.
@usableFromInline
final class ObjectRegister {
  @exclusivity(unchecked) private var unretainedContext: Unmanaged<ManagedObjectContext>?
  let checksQueue: Bool
  let traits: ObjectTraits
  let hasHooks: Bool
  private let queue: ContextQueue
  private let ended: ReleasedObjects
  private let model: ManagedObjectModel
  /// The objects and the context: changed on the context's queue, and after the context is released
  /// on any thread.
  private let shareCount = Atomic<Int>(1)
  /// Whether an object has ever retained others, which may retain it in turn.
  @exclusivity(unchecked) var hasLinks = false
  @exclusivity(unchecked) private var index = KeyTable<Unmanaged<AnyManagedObject>>()
  /// Objects with ascending keys, none of them in the index.
  @exclusivity(unchecked) private var list: [Listed] = []
  @exclusivity(unchecked) private var listedCount = 0
  /// How many ended objects were removed from the beginning of the list; indices count them.
  @exclusivity(unchecked) private var removedCount: UInt32 = 0
  /// No key in the list is larger.
  @exclusivity(unchecked) private var lastKey = Int64.min

  // A batched fetch lists every object that it has made, and keeps a few batches of them.
  private static let minSparseCount = 4096

  private struct Listed {
    let primaryKey: Int64
    /// The object; nil once it was deallocated.
    var object: Unmanaged<AnyManagedObject>?
  }

  init(_ context: ManagedObjectContext, of entity: EntityDescription, _ ended: ReleasedObjects) {
    model = context.store.model
    traits = context.traits
    hasHooks = traits.tableHasHooks(entity)
    unretainedContext = .passUnretained(context)
    checksQueue = context.checksQueue
    queue = context.queue
    self.ended = ended
  }

  /// Nil once the context was released or reset.
  var context: ManagedObjectContext? { unretainedContext?.takeUnretainedValue() }

  /// The same without reference counting; no other thread may release it at the same time.
  func withContext<R>(_ body: (ManagedObjectContext) -> R) -> R? {
    unretainedContext?._withUnsafeGuaranteedRef(body)
  }

  func willChange(_ object: AnyManagedObject) {
    unretainedContext?._withUnsafeGuaranteedRef { $0.willChange(object) }
  }

  /// The row that fires a fault, if the row cache has it and no parent or observer is involved;
  /// the caller takes over a reference of its page.
  func retainedRow(
    _ table: Int, _ primaryKey: Int64, _ isUnknown: inout Bool
  ) -> RowPointer? {
    guard !hasHooks else { return nil }
    return unretainedContext?._withUnsafeGuaranteedRef {
      $0.retainedRow(table, primaryKey, &isUnknown)
    }
  }

  // MARK: - Lifetimes

  func objectDidBegin() { count(1) }

  /// An object ends, on the thread that released it last.
  func objectDidEnd(_ object: AnyManagedObject) {
    // On other threads nothing here may be accessed: the context may be deallocating.
    if queue.isUsedElsewhere {
      if !ended.add(object, in: self) { releaseShare() }
    } else if unretainedContext == nil {
      releaseShare()
    } else {
      remove(object)
      count(-1)
    }
  }

  /// An object has ended elsewhere; the context may have gone since.
  func objectDidEnd(_ entry: ReleasedObjects.Entry) {
    guard unretainedContext != nil else { return releaseShare() }
    remove(entry.primaryKey, entry.listIndex, entry.address)
    count(-1)
  }

  /// Detaches the objects.
  ///
  /// - Returns: the objects with links to other objects.
  func leaveObjects() -> [AnyManagedObject] {
    var linked: [AnyManagedObject] = []
    if hasLinks {
      forEach { if $0.links != nil { linked.append($0) } }
    }
    index = KeyTable()
    list = []
    listedCount = 0
    removedCount = 0
    lastKey = .min
    return linked
  }

  /// Makes the objects retain the register, which the last of them releases.
  func contextDidEnd() {
    _ = Unmanaged.passRetained(self)
    unretainedContext = nil
    releaseShare()
  }

  /// Without an atomic operation's price: no other thread counts while there is a context.
  private func count(_ difference: Int) {
    shareCount.store(shareCount.load(ordering: .relaxed) &+ difference, ordering: .relaxed)
  }

  private func releaseShare() {
    let left = shareCount.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { Unmanaged.passUnretained(self).release() }
  }

  // MARK: - Objects

  /// The length of the list, with objects that have ended.
  var listLength: Int { list.count }

  func object(_ primaryKey: Int64) -> AnyManagedObject? {
    if listedCount > 0 { indexList() }
    return index.value(primaryKey)?.retainIfAlive()
  }

  /// Whether a row is new to the context, by its key alone.
  func isBehindAll(_ primaryKey: Int64) -> Bool { index.count == 0 && primaryKey > lastKey }

  /// Adds an object whose key ``isBehindAll(_:)``.
  func append(_ object: AnyManagedObject) {
    object.listIndex = removedCount &+ UInt32(truncatingIfNeeded: list.count)
    lastKey = object.primaryKey
    list.append(Listed(primaryKey: lastKey, object: .passUnretained(object)))
    listedCount &+= 1
  }

  func insert(_ object: AnyManagedObject) {
    if listedCount > 0 { indexList() }
    index.set(object.primaryKey, .passUnretained(object))
  }

  /// The object of a key that is not ``isBehindAll(_:)``, or a new one, which is inserted.
  @inline(__always)
  func object(
    _ primaryKey: Int64, orInsert make: () -> AnyManagedObject
  ) -> (object: AnyManagedObject, isNew: Bool) {
    if listedCount > 0 { indexList() }
    var known: AnyManagedObject?
    var new: AnyManagedObject?
    func insertion() -> Unmanaged<AnyManagedObject> {
      let object = make()
      new = object
      return .passUnretained(object)
    }
    _ = index.set(primaryKey, insertion()) { object in
      known = object.retainIfAlive()
      return known == nil
    }
    if let known { return (known, false) }
    return (new ?? make(), true)
  }

  /// Removes an object; another one under the same key stays.
  func remove(_ object: AnyManagedObject) {
    remove(object.primaryKey, object.listIndex, Unmanaged.passUnretained(object).toOpaque())
  }

  private func remove(_ primaryKey: Int64, _ listIndex: UInt32, _ address: UnsafeMutableRawPointer)
  {
    let index = Int(listIndex &- removedCount)
    if index < list.count, list[index].object?.toOpaque() == address {
      list[index].object = nil
      listedCount &-= 1
      if listedCount == 0 {
        emptyList()
      } else if list.count >= Self.minSparseCount, listedCount &* 4 < list.count {
        shrinkList()
      }
    } else if self.index.value(primaryKey)?.toOpaque() == address {
      self.index.remove(primaryKey)
    }
  }

  func forEach(_ body: (AnyManagedObject) -> Void) {
    index.forEach { if let object = $1.retainIfAlive() { body(object) } }
    for entry in list { if let object = entry.object?.retainIfAlive() { body(object) } }
  }

  private func indexList() {
    for entry in list { if let object = entry.object { index.set(entry.primaryKey, object) } }
    emptyList()
  }

  /// Removes ended objects: objects of the earliest batches are at the beginning.
  private func shrinkList() {
    let start = list.firstIndex { $0.object != nil } ?? 0
    list.removeFirst(start)
    removedCount &+= UInt32(truncatingIfNeeded: start)
    if listedCount &* 4 < list.count { indexList() }
  }

  private func emptyList() {
    list.removeAll(keepingCapacity: true)
    removedCount = 0
    listedCount = 0
    lastKey = .min
  }
}
