// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension ManagedObjectContext {
  /// Fetches objects; always asks the database.
  ///
  /// All at once: of a request with a batch size, which ``fetchInBatches(_:file:line:)`` heeds, the
  /// debug log warns.
  ///
  /// - Throws: ``PredicateError`` if the predicate does not fit the entity, ``StoreError``.
  public func fetch<E: Entity>(
    _ request: FetchRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> [ManagedObject<E>] {
    var operation = operation(request, .objects, file, line)
    if request.fetchBatchSize > 0 { operation.warnOfBatchSize(request.fetchBatchSize) }
    operation.batchSize = request.fetchBatchSize
    let objects = try operation.measure { try $0.fetchObjects() }
    return downcast(objects)
  }

  /// Counts what a fetch would return.
  ///
  /// - Throws: ``PredicateError`` if the predicate does not fit the entity, ``StoreError``.
  public func count<E: Entity>(
    _ request: FetchRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> Int {
    var operation = operation(request, .count, file, line)
    return try operation.measure { try $0.count() }
  }

  /// Fetches the ids of objects, without their values.
  ///
  /// - Throws: ``PredicateError`` if the predicate does not fit the entity, ``StoreError``.
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
      context: self, entity: description(of: E.self), kind: kind, predicate: request.predicate,
      terms: request.sortDescriptors.map(\.term), limit: request.fetchLimit,
      offset: request.fetchOffset, includesPendingChanges: request.includesPendingChanges,
      location: SourceLocation(file: file, line: UInt64(line)))
    if request.reordersPredicates { operation.reorderPredicate() }
    if kind == .objects {
      operation.fillsObjects = !request.returnsObjectsAsFaults
      operation.prefetchedKeyPaths = request.relationshipKeyPathsForPrefetching
    }
    operation.includesSubentities = request.includesSubentities
    return operation
  }

  /// The same array under its static type: a copy would retain every object once more.
  private func downcast<E: Entity>(_ objects: [AnyManagedObject]) -> [ManagedObject<E>] {
    unsafeBitCast(objects, to: [ManagedObject<E>].self)
  }
}
