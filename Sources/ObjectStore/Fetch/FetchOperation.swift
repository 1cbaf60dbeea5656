// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

/// One run of a fetch request: the SQL, the rows, the objects, and its events; never copied.
struct FetchOperation: ~Copyable {
  let context: ManagedObjectContext
  let entity: EntityDescription
  let kind: FetchKind
  private(set) var predicate: FetchPredicate?
  let terms: [SortTerm]
  let limit: Int
  let offset: Int
  let includesPendingChanges: Bool
  let location: SourceLocation
  /// The fetch that this one belongs to, or 0.
  var parentID: UInt64 = 0
  var batchSize = 0
  var prefetchedKeyPaths: [String] = []
  /// Whether objects come filled; otherwise as faults.
  var fillsObjects = false
  var includesSubentities = true
  /// Whether registered objects adopt the values fetched.
  var refreshesObjects = false
  var includesPropertyValues = true
  /// The columns to read or compute instead of whole objects.
  var projection = GroupedQuery()

  let interests: Interests
  private(set) var fetchID: UInt64 = 0
  private var startTime: Nanoseconds = 0
  var select = SelectStatement(sql: "", bindings: [])
  var cost = QueryCost()
  var materializeTime: Nanoseconds = 0
  var resultCount = 0
  /// For observers of the returned objects; nil where the fetch returns none.
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

  init(
    _ request: borrowing FetchParameters, of entity: EntityDescription,
    context: ManagedObjectContext, kind: FetchKind, location: SourceLocation
  ) {
    self.init(
      context: context, entity: entity, kind: kind,
      predicate: request.predicate, terms: request.terms, limit: request.fetchLimit,
      offset: request.fetchOffset, includesPendingChanges: request.includesPendingChanges,
      location: location)
    includesSubentities = request.includesSubentities
    includesPropertyValues = request.includesPropertyValues
    refreshesObjects = request.shouldRefreshRefetchedObjects
    if request.isProjected {
      projection = GroupedQuery(
        columns: request.columns, groups: request.groups, having: request.havingPredicate,
        isDistinct: request.returnsDistinctResults)
    }
    if kind == .objects {
      fillsObjects = !request.returnsObjectsAsFaults
      prefetchedKeyPaths = request.relationshipKeyPathsForPrefetching
    }
  }

  /// Moves the cheap terms of the predicate first, and reports the change.
  mutating func reorderPredicate() {
    guard (try? predicate?.checkDepth()) != nil,
      let (predicate, reason) = predicate?.reordered(for: entity)
    else { return }
    self.predicate = predicate
    store.instruments.annotate(
      "Reordered the predicate of the fetch on '\(entity.name)', cheap terms first: \(reason).",
      contextID: context.contextID)
  }

  var store: PersistentStore { context.store }
  var isMeasured: Bool { interests.contains(.events) }

  // MARK: - Unsaved changes

  func pendingOverlay() throws -> PendingChanges? {
    guard includesPendingChanges, context.hasChanges || context.inheritsChanges else { return nil }
    try context.followDeleteRules()
    return try PendingChanges(
      context: context, entity: entity, includesSubentities: includesSubentities,
      predicate: predicate, terms: terms
    ) { condition in
      var related = FetchOperation(
        context: context, entity: entity, kind: .ids, predicate: condition, terms: [], limit: 0,
        offset: 0, includesPendingChanges: false, location: location)
      related.parentID = fetchID
      related.includesSubentities = includesSubentities
      related.includesPropertyValues = false
      return try related.measure { try $0.fetchObjects() }
    }
  }

  // MARK: - Reporting

  /// Runs the fetch, counts it, and reports its begin and its end.
  mutating func measure<R>(_ body: (inout FetchOperation) throws -> R) throws -> R {
    begin()
    do {
      try predicate?.checkDepth()
      let result = try context.parent == nil ? body(&self) : runBelowParent(body)
      end(nil)
      return result
    } catch {
      end(error)
      throw error
    }
  }

  /// Runs the fetch of a child, again if a parent's save meanwhile assigned keys to objects: they
  /// would be in the result by their old keys and by their rows.
  private mutating func runBelowParent<R>(
    _ body: (inout FetchOperation) throws -> R
  ) throws -> R {
    try context.checkDepth()
    while true {
      context.followKeys()
      try context.followDiscards()
      let keys = context.followedKeys
      let result = try body(&self)
      if context.followedKeys == keys, !context.isBehindParentKeys() { return result }
    }
  }

  mutating func begin() {
    store.instruments.counters.countFetch()
    guard !interests.isEmpty else { return }
    fetchID = ProcessCounter.nextFetchID()
    if store.recordsIO { store.reportIO(contextID: context.contextID) }
    startTime = TraceClock.now
    store.instruments.emit(
      .fetchBegin(
        FetchBegin(
          fetchID: fetchID, parentID: parentID, entity: entity.name, location: location)),
      contextID: context.contextID)
  }

  func end(_ error: (any Error)?) {
    guard !interests.isEmpty else { return }
    let text = error.map { $0 is CancellationError ? "cancelled" : "\($0)" } ?? ""
    reportEnd(total: TraceClock.now - startTime, error: text)
  }

  private func reportEnd(total: Nanoseconds, error: String) {
    let statementID = cost.statementID ?? StatementID(sql: select.sql)
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
    if store.recordsIO {
      store.reportIO(run: fetchID, pages: cost.pages, contextID: context.contextID)
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
      totalTime: total, rows: UInt64(resultCount), counters: cost.counters,
      limit: UInt64(limit), offset: UInt64(offset), batchSize: UInt64(batchSize), error: error)
  }

  /// `Hasher` is keyed per process, so that values cannot be read from the hash.
  private var bindHash: UInt64 {
    var hasher = Hasher()
    hasher.combine(select.bindings)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension FetchParameters {
  fileprivate var isProjected: Bool {
    !columns.isEmpty || !groups.isEmpty || havingPredicate != nil || returnsDistinctResults
  }
}
