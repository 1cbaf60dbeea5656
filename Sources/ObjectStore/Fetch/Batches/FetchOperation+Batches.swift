// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension FetchOperation {
  /// Selects the keys of what a batched fetch returns; the objects come later.
  ///
  ///     SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZNAME
  mutating func fetchKeys(for request: BatchRequest) throws -> BatchLoader {
    batchSize = request.batchSize
    let overlay = try pendingOverlay()
    select = try statement(
      .objectIDs, limit: overlay == nil ? limit : 0, offset: overlay == nil ? offset : 0)
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

  /// Selects whole objects by their keys.
  ///
  ///     SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK IN (SELECT value FROM json_each(?))  LIMIT 50
  mutating func fetchBatch(
    _ keys: [Int64], for loader: BatchLoader, into objects: inout [Int64: AnyManagedObject]
  ) throws -> [RowSnapshot] {
    select = SelectStatement(
      sql: store.statements[entity.index].rowsByKey + "  LIMIT \(limit)",
      bindings: [.string(JSONArray(keys: keys).text)])
    let rows = try store.rows(
      of: entity, select, interests: interests, contextID: context.contextID, cost: &cost)
    let start = isMeasured ? TraceClock.now : 0
    for row in rows { objects[row.primaryKey] = loader.object(of: row) }
    if isMeasured { materializeTime = TraceClock.now - start }
    resultCount = rows.count
    let found = keys.compactMap { objects[$0] }
    if interests.contains(.rows) { returned = found }
    try prefetch(loader.request.prefetched, of: found, rows: rows)
    return rows
  }

  func warnOfBatchSize(_ size: Int) {
    store.instruments.warn(
      "the fetch at \(location.file):\(location.line) has a batch size of \(size) and loads all its "
        + "\(entity.name) objects at once; use fetchInBatches, or fetch without a batch size",
      contextID: context.contextID)
  }
}
