// SPDX-License-Identifier: Apache-2.0

/// The result of a batched fetch: keeps the ids of all its objects, and loads objects when they are
/// read.
///
///     request.fetchBatchSize = 50
///     let stops = try context.fetchInBatches(request)
///     // SELECT 0, t0.Z_PK FROM ZSTOP t0
///     stops[0].name
///     // SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK BETWEEN ? AND ?  LIMIT 50
///     // or, if the table has other keys between the batch's,
///     // SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK IN (SELECT value FROM json_each(?))  LIMIT 50
///
/// An element that was deleted since is a fault without a row; ``object(at:)`` returns nil for it. At most four batches are kept, so iterating
/// over all objects, their slices or `lazy` views takes the memory of four batches plus four or
/// eight bytes per object. The ids stay as fetched. Belongs to its context's thread, as objects do.
public struct BatchedObjects<E: Entity>: RandomAccessCollection {
  let loader: BatchLoader

  init(_ loader: BatchLoader) { self.loader = loader }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of objects found; loads none.
  public var endIndex: Int { loader.keys.count }
  /// The number of objects per batch.
  public var batchSize: Int { loader.batchSize }

  /// The object at an index; a fault without a row if it was deleted since.
  ///
  /// If SQLite fails it is a fault as well, and the context's ``ManagedObjectContext/faultError``
  /// states why; ``object(at:)`` throws instead.
  public subscript(position: Int) -> ManagedObject<E> {
    do {
      if let object = try object(at: position) { return object }
    } catch {
      loader.context.recordFaultError(error)
    }
    return loader.fault(at: position).assumed(E.self)
  }

  /// The object at an index, or nil if it was deleted since.
  ///
  /// - Throws: ``StoreError`` if its batch cannot be loaded.
  public func object(at position: Int) throws -> ManagedObject<E>? {
    require(
      position >= 0 && position < endIndex, "place \(position) of \(endIndex) batched objects")
    // No `map`: for a generic type it looks up the type of each result.
    guard let object = try loader.object(at: position) else { return nil }
    return object.assumed(E.self)
  }

  /// The id of the object at a position, which is not loaded; temporary where it was not yet saved.
  ///
  /// The id of an entity with subentities is that of the object, which is loaded for it.
  public func objectID(at position: Int) -> ManagedObjectID {
    if loader.request.entity.hierarchy != nil, let object = try? object(at: position) {
      return object.objectID
    }
    return ManagedObjectID(
      reference: loader.request.entity.reference, primaryKey: loader.keys[position])
  }

  /// Loads every object that was not deleted since, batch by batch, and keeps them all.
  ///
  /// The debug log warns of it: a fetch without a batch size does the same with one statement.
  ///
  /// - Throws: ``StoreError`` if a batch cannot be loaded.
  public func loadingAll() throws -> [ManagedObject<E>] {
    loader.warnOfLoadingAll()
    var objects: [ManagedObject<E>] = []
    objects.reserveCapacity(count)
    for position in indices {
      if let object = try object(at: position) { objects.append(object) }
    }
    return objects
  }

  // `Array(batched)` keeps all objects too; the standard library calls this for it.
  public func _copyToContiguousArray() -> ContiguousArray<ManagedObject<E>> {
    loader.warnOfLoadingAll()
    var objects: ContiguousArray<ManagedObject<E>> = []
    objects.reserveCapacity(count)
    for position in indices { objects.append(self[position]) }
    return objects
  }
}

extension BatchedObjects: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Such as `12800 Stop objects in batches of 50, 2 of them loaded`; loads nothing.
  public var description: String {
    "\(count) \(loader.request.entity.name) objects in batches of \(batchSize), "
      + "\(loader.loadedBatchCount) of them loaded"
  }

  /// The description.
  public var debugDescription: String { description }

  /// Without children: a debugger or `dump` that looks loads nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
