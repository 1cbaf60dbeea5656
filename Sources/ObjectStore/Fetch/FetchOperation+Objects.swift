// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension FetchOperation {
  mutating func fetchObjects() throws -> [AnyManagedObject] {
    let prefetched = try PrefetchTree(prefetchedKeyPaths, of: entity)
    let overlay = try pendingOverlay()
    let form = try prepareObjects(isWhole: overlay == nil)
    guard case .rows = form, !refreshesObjects else {
      return try makeObjects(try read(form), overlay, prefetched)
    }
    let objects = FetchedObjects(context, entity, origin, isFilled: fillsObjects)
    var rows: [RowSnapshot] = []
    let keepsRows = prefetched.readsRows
    let isWhole = terms.isEmpty && (overlay != nil || limit == 0 && offset == 0)
    try store.pages(
      of: entity, select,
      collected: isWhole ? store.statements[entity.index].collected(select.sql) : nil,
      overlaps: !keepsRows && objects.mayBeMadeElsewhere, interests: interests,
      contextID: context.contextID, cost: &cost
    ) { page in
      objects.append(page)
      if keepsRows { page.forEach { rows.append(RowSnapshot($0)) } }
    }
    return try finish(objects.all, overlay, prefetched, rows: rows)
  }

  /// The fetch that its objects come from: for a prefetch, the one that it is part of.
  var origin: FetchOrigin? {
    let id = kind == .prefetch ? parentID : fetchID
    return isMeasured ? FetchOrigin(fetchID: id, location: location) : nil
  }

  /// Makes objects of rows that were read before.
  mutating func makeObjects(
    _ rows: FetchedRows, _ overlay: PendingChanges?, _ prefetched: PrefetchTree
  ) throws -> [AnyManagedObject] {
    let start = isMeasured ? TraceClock.now : 0
    let objects = objects(of: rows, origin)
    if isMeasured { cost.materialize += TraceClock.now - start }
    return try finish(objects, overlay, prefetched, rows: rows.whole)
  }

  /// Applies the unsaved changes to the saved objects, and prefetches.
  private mutating func finish(
    _ saved: [AnyManagedObject], _ overlay: PendingChanges?, _ prefetched: PrefetchTree,
    rows: [RowSnapshot]
  ) throws -> [AnyManagedObject] {
    var objects = saved
    materializeTime = cost.materialize
    if let overlay {
      let start = isMeasured ? TraceClock.now : 0
      objects = try overlay.apply(to: saved, limit: limit, offset: offset)
      if isMeasured { materializeTime += TraceClock.now - start }
    }
    resultCount = objects.count
    if interests.contains(.rows) { returned = objects }
    try prefetch(prefetched, of: objects, rows: rows)
    return objects
  }

  // MARK: - Rows

  private mutating func read(_ form: FetchedRows.Form) throws -> FetchedRows {
    try store.read(
      form, of: entity, select, interests: interests, contextID: context.contextID, cost: &cost)
  }

  /// Builds the SELECT, and returns the columns that it reads.
  ///
  /// - Parameter isWhole: whether limit and offset can be left to SQLite.
  mutating func prepareObjects(isWhole: Bool) throws(FetchPredicateError) -> FetchedRows.Form {
    let (limit, offset) = isWhole ? (limit, offset) : (0, 0)
    guard !projection.isGrouped else {
      throw .unsupported(
        "propertiesToGroupBy and havingPredicate for objects or ids",
        instead: "fetch dictionaries")
    }
    guard includesPropertyValues else {
      select = try statement(.objectIDs, limit: limit, offset: offset)
      return .keys
    }
    guard projection.columns.isEmpty else {
      let properties = try PartialProperties(projection.columns, of: entity)
      select = try .parts(
        of: entity, properties.columns, where: predicate,
        includingSubentities: includesSubentities, sortedBy: terms, limit: limit, offset: offset)
      return .parts(properties)
    }
    select = try statement(.objects, limit: limit, offset: offset)
    return .rows
  }

  /// The SELECT of the request, written before if it differed in values only.
  func statement(
    _ result: SelectRequest.Result, limit: Int, offset: Int
  ) throws(FetchPredicateError) -> SelectStatement {
    try store.templates.statement(
      SelectRequest(
        result: result, predicate: predicate, includesSubentities: includesSubentities,
        terms: terms, limit: limit, offset: offset), of: entity)
  }

  // MARK: - Objects

  private func objects(of rows: FetchedRows, _ origin: FetchOrigin?) -> [AnyManagedObject] {
    switch rows {
    case .rows(let rows): return rows.map { object(of: $0, origin) }
    case .keys(let keys):
      return keys.map {
        context.object(entity.entity(numbered: $0.entityID), $0.primaryKey, origin: origin)
      }
    case .parts(let rows, let properties):
      return rows.map { row in
        let object = context.object(row.entity(in: entity), row.primaryKey, origin: origin)
        if object.isFault { object.partial = PartialRow(row, properties) }
        return object
      }
    }
  }

  private func object(of row: RowSnapshot, _ origin: FetchOrigin?) -> AnyManagedObject {
    let object = context.object(row.entity(in: entity), row.primaryKey, origin: origin)
    guard let known = object.snapshot else {
      if fillsObjects { object.snapshot = row }
      return object
    }
    guard refreshesObjects else { return object }
    if context.parent != nil {
      // A parent's change differs from the row.
      do { try context.refreshValues(of: object) } catch { context.recordFaultError(error) }
    } else if known.version <= row.version {
      object.adopt(row)
    }
    return object
  }

  // MARK: - Ids

  /// The ids, unsaved objects last: the order of the request is that of the saved ones.
  mutating func fetchObjectIDs() throws -> [ManagedObjectID] {
    let overlay = try pendingOverlay()
    var ids = try read(try prepareObjects(isWhole: overlay == nil)).ids(of: entity)
    if let overlay { ids = try overlay.apply(to: ids, limit: limit, offset: offset) }
    resultCount = ids.count
    return ids
  }
}

extension AnyManagedObject {
  /// Adopts a row that was read again; unsaved changes stay.
  fileprivate func adopt(_ row: RowSnapshot) {
    snapshot = row
    links?.discardUnchanged()
  }
}
