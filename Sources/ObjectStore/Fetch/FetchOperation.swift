// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

/// One run of a fetch request: the SQL, the rows, the objects, and what is told of it.
struct FetchOperation {
  let context: ManagedObjectContext
  let entity: EntityDescription
  let kind: FetchKind
  private(set) var predicate: FetchPredicate?
  let terms: [SortTerm]
  let limit: Int
  let offset: Int
  let includesPendingChanges: Bool
  let location: SourceLocation
  /// The fetch that this one serves, or 0.
  var parentID: UInt64 = 0
  var batchSize = 0
  var prefetchedKeyPaths: [String] = []
  /// Whether objects come filled, or else as faults.
  var fillsObjects = false
  var includesSubentities = true

  let interests: Interests
  private(set) var fetchID: UInt64 = 0
  var select = SelectStatement(sql: "", bindings: [])
  var cost = QueryCost()
  var materializeTime: Nanoseconds = 0
  var resultCount = 0
  /// For those who want to know which objects came; nil where the fetch gives none.
  var returned: [AnyManagedObject]?

  init(
    context: ManagedObjectContext, entity: EntityDescription, kind: FetchKind,
    predicate: FetchPredicate?, terms: [SortTerm], limit: Int, offset: Int,
    includesPendingChanges: Bool, location: SourceLocation
  ) {
    self.context = context
    self.entity = entity
    self.kind = kind
    self.predicate = predicate
    self.terms = terms
    self.limit = max(limit, 0)
    self.offset = max(offset, 0)
    self.includesPendingChanges = includesPendingChanges
    self.location = location
    interests = context.interests
    context.checkQueue("a fetch")
  }

  /// Puts cheap terms first, and tells of it.
  mutating func reorderPredicate() {
    guard let (predicate, reason) = predicate?.reordered(for: entity) else { return }
    self.predicate = predicate
    store.instruments.annotate(
      "Reordered the predicate of the fetch on '\(entity.name)', cheap terms first: \(reason).",
      contextID: context.contextID)
  }

  var store: PersistentStore { context.store }
  var isMeasured: Bool { interests.contains(.events) }

  // MARK: - Kinds

  mutating func fetchObjects() throws -> [AnyManagedObject] {
    let prefetched = try PrefetchTree(prefetchedKeyPaths, of: entity)
    let overlay = try pendingOverlay()
    select = try .objects(
      of: entity, where: predicate, includingSubentities: includesSubentities, sortedBy: terms,
      limit: overlay == nil ? limit : 0, offset: overlay == nil ? offset : 0)
    let origin = isMeasured ? FetchOrigin(fetchID: fetchID, location: location) : nil
    var objects: [AnyManagedObject] = []
    var rows: [RowSnapshot] = []
    try store.pages(
      of: entity, select, interests: interests, contextID: context.contextID, cost: &cost
    ) { page in
      context.appendObjects(of: page, entity, origin, isFilled: fillsObjects, to: &objects)
      if !prefetched.isEmpty { page.forEach { rows.append(RowSnapshot($0)) } }
    }
    let start = isMeasured ? TraceClock.now : 0
    if let overlay { objects = try overlay.apply(to: objects, limit: limit, offset: offset) }
    if isMeasured { materializeTime = TraceClock.now - start + cost.materialize }
    resultCount = objects.count
    if interests.contains(.rows) { returned = objects }
    try prefetch(prefetched, of: objects, rows: rows)
    return objects
  }

  mutating func fetchObjectIDs() throws -> [ManagedObjectID] {
    if try pendingOverlay() != nil {
      return try fetchObjects().map(\.objectID)
    }
    select = try .objectIDs(
      of: entity, where: predicate, includingSubentities: includesSubentities, sortedBy: terms,
      limit: limit, offset: offset)
    var ids: [ManagedObjectID] = []
    try store.query(
      select, interests: interests, contextID: context.contextID, cost: &cost
    ) {
      let reference = entity.entity(numbered: $0.int64(0)).reference
      ids.append(ManagedObjectID(reference: reference, primaryKey: $0.int64(1)))
    }
    resultCount = ids.count
    return ids
  }

  mutating func count() throws -> Int {
    if try pendingOverlay() != nil { return try fetchObjects().count }
    select = try .count(
      of: entity, where: predicate, includingSubentities: includesSubentities, limit: limit,
      offset: offset)
    var count = 0
    try store.query(
      select, interests: interests, contextID: context.contextID, cost: &cost
    ) { count = Int($0.int64(0)) }
    resultCount = count
    return count
  }

  func pendingOverlay() throws -> PendingChanges? {
    guard includesPendingChanges, context.hasChanges else { return nil }
    try context.followDeleteRules()
    return try PendingChanges(
      context: context, entity: entity, includesSubentities: includesSubentities,
      predicate: predicate, terms: terms)
  }

  // MARK: - Telling

  /// Runs the fetch, counts it, and tells its begin and its end.
  mutating func measure<R>(_ body: (inout FetchOperation) throws -> R) throws -> R {
    store.instruments.counters.countFetch()
    guard !interests.isEmpty else { return try body(&self) }
    fetchID = ProcessCounter.nextFetchID()
    let start = TraceClock.now
    store.instruments.emit(
      .fetchBegin(
        FetchBegin(
          fetchID: fetchID, parentID: parentID, entity: entity.name, location: location)),
      contextID: context.contextID)
    do {
      let result = try body(&self)
      tellEnd(total: TraceClock.now - start, error: "")
      return result
    } catch {
      tellEnd(total: TraceClock.now - start, error: "\(error)")
      throw error
    }
  }

  private func tellEnd(total: Nanoseconds, error: String) {
    let statementID = StatementID(sql: select.sql)
    let instruments = store.instruments
    if !select.sql.isEmpty {
      instruments.announce(
        select.sql, id: statementID, storeID: store.id, contextID: context.contextID)
    }
    if let returned {
      instruments.didReturn(
        returned.map(\.objectID.uri), entity: entity.name, sql: select.sql,
        contextID: context.contextID)
    }
    instruments.emit(.fetchEnd(end(statementID, total, error)), contextID: context.contextID)
    if interests.contains(.plans), error.isEmpty {
      store.explain(select.sql, contextID: context.contextID)
    }
  }

  private func end(
    _ statementID: StatementID, _ total: Nanoseconds, _ error: String
  ) -> FetchEnd {
    FetchEnd(
      fetchID: fetchID, parentID: parentID, entity: entity.name, kind: kind,
      statementID: statementID, bindHash: bindHash, waitTime: cost.wait,
      prepareTime: cost.prepare, stepTime: cost.step, materializeTime: materializeTime,
      connectionTime: cost.prepare + cost.step,
      totalTime: total, rows: UInt64(resultCount), vmSteps: cost.counters.vmSteps,
      fullScanSteps: cost.counters.fullScanSteps, sorts: cost.counters.sorts,
      autoIndexRows: cost.counters.autoIndexRows, limit: UInt64(limit), offset: UInt64(offset),
      batchSize: UInt64(batchSize), error: error)
  }

  /// `Hasher` is keyed per process, so that values cannot be read from the hash.
  private var bindHash: UInt64 {
    var hasher = Hasher()
    hasher.combine(select.bindings)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
