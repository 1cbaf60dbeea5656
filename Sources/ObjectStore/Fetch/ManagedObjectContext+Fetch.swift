// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension ManagedObjectContext {
  /// Fetches objects; always queries the database.
  ///
  /// All at once. If the request has a batch size, the debug log warns;
  /// ``fetchInBatches(_:file:line:)`` uses it.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity, ``StoreError``.
  public func fetch<E: Entity>(
    _ request: FetchRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> [ManagedObject<E>] {
    var operation = operation(request, .objects, file, line)
    let batchSize = request.parameters.fetchBatchSize
    if batchSize > 0 { operation.warnOfBatchSize(batchSize) }
    operation.batchSize = batchSize
    let objects = try operation.measure { try $0.fetchObjects() }
    return downcast(objects)
  }

  /// Counts the objects that a fetch would return.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity, ``StoreError``.
  public func count<E: Entity>(
    _ request: FetchRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> Int {
    var operation = operation(request, .count, file, line)
    return try operation.measure { try $0.count() }
  }

  /// Fetches values without making objects: the values of `propertiesToFetch`, or all.
  ///
  ///     request.propertiesToFetch = ["name", .count(as: "stops")]
  ///     request.propertiesToGroupBy = ["name"]
  ///     // SELECT t0.ZNAME, COUNT( t0.Z_PK) FROM ZSTOP t0 GROUP BY  t0.ZNAME
  ///
  /// Unsaved changes are never included, whatever `includesPendingChanges` is: the values come from
  /// the database.
  ///
  /// - Throws: ``FetchPredicateError`` if a name does not fit the entity, or if a value is requested
  ///   that the objects of a group need not share; ``StoreError``.
  public func fetchDictionaries<E: Entity>(
    _ request: FetchRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> [FetchedDictionary<E>] {
    var operation = operation(request, .dictionaries, file, line)
    let (names, rows) = try operation.measure { try $0.fetchDictionaries() }
    return rows.map { FetchedDictionary(names: names, values: $0) }
  }

  /// Fetches the ids of objects; their rows go into the row cache, unless `includesPropertyValues`
  /// is false.
  ///
  /// Ids of unsaved objects come last, whatever the order.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity, ``StoreError``.
  public func fetchObjectIDs<E: Entity>(
    _ request: FetchRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> [ManagedObjectID] {
    var operation = operation(request, .ids, file, line)
    return try operation.measure { try $0.fetchObjectIDs() }
  }

  func operation<E: Entity>(
    _ request: FetchRequest<E>, _ kind: FetchKind, _ file: String, _ line: UInt
  ) -> FetchOperation {
    var operation = FetchOperation(
      request.parameters, of: description(of: E.self), context: self, kind: kind,
      location: SourceLocation(file: file, line: UInt64(line)))
    if request.parameters.reordersPredicates { operation.reorderPredicate() }
    return operation
  }

  /// The same array under its static type: a copy would retain every object again.
  func downcast<E: Entity>(_ objects: [AnyManagedObject]) -> [ManagedObject<E>] {
    unsafeBitCast(objects, to: [ManagedObject<E>].self)
  }
}

extension ManagedObjectContext {
  /// Fetches the ids of all objects, and loads `fetchBatchSize` objects at a time when they are
  /// accessed.
  ///
  ///     SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZNAME
  ///
  /// Unsaved changes are taken into account, as in any fetch.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity, ``StoreError``.
  public func fetchInBatches<E: Entity>(
    _ request: FetchRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> BatchedObjects<E> {
    let operation = operation(request, .objects, file, line)
    return BatchedObjects(try fetchInBatches(request, operation))
  }

  func fetchInBatches<E: Entity>(
    _ request: FetchRequest<E>, _ operation: consuming FetchOperation
  ) throws -> BatchLoader {
    try operation.measure { operation in
      try operation.fetchKeys(
        for: BatchRequest(
          entity: operation.entity, batchSize: max(request.fetchBatchSize, 0),
          returnsObjectsAsFaults: request.returnsObjectsAsFaults,
          prefetched: PrefetchTree(operation.prefetchedKeyPaths, of: operation.entity),
          location: operation.location))
    }
  }
}
