// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension ManagedObjectContext {
  /// Fetches objects of a named entity, such as one from a model that was read from a file.
  ///
  ///     try context.fetch(
  ///       entityNamed: "Stop", where: FetchPredicate("name BEGINSWITH 'Am'"),
  ///       sortedBy: [SortTerm("name")])
  ///     // SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE ( t0.ZNAME >= ? AND  t0.ZNAME < ?)  ORDER BY t0.ZNAME
  ///
  /// - Throws: ``StoreError/unknownEntity(_:)``; ``FetchPredicateError`` if the predicate or an order
  ///   does not fit the entity.
  public func fetch(
    entityNamed name: String, where predicate: FetchPredicate? = nil,
    sortedBy terms: [SortTerm] = [], limit: Int = 0, offset: Int = 0,
    includesSubentities: Bool = true, file: String = #fileID, line: UInt = #line
  ) throws -> [AnyManagedObject] {
    var operation = try operation(name, .objects, predicate, terms, limit, offset, file, line)
    operation.includesSubentities = includesSubentities
    return try operation.measure { try $0.fetchObjects() }
  }

  /// Counts the objects that a fetch by name would return.
  ///
  /// - Throws: ``StoreError/unknownEntity(_:)``; ``FetchPredicateError`` if the predicate does not fit
  ///   the entity.
  public func count(
    entityNamed name: String, where predicate: FetchPredicate? = nil,
    includesSubentities: Bool = true, file: String = #fileID, line: UInt = #line
  ) throws -> Int {
    var operation = try operation(name, .count, predicate, [], 0, 0, file, line)
    operation.includesSubentities = includesSubentities
    return try operation.measure { try $0.count() }
  }

  private func operation(
    _ name: String, _ kind: FetchKind, _ predicate: FetchPredicate?, _ terms: [SortTerm],
    _ limit: Int, _ offset: Int, _ file: String, _ line: UInt
  ) throws -> FetchOperation {
    guard let entity = store.model.entity(named: name) else { throw StoreError.unknownEntity(name) }
    return FetchOperation(
      context: self, entity: entity, kind: kind, predicate: predicate, terms: terms, limit: limit,
      offset: offset, includesPendingChanges: true,
      location: SourceLocation(file: file, line: UInt64(line)))
  }
}
