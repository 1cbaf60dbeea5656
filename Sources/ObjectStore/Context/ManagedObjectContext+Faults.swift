// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension ManagedObjectContext {
  // MARK: - Object faults

  /// The row of a fault, if the row cache has it and ``fire(_:)`` would do nothing else.
  ///
  /// Counts no references but that of the row's page, which is the caller's: half of the time of a
  /// fault were atomic counts.
  @inline(__always)
  func retainedRow(
    _ table: Int, _ primaryKey: Int64, _ isUnknown: inout Bool
  ) -> RowPointer? {
    guard parent == nil, staleness == .max, store.isUnwatched,
      let row = store.retainedRow(table, primaryKey, &isUnknown)
    else { return nil }
    store.count { $0.countCacheHit() }
    return row
  }

  /// Loads an object's values: from the row cache, otherwise by one SELECT.
  ///
  /// - Parameter isUnknown: whether ``retainedRow(_:_:_:)`` just found no information on the row.
  /// - Returns: false if the row no longer exists; the object then counts as deleted, if the
  ///   context is configured so.
  func fire(_ object: AnyManagedObject, isUnknown: Bool = false) throws -> Bool {
    // The context keeps its store.
    try Unmanaged.passUnretained(store)._withUnsafeGuaranteedRef { store in
      isUnknown
        ? try fireMiss(object, from: store, [], 0)
        : try fire(object, from: store)
    }
  }

  private func fire(_ object: AnyManagedObject, from store: PersistentStore) throws -> Bool {
    let interests = store.interests
    let start = interests.contains(.events) ? TraceClock.now : 0
    if let parent {
      try checkDepth()
      switch inherit(object, from: parent) {
      case .asStored: break
      case .gone:
        store.count { $0.countFault() }
        return fulfil(object, nil)
      case .row(let row):
        reportHit(object, interests, start)
        return fulfil(object, row)
      }
    }
    guard let row = store.cachedRow(object.table, object.primaryKey), !isStale(row) else {
      return try fireMiss(object, from: store, interests, start)
    }
    reportHit(object, interests, start)
    return fulfil(object, row === RowSnapshot.deleted ? nil : row)
  }

  private func reportHit(
    _ object: AnyManagedObject, _ interests: Interests, _ start: Nanoseconds
  ) {
    store.count { $0.countCacheHit() }
    if interests.contains(.events) {
      emitFault(object, source: .rowCache, duration: TraceClock.now - start, rows: 1)
    }
  }

  private func isStale(_ row: RowSnapshot) -> Bool {
    staleness != .max && TraceClock.coarseNow - row.loadedAt >= staleness
  }

  private func fireMiss(
    _ object: AnyManagedObject, from store: PersistentStore, _ interests: Interests,
    _ start: Nanoseconds
  ) throws -> Bool {
    store.count { $0.countCacheMiss() }
    var cost = QueryCost()
    let row = try store.row(
      of: object.entity, object.primaryKey, interests: interests, contextID: contextID, cost: &cost)
    if !interests.isEmpty { reportMiss(object, interests, start, cost, isGone: row == nil) }
    return fulfil(object, row)
  }

  private func reportMiss(
    _ object: AnyManagedObject, _ interests: Interests, _ start: Nanoseconds, _ cost: QueryCost,
    isGone: Bool
  ) {
    let statements = store.statements[object.entity.index]
    if interests.contains(.events) {
      let duration = TraceClock.now - start
      emitMiss(object, "", duration, statements.fault, statements.faultID, cost)
      emitFault(object, source: .database, duration: duration, rows: isGone ? 0 : 1)
    }
    if interests.contains(.plans) { store.explain(statements.fault, contextID: contextID) }
  }

  private func fulfil(_ object: AnyManagedObject, _ row: consuming RowSnapshot?) -> Bool {
    object.partial = nil
    guard let row else {
      if shouldDeleteInaccessibleFaults { object.state.insert(.inaccessible) }
      return false
    }
    object.fill(adopting: row)
    object.notify(.awakeFromFetch)
    return true
  }

  // MARK: - To-many faults

  /// Loads which objects are the members: always by one SELECT.
  func fire(
    _ relationship: RelationshipDescription, of object: AnyManagedObject, _ link: ToManyLink
  ) throws {
    let instruments = store.instruments
    let interests = instruments.interests
    let start = interests.contains(.events) ? TraceClock.now : 0
    try checkDepth()
    if let members = inheritedMembers(relationship, of: object, link) {
      instruments.counters.countFault()
      link.members = link.arranged(applyChanges(to: members, relationship, of: object, link))
      return
    }
    instruments.counters.countCacheMiss()
    let sql = store.statements[object.entity.index].toManyFaults[relationship.slot]
    let isOrdered = relationship.isOrdered
    var members: [AnyManagedObject] = []
    var orderKeys: [ToManyLink.OrderKey] = []
    var cost = QueryCost()
    try store.query(
      SelectStatement(sql: sql, bindings: [.integer(object.primaryKey)]), interests: interests,
      contextID: contextID, cost: &cost
    ) { row in
      let entity = relationship.destination.entity(numbered: row.int64(0))
      let member = self.object(entity, row.int64(1), origin: object.origin)
      member.releaseOwner(object, relationship)
      members.append(member)
      if isOrdered { orderKeys.append((ObjectIdentifier(member), row.int64(2))) }
    }
    link.recordOrderKeys(orderKeys)
    if interests.contains(.events) {
      let duration = TraceClock.now - start
      emitMiss(object, relationship.name, duration, sql, StatementID(sql: sql), cost)
      emitFault(
        object, relationship.name, source: .database, duration: duration, rows: members.count)
    }
    if interests.contains(.plans) { store.explain(sql, contextID: contextID) }
    link.members = link.arranged(applyChanges(to: members, relationship, of: object, link))
  }

  /// The members in the parents, if they have unsaved changes of them.
  private func inheritedMembers(
    _ relationship: RelationshipDescription, of object: AnyManagedObject, _ link: ToManyLink
  ) -> [AnyManagedObject]? {
    guard let parent else { return nil }
    let keys = parent.performAndWait {
      parent.memberKeys(relationship, of: object.entity, object.primaryKey)
    }
    return keys?.map { key in
      let member = self.object(key.entity, key.primaryKey, origin: object.origin)
      member.releaseOwner(object, relationship)
      link.orderKeys[ObjectIdentifier(member)] = key.orderKey
      return member
    }
  }

  /// Applies this context's unsaved changes to the members in the database.
  func applyChanges(
    to saved: [AnyManagedObject], _ relationship: RelationshipDescription,
    of object: AnyManagedObject, _ link: ToManyLink
  ) -> [AnyManagedObject] {
    MemberChanges(self, of: relationship).apply(to: saved, of: object, link)
  }

  // MARK: - Events

  private func emitFault(
    _ object: AnyManagedObject, _ relationship: String = "", source: FaultSource,
    duration: Nanoseconds, rows: Int
  ) {
    store.instruments.emit(
      .fault(
        FaultFired(
          entity: object.entity.name, pk: object.primaryKey, relationship: relationship,
          source: source, duration: duration, rows: UInt64(rows),
          originFetchID: object.origin?.fetchID ?? 0,
          origin: object.origin?.location ?? .unknown)), contextID: contextID)
  }

  private func emitMiss(
    _ object: AnyManagedObject, _ relationship: String, _ duration: Nanoseconds, _ sql: String,
    _ statementID: StatementID, _ cost: QueryCost
  ) {
    store.instruments.announce(sql, id: statementID, storeID: store.id, contextID: contextID)
    store.instruments.emit(
      .cacheMiss(
        CacheMiss(
          entity: object.entity.name, pk: object.primaryKey, relationship: relationship,
          duration: duration, statementID: statementID, vmSteps: cost.counters.vmSteps,
          fullScanSteps: cost.counters.fullScanSteps,
          originFetchID: object.origin?.fetchID ?? 0)), contextID: contextID)
  }
}
