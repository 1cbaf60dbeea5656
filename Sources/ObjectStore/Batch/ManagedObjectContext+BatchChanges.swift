// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

extension ManagedObjectContext {
  /// Updates rows in one transaction, past the context: no objects, no validation, no row cache.
  ///
  ///     // UPDATE ZSTOP SET ZNOTE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK IN (SELECT t0.Z_PK FROM ZSTOP t0 WHERE …)
  ///
  /// Objects already in memory keep their values, and saving them is a conflict, until they merge
  /// the result's ``BatchResult/changes``.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity; ``StoreError``:
  ///   `unknownProperty`, `wrongType`, `wrongValue` for NaN, for nil where a value is required and
  ///   for decimal numbers with too many digits, `objectGone` and `foreignObject` for ids that no row
  ///   of this store has, and SQLite's errors. Nothing is updated then.
  @discardableResult
  public func execute<E: Entity>(
    _ request: BatchUpdateRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> BatchResult {
    let entity = description(of: E.self)
    let assignments = try entity.assignments(request.assignments)
    guard !assignments.isEmpty else { return BatchResult(BatchChanges(), .update) }
    let rows = try request.predicate.map {
      try SelectStatement.keys(of: entity, where: $0, sortedBy: [], limit: 0, offset: 0)
    }
    return try execute(file, line) { writer in
      for case (let name, .object(let id)) in request.assignments {
        guard let destination = entity.relationship(named: name)?.destination else { continue }
        try writer.checkRows(of: destination, [id.primaryKey])
      }
      let changes = try writer.updateBatch(
        entity, assignments, rows, returnsKeys: request.resultType == .objectIDs)
      writer.counts = (0, changes.count, 0)
      return BatchResult(changes, .update)
    }
  }

  /// Deletes rows in one transaction, past the context: no objects, no row cache.
  ///
  ///     // DELETE FROM ZSTOPTIME WHERE Z_PK IN (SELECT t0.Z_PK FROM ZSTOPTIME t0 WHERE …)
  ///
  /// If rows refer to the deleted ones, additional statements follow the delete rules in the
  /// database.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity; ``StoreError``:
  ///   `deletionDenied` if a rule denies it or a reference that is not optional would be left
  ///   empty, `wrongType` for the id of another entity, `foreignObject` for one of another store.
  ///   Nothing is deleted then.
  @discardableResult
  public func execute<E: Entity>(
    _ request: BatchDeleteRequest<E>, file: String = #fileID, line: UInt = #line
  ) throws -> BatchResult {
    let entity = description(of: E.self)
    let rows = try select(request.source, entity)
    return try execute(file, line) { writer in
      let changes = try writer.deleteBatch(
        entity, rows, returnsKeys: request.resultType == .objectIDs)
      writer.counts = (0, 0, changes.count)
      return BatchResult(changes, .delete)
    }
  }

  private func execute(
    _ file: String, _ line: UInt, _ writes: (inout SaveWriter) throws -> BatchResult
  ) throws -> BatchResult {
    var operation = SaveOperation(
      of: store, by: saveOrigin, location: SourceLocation(file: file, line: UInt64(line)))
    var result = BatchResult(BatchChanges(), .update)
    try operation.run { result = try writes(&$0) }
    store.checkpointIfNeeded(contextID: contextID)
    return result
  }

  private func select<E: Entity>(
    _ source: BatchDeleteRequest<E>.Source, _ entity: EntityDescription
  ) throws -> SelectStatement? {
    switch source {
    case .ids(let ids):
      guard ids.allSatisfy({ entity.isNamed($0.entityName) }) else {
        throw StoreError.wrongType(
          property: "objectIDs", entity: entity.name, expected: "ids of \(entity.name) objects")
      }
      if let id = ids.first(where: { !entity.isOfSameStore($0) }) {
        throw StoreError.foreignObject(id)
      }
      return SelectStatement(
        sql: "SELECT value FROM json_each(?)",
        bindings: [.string(JSONArray(keys: ids.map(\.primaryKey)).text)])
    case .request(let request):
      if request.predicate == nil, request.fetchLimit <= 0, request.fetchOffset <= 0 { return nil }
      return try .keys(
        of: entity, where: request.predicate, sortedBy: request.parameters.terms,
        limit: max(request.fetchLimit, 0), offset: max(request.fetchOffset, 0))
    }
  }
}

extension BatchResult {
  fileprivate init(_ changes: BatchChanges, _ kind: HistoryChange.Kind) {
    func ids(_ entity: EntityDescription, _ keys: [Int64]) -> [ManagedObjectID] {
      keys.map { ManagedObjectID(reference: entity.reference, primaryKey: $0) }
    }
    count = changes.count
    objectIDs = changes.keys.flatMap(ids)
    self.changes =
      kind == .delete
      ? ContextChanges(
        updated: changes.nullified.flatMap { ids($0.entity, $0.keys) }, deleted: objectIDs)
      : ContextChanges(updated: objectIDs)
  }
}

extension EntityDescription {
  /// The columns and their values, including derived attributes and positions in ordered
  /// relationships.
  fileprivate func assignments(
    _ wanted: [(name: String, value: StoreValue)]
  ) throws -> [BatchChanges.Assignment] {
    var assignments: [BatchChanges.Assignment] = []
    for (name, value) in wanted {
      if let attribute = attribute(named: name) {
        guard attribute.derivation == nil else {
          throw StoreError.wrongType(
            property: name, entity: self.name, expected: "no value, as it is derived")
        }
        guard let value = attribute.type.converted(value) else {
          throw StoreError.wrongType(
            property: name, entity: self.name, expected: attribute.type.rawValue)
        }
        if value == .null, attribute.isRequiredValue {
          throw StoreError.wrongValue(property: name, entity: self.name, problem: .missing)
        }
        if let problem = value.lossInColumn {
          throw StoreError.wrongValue(property: name, entity: self.name, problem: problem)
        }
        // Never a file: the rows would share it.
        assignments.append(
          .init(column: attribute.column, value: attribute.inlineColumnValue(value)))
        for step in derivedAttributes.steps(from: attribute.slot) {
          let derived = attributes[step.slot]
          assignments.append(
            .init(
              column: derived.column, value: derived.inlineColumnValue(step.transform(value))))
        }
      } else if let toOne = relationship(named: name), let column = toOne.column {
        assignments += try toOne.assignments(column, value)
      } else {
        throw StoreError.unknownProperty(
          name, entity: self.name, nearest: nearestPropertyName(to: name))
      }
    }
    guard !assignments.isEmpty else { return [] }
    for slot in derivedAttributes.dates {
      assignments.append(.init(column: attributes[slot].column, value: .date(Date())))
    }
    return assignments
  }
}

extension RelationshipDescription {
  /// Rows that are added to an ordered relationship come after the existing ones.
  fileprivate func assignments(
    _ column: String, _ value: StoreValue
  ) throws -> [BatchChanges.Assignment] {
    switch value {
    case .null:
      guard isOptional else {
        throw StoreError.wrongValue(property: name, entity: entity.name, problem: .missing)
      }
    case .object(let id) where !id.isTemporary:
      if let problem = problem(with: id) { throw problem }
    default:
      throw StoreError.wrongType(
        property: name, entity: entity.name, expected: "the id of a saved \(destination.name)")
    }
    var assignments = [BatchChanges.Assignment(column: column, value: value)]
    if let entityColumn {
      assignments.append(.init(column: entityColumn, value: entityValue(of: value)))
    }
    if let orderColumn {
      assignments.append(
        .init(
          column: orderColumn, value: .null, sql: value == .null ? nil : "Z_PK * \(Self.orderGap)"))
    }
    return assignments
  }
}
