// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

/// What a statement cost; all zero unless it was measured.
struct QueryCost {
  var wait: Nanoseconds = 0
  var prepare: Nanoseconds = 0
  var step: Nanoseconds = 0
  var counters = StatementCounters()
}

extension PersistentStore {
  /// Runs a SELECT on a reader and hands over each row.
  func query(
    _ select: SelectStatement, interests: Interests, contextID: UInt64, cost: inout QueryCost,
    row: (Statement) -> Void
  ) throws {
    let measures = interests.contains(.events)
    if interests.contains(.sql) {
      instruments.willRun(
        sql: select.sql, bindings: select.bindings.map(\.boundValue), contextID: contextID)
    }
    let start = measures ? TraceClock.now : 0
    let reader = try pool.takeReader()
    defer { pool.release(reader) }
    let taken = measures ? TraceClock.now : 0
    do {
      let statement = try reader.connection.cachedStatement(select.sql)
      defer { reader.connection.recycle(statement) }
      for (index, value) in select.bindings.enumerated() {
        statement.bind(value, at: Int32(index + 1))
      }
      // What a run that nobody measured left behind.
      if measures { _ = statement.takeCounters() }
      let prepared = measures ? TraceClock.now : 0
      defer {
        if measures {
          cost = QueryCost(
            wait: taken - start, prepare: prepared - taken, step: TraceClock.now - prepared,
            counters: statement.takeCounters())
          reportBusyWait(on: reader, contextID: contextID)
        }
      }
      while try statement.step() { row(statement) }
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Selects whole objects, into the row cache too; `extra` reads the columns behind theirs.
  func rows(
    of entity: EntityDescription, _ select: SelectStatement, interests: Interests,
    contextID: UInt64, cost: inout QueryCost, extra: ((Statement) -> Void)? = nil
  ) throws -> [RowSnapshot] {
    var rows: [RowSnapshot] = []
    var builder = RowBuilder(layout: entity.rowLayout)
    let epoch = cache.epoch
    try query(select, interests: interests, contextID: contextID, cost: &cost) { statement in
      rows.append(builder.read(statement))
      extra?(statement)
    }
    let start = interests.contains(.events) ? TraceClock.now : 0
    cache.insert(rows, entity.index, readIn: epoch)
    if interests.contains(.events) { cost.step += TraceClock.now - start }
    return rows
  }

  /// Reads one row by its key, by a statement that its reader keeps at hand.
  func row(
    of entity: EntityDescription, _ primaryKey: Int64, interests: Interests, contextID: UInt64,
    cost: inout QueryCost
  ) throws -> RowSnapshot? {
    let measures = interests.contains(.events)
    let sql = statements[entity.index].fault
    if interests.contains(.sql) {
      instruments.willRun(sql: sql, bindings: [.integer(primaryKey)], contextID: contextID)
    }
    let start = measures ? TraceClock.now : 0
    let epoch = cache.epoch
    let reader = try pool.takeReader()
    defer { pool.release(reader) }
    let taken = measures ? TraceClock.now : 0
    do {
      let statement = try reader.faultStatement(entity.index, sql)
      defer { statement.reset() }
      statement.bind(primaryKey, at: 1)
      if measures { _ = statement.takeCounters() }
      let prepared = measures ? TraceClock.now : 0
      var builder = RowBuilder(layout: entity.rowLayout)
      let row = try statement.step() ? builder.read(statement) : nil
      if let row { cache.insert([row], entity.index, readIn: epoch) }
      if measures {
        cost = QueryCost(
          wait: taken - start, prepare: prepared - taken, step: TraceClock.now - prepared,
          counters: statement.takeCounters())
        reportBusyWait(on: reader, contextID: contextID)
      }
      return row
    } catch {
      throw StoreError(error, path: path)
    }
  }
}

extension PooledConnection {
  func faultStatement(_ entity: Int, _ sql: String) throws(SQLiteError) -> Statement {
    if let statement = faultStatements[entity] { return statement }
    let statement = try connection.cachedStatement(sql)
    faultStatements[entity] = statement
    return statement
  }
}
