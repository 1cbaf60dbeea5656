// SPDX-License-Identifier: Apache-2.0

import StoreEvents

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
