// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments

/// Loads the objects of a batched fetch as they are read, and releases the least recently read
/// ones.
final class BatchLoader {
  let context: ManagedObjectContext
  let request: BatchRequest
  let keys: KeyList
  /// Objects of the result that were not saved when it was fetched; a save assigns them other keys.
  let unsaved: [Int64: AnyManagedObject]
  /// Objects of an earlier result that need not be loaded while they exist.
  private var kept: [AnyManagedObject] = []
  private let origin: FetchOrigin
  /// The one read last is the last.
  private var batches: [Batch] = []

  // A screen spans two batches, and scrolling in either direction needs one more.
  private static let maxBatches = 4

  private struct Batch {
    var number: Int
    /// By index in the batch; nil if the row no longer exists.
    var objects: [AnyManagedObject?]
    var rows: [RowSnapshot]
  }

  init(
    _ request: BatchRequest, context: ManagedObjectContext, keys: KeyList,
    unsaved: [Int64: AnyManagedObject] = [:], fetchID: UInt64
  ) {
    self.request = request
    self.context = context
    self.keys = keys
    self.unsaved = unsaved
    origin = FetchOrigin(fetchID: fetchID, location: request.location)
  }

  /// The number of objects per batch.
  var batchSize: Int { request.batchSize > 0 ? request.batchSize : max(keys.count, 1) }
  var loadedBatchCount: Int { batches.count }
  var fetchID: UInt64 { origin.fetchID }

  /// The object at a position, its batch loaded if need be; nil if it was deleted since.
  func object(at position: Int) throws -> AnyManagedObject? {
    let (number, index) = position.quotientAndRemainder(dividingBy: batchSize)
    if batches.last?.number != number { try useBatch(number) }
    guard let object = batches[batches.count - 1].objects[index] else { return nil }
    if object.context == nil {
      // The context was reset: the loaded objects no longer belong to it.
      batches = []
      guard unsaved[keys[position]] == nil else { return nil }
      return try self.object(at: position)
    }
    return object.isRemoved ? nil : object
  }

  /// The object at an index without its row, which was deleted or cannot be read.
  func fault(at position: Int) -> AnyManagedObject {
    unsaved[keys[position]] ?? context.object(request.entity, keys[position], origin: nil)
  }

  private func useBatch(_ number: Int) throws {
    if let index = batches.firstIndex(where: { $0.number == number }) {
      batches.append(batches.remove(at: index))
      return
    }
    let batch = try load(number)
    if batches.count >= Self.maxBatches { dropOldest() }
    batches.append(batch)
  }

  /// Adopts the objects that another loader has loaded.
  func keep(objectsOf other: BatchLoader) {
    kept = other.batches.flatMap { $0.objects.compactMap { $0 } }
    if kept.isEmpty { kept = other.kept }
  }

  /// A batch of objects that are all loaded already.
  private func keptBatch(_ number: Int, _ keys: [Int64]) -> Batch? {
    guard !kept.isEmpty else { return nil }
    var objects: [AnyManagedObject?] = []
    for key in keys {
      let object = unsaved[key] ?? context.registered(request.entity, key)
      guard let object, !object.isFault else { return nil }
      objects.append(object)
    }
    return Batch(number: number, objects: objects, rows: [])
  }

  private func load(_ number: Int) throws -> Batch {
    let start = number * batchSize
    let keys = keys[start..<min(start + batchSize, self.keys.count)]
    if let batch = keptBatch(number, keys) { return batch }
    let saved = unsaved.isEmpty ? keys : keys.filter { unsaved[$0] == nil }
    var operation = FetchOperation(batchOf: self)
    let (found, rows) = try operation.measure { try $0.fetchBatch(saved, for: self) }
    guard !unsaved.isEmpty else { return Batch(number: number, objects: found, rows: rows) }
    var next = found.makeIterator()
    let objects = keys.map { unsaved[$0] ?? next.next() ?? nil }
    return Batch(number: number, objects: objects, rows: rows)
  }

  /// Makes the objects of rows, filled if the request wants them so; nil for a child context, as
  /// its parents may have other keys and values for them.
  var objectMaker: RowObjects? {
    guard context.parent == nil else { return nil }
    return RowObjects(
      context, request.entity, origin, isFilled: !request.returnsObjectsAsFaults)
  }

  /// The row as an object of the context, filled if the request returns no faults.
  func object(of row: RowSnapshot) -> AnyManagedObject {
    let object = context.object(
      row.entity(in: request.entity), row.primaryKey, origin: origin)
    // A parent's change differs from the row: the fault reads from the parent.
    if !request.returnsObjectsAsFaults, object.snapshot == nil, context.parent == nil {
      object.snapshot = row
    }
    return object
  }

  /// Rows of objects that are referenced nowhere else leave the row cache too: going through all
  /// objects must not fill it.
  private func dropOldest() {
    var batch = batches.removeFirst()
    var held: Set<Int64> = []
    for index in batch.objects.indices where !isKnownUniquelyReferenced(&batch.objects[index]) {
      if let object = batch.objects[index] { held.insert(object.primaryKey) }
    }
    context.store.cache.remove(
      held.isEmpty ? batch.rows : batch.rows.filter { !held.contains($0.primaryKey) },
      request.entity.index)
  }

  func warnOfLoadingAll() {
    guard request.batchSize > 0 else { return }
    context.store.instruments.warn(
      "all \(keys.count) \(request.entity.name) objects of the fetch at \(request.location.file):"
        + "\(request.location.line) were read at once, in batches of \(request.batchSize); go "
        + "through the batched result, or fetch without a batch size",
      contextID: context.contextID)
  }
}

/// The state that the batches of a result share.
struct BatchRequest {
  let entity: EntityDescription
  /// 0 for one batch of everything.
  let batchSize: Int
  let returnsObjectsAsFaults: Bool
  let prefetched: PrefetchTree
  let location: SourceLocation
}
