// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension FetchOperation {
  /// Selects the keys of a batched fetch's result; the objects come later.
  ///
  ///     SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZNAME
  ///     SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.Z_PK    -- all objects, in no order
  mutating func fetchKeys(for request: BatchRequest) throws -> BatchLoader {
    batchSize = request.batchSize
    let overlay = try pendingOverlay()
    select = try statement(
      .objectIDs, limit: overlay == nil ? limit : 0, offset: overlay == nil ? offset : 0)
    // Otherwise SQLite reads the keys from the smallest index, and the rows of a batch lie all over
    // the table.
    if predicate == nil, terms.isEmpty, limit == 0, offset == 0, entity.hierarchy == nil {
      select.sql += " ORDER BY t0.Z_PK"
    }
    var keys = KeyList()
    try store.query(
      select, interests: interests, contextID: context.contextID, cost: &cost
    ) { keys.append($0.int64(1)) }
    let loader = BatchLoader(request, context: context, keys: keys, fetchID: fetchID)
    let start = isMeasured ? TraceClock.now : 0
    let result = try overlay?.apply(to: loader, limit: limit, offset: offset) ?? loader
    if isMeasured { materializeTime = TraceClock.now - start }
    resultCount = result.keys.count
    return result
  }

  /// The fetch of one batch, on behalf of the fetch that found the keys.
  init(batchOf loader: BatchLoader) {
    self.init(
      context: loader.context, entity: loader.request.entity, kind: .batch, predicate: nil,
      terms: [], limit: loader.batchSize, offset: 0, includesPendingChanges: false,
      location: loader.request.location)
    parentID = loader.fetchID
    batchSize = loader.batchSize
    fillsObjects = !loader.request.returnsObjectsAsFaults
  }

  /// Selects whole objects by their keys; nil for deleted rows.
  ///
  ///     SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK BETWEEN ? AND ?  LIMIT 50
  ///     SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK IN (SELECT value FROM json_each(?))  LIMIT 50
  mutating func fetchBatch(
    _ keys: [Int64], for loader: BatchLoader
  ) throws -> (objects: [AnyManagedObject?], rows: [RowSnapshot]) {
    let collected = selectRows(keys)
    var maker = loader.objectMaker
    // Optional from the beginning: to convert the array casts each object.
    var found: [AnyManagedObject?] = []
    var rows: [RowSnapshot] = []
    found.reserveCapacity(keys.count)
    rows.reserveCapacity(keys.count)
    try store.pages(
      of: entity, select, collected: collected, interests: interests,
      contextID: context.contextID, cost: &cost
    ) { page in
      page.forEach { row in
        found.append(maker?.object(of: row) ?? loader.object(of: RowSnapshot(row)))
        rows.append(RowSnapshot(page: page, pointer: row))
      }
    }
    maker?.notify()
    let start = isMeasured ? TraceClock.now : 0
    let objects = Self.arranged(found, rows, at: keys)
    if isMeasured { materializeTime = TraceClock.now - start + cost.materialize }
    resultCount = rows.count
    let isWanted = interests.contains(.rows) || !loader.request.prefetched.isEmpty
    let present = isWanted ? objects.compactMap { $0 } : []
    if interests.contains(.rows) { returned = present }
    try prefetch(loader.request.prefetched, of: present, rows: rows)
    return (objects, rows)
  }

  /// Writes the SELECT: by the range of the keys, where no other key is in it.
  ///
  /// - Returns: the same for a ``PageCollector``, if it can run it; as many rows as keys are in a
  ///   range, it needs no limit.
  private mutating func selectRows(_ keys: [Int64]) -> String? {
    let statements = store.statements[entity.index]
    if let range = Self.wholeRange(keys) {
      select = SelectStatement(
        sql: statements.rowsByKeyRange + "  LIMIT \(limit)",
        bindings: [.integer(range.lowerBound), .integer(range.upperBound)])
      return statements.collectedByKeyRange
    }
    select = SelectStatement(
      sql: statements.rowsByKey + "  LIMIT \(limit)",
      bindings: [.string(JSONArray(keys: keys).text)])
    return nil
  }

  /// The range of keys that follow each other, up or down; nil where one is left out.
  private static func wholeRange(_ keys: [Int64]) -> ClosedRange<Int64>? {
    guard let first = keys.first, let last = keys.last else { return nil }
    let step: Int64 = first <= last ? 1 : -1
    for (index, key) in keys.enumerated() where key &- first != Int64(index) * step { return nil }
    return min(first, last)...max(first, last)
  }

  /// The objects in the order of the keys.
  private static func arranged(
    _ found: [AnyManagedObject?], _ rows: [RowSnapshot], at keys: [Int64]
  ) -> [AnyManagedObject?] {
    // SQLite finds rows in the order of their keys, as most that goes through all objects does.
    if rows.count == keys.count, zip(rows, keys).allSatisfy({ $0.primaryKey == $1 }) {
      return found
    }
    var objects: [Int64: AnyManagedObject] = [:]
    objects.reserveCapacity(found.count)
    for (row, object) in zip(rows, found) { objects[row.primaryKey] = object }
    return keys.map { objects[$0] }
  }

  func warnOfBatchSize(_ size: Int) {
    store.instruments.warn(
      "the fetch at \(location.file):\(location.line) has a batch size of \(size) and loads all its "
        + "\(entity.name) objects at once; use fetchInBatches, or fetch without a batch size",
      contextID: context.contextID)
  }
}
