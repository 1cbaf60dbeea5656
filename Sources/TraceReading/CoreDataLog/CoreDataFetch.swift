// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A SELECT of a Core Data log while its lines come in.
struct CoreDataFetch {
  let id: UInt64
  /// The fetch within which it ran, or 0.
  let parentID: UInt64
  let sql: CoreDataSQL
  let table: String
  var kind: FetchKind
  var entity: String
  let begin: Nanoseconds
  var end: Nanoseconds
  /// Nil until its line was read: a prefetch can nest only after it.
  var connectionTime: Nanoseconds?
  var totalTime: Nanoseconds?
  var rows: UInt64 = 0
  /// Whether a line of level 2 had the rows, so that it has ended.
  var hasRows = false
  var error = ""
  var values = CoreDataValues()
  /// Whether its beginning was returned, so that it can no longer become a fault.
  var hasBegun = false
  /// The events within it, held until the line after it identifies it.
  var held: [EventRecord] = []

  var statementID: StatementID { sql.id }

  /// The times and rows with missing lines.
  var unknown: Measures {
    if totalTime != nil { return [] }
    let rows: Measures = hasRows ? [] : .rows
    return rows.union(connectionTime == nil ? [.connectionTime, .totalTime] : [])
  }

  var beginning: FetchBegin {
    FetchBegin(fetchID: id, parentID: parentID, entity: entity, location: .unknown)
  }

  var ending: FetchEnd {
    // Core Data rounds to 0.1 ms, so that the part can exceed the whole.
    let total = max(totalTime ?? 0, connectionTime ?? 0)
    let connection = connectionTime ?? total
    return FetchEnd(
      fetchID: id, parentID: parentID, entity: entity, kind: kind, statementID: statementID,
      bindHash: values.hash, waitTime: 0, prepareTime: 0, stepTime: connection, materializeTime: 0,
      connectionTime: connection,
      totalTime: total, rows: rows, limit: sql.limit, offset: sql.offset, batchSize: 0, error: error
    )
  }

  /// The event of its values; nil unless the log has all of them.
  var bound: StoreEvent? {
    guard let values = values.recorded(parameterCount: sql.parameterCount) else { return nil }
    return .values(ValuesBound(storeID: 0, statementID: statementID, values: values.text))
  }
}
