// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

/// The cost of a statement; all zero unless it was measured.
struct QueryCost {
  var wait: Nanoseconds = 0
  var prepare: Nanoseconds = 0
  var step: Nanoseconds = 0
  /// The time that the program spent on the rows while the statement waited.
  var materialize: Nanoseconds = 0
  var counters = StatementCounters()
  /// Only if I/O is recorded.
  var pages = PageCounts()
  var statementID: StatementID?
}

extension Statement {
  /// Hashed once for all its uses: the text is long.
  fileprivate func id(of sql: String) -> StatementID {
    if tag == 0 { tag = StatementID(sql: sql).rawValue }
    return StatementID(rawValue: tag)
  }
}

extension PersistentStore {
  /// Runs a SELECT on a reader and passes on each row.
  func query(
    _ select: SelectStatement, interests: Interests, contextID: UInt64, cost: inout QueryCost,
    watch: FetchWatch? = nil, row: (Statement) -> Void
  ) throws {
    try run(
      select, interests: interests, contextID: contextID, cost: &cost
    ) { statement, reader throws in
      if let watch { return try watch.run(statement, on: reader.connection, row: row) }
      while try statement.step() { row(statement) }
    }
  }

  /// Runs a SELECT on a reader.
  ///
  /// - Parameter sql: the SQL that runs instead, with the same values.
  private func run(
    _ select: SelectStatement, as sql: String? = nil, interests: Interests, contextID: UInt64,
    cost: inout QueryCost, _ body: (Statement, PooledConnection) throws -> Void
  ) throws {
    let measures = interests.contains(.events)
    if interests.contains(.sql) {
      instruments.willRun(
        sql: select.sql, bindings: select.bindings.map(\.boundValue), contextID: contextID)
    }
    if recordsValues {
      instruments.recordValues(
        of: select.sql, select.bindings.map(\.boundValue), storeID: id, contextID: contextID)
    }
    let (reader, wait) = try pool.acquireReader(measures: measures)
    defer { pool.release(reader) }
    let taken = measures ? TraceClock.now : 0
    let pages = recordsIO ? reader.connection.pageCounts : PageCounts()
    do {
      let statement = try reader.connection.cachedStatement(sql ?? select.sql)
      defer { reader.connection.recycle(statement) }
      for (index, value) in select.bindings.enumerated() {
        statement.bind(value, at: Int32(index + 1))
      }
      // Counts left by a run that was not measured.
      if measures { _ = statement.takeCounters() }
      let prepared = measures ? TraceClock.now : 0
      defer {
        if measures {
          cost = QueryCost(
            wait: wait, prepare: prepared - taken, step: TraceClock.now - prepared,
            counters: statement.takeCounters(), statementID: statement.id(of: select.sql))
          if recordsIO { cost.pages = reader.connection.pageCounts - pages }
          reportBusyWait(on: reader, contextID: contextID)
        }
      }
      try body(statement, reader)
    } catch let error as SQLiteError {
      if let error = FetchPredicateError(error) { throw error }
      throw StoreError(ofOwnStatement: error, path: path)
    }
  }

  /// Selects whole objects, fills the row cache, and passes them on page by page while they are in
  /// the processor's cache.
  ///
  /// - Parameters:
  ///   - collected: the same for the connection's ``PageCollector``, if all rows are wanted, in the
  ///     order of the table or in any.
  ///   - overlaps: whether many pages may be passed on by another thread, while this one reads.
  ///   - extra: reads the columns after theirs.
  func pages(
    of entity: EntityDescription, _ select: SelectStatement, collected: String? = nil,
    overlaps: Bool = false, interests: Interests, contextID: UInt64, cost: inout QueryCost,
    extra: ((any RowColumns) -> Void)? = nil, watch: FetchWatch? = nil, page: (RowPage) -> Void
  ) throws {
    let epoch = cache.epoch
    let measures = interests.contains(.events)
    try withoutActuallyEscaping(page) { page in
      let relay = PageRelay(mayBegin: overlaps, measures: measures) { rows in
        self.cache.insert(rows, entity.index, readIn: epoch)
        page(rows)
      }
      // An error may come while the other thread uses pages.
      defer { relay.finish() }
      if let collected {
        try run(
          select, as: collected, interests: interests, contextID: contextID, cost: &cost
        ) { statement, reader throws in
          try reader.collector.collect(
            statement, layout: entity.rowLayout, extra: extra, page: relay.add)
        }
        cost.step -= relay.time
      } else {
        var builder = RowBuilder(layout: entity.rowLayout, pageWords: RowBuilder.usualPageWords)
        try query(
          select, interests: interests, contextID: contextID, cost: &cost, watch: watch
        ) { statement in
          builder.read(statement)
          extra?(statement)
          if builder.isFull { relay.add(builder.takePage()) }
        }
        cost.step -= relay.time
        // After the last step: its time is not in that of the steps.
        if !builder.isEmpty { relay.add(builder.takePage()) }
      }
      relay.finish()
      cost.materialize = relay.time
    }
  }

  /// Selects whole objects, as ``pages(of:_:interests:contextID:cost:extra:watch:page:)`` does.
  func rows(
    of entity: EntityDescription, _ select: SelectStatement, interests: Interests,
    contextID: UInt64, cost: inout QueryCost, extra: ((any RowColumns) -> Void)? = nil,
    watch: FetchWatch? = nil
  ) throws -> [RowSnapshot] {
    var rows: [RowSnapshot] = []
    try pages(
      of: entity, select, interests: interests, contextID: contextID, cost: &cost, extra: extra,
      watch: watch
    ) { page in page.forEach { rows.append(RowSnapshot($0)) } }
    return rows
  }

  func row(
    of entity: EntityDescription, _ primaryKey: Int64, interests: Interests, contextID: UInt64,
    cost: inout QueryCost
  ) throws -> RowSnapshot? {
    let measures = interests.contains(.events)
    if interests.contains(.sql) {
      instruments.willRun(
        sql: statements[entity.index].fault, bindings: [.integer(primaryKey)],
        contextID: contextID)
    }
    if recordsValues {
      instruments.recordValues(
        of: statements[entity.index].fault, [.integer(primaryKey)], storeID: id,
        contextID: contextID)
    }
    let epoch = cache.epoch
    let (reader, wait) = try pool.acquireReader(measures: measures)
    cost.wait = wait
    let page: RowPage?
    do {
      page = try reader.rowReader(entity, statements).row(primaryKey, measures, &cost)
    } catch {
      pool.release(reader)
      throw StoreError(ofOwnStatement: error, path: path)
    }
    if let page { keep(page, entity, readIn: epoch) }
    if measures { reportBusyWait(on: reader, contextID: contextID) }
    pool.release(reader)
    return page?.first
  }
}

extension PooledConnection {
  func rowReader(
    _ entity: EntityDescription, _ statements: [EntityStatements]
  ) throws(SQLiteError) -> RowReader {
    if let reader = rowReaders[entity.index] { return reader }
    let reader = RowReader(
      entity, try connection.cachedStatement(statements[entity.index].fault))
    rowReaders[entity.index] = reader
    return reader
  }
}
