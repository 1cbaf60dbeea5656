// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreInstruments

/// Reads rows of one entity by their keys, with a statement and a buffer that it keeps.
final class RowReader {
  let statement: Statement
  // Unchecked: it belongs to a connection, which one thread uses at a time.
  @exclusivity(unchecked) private var builder: RowBuilder

  init(_ entity: EntityDescription, _ statement: Statement) {
    self.statement = statement
    builder = RowBuilder(layout: entity.rowLayout)
  }

  /// Returns a row; nil if it does not exist.
  func row(
    _ primaryKey: Int64, _ measures: Bool, _ cost: inout QueryCost
  ) throws(SQLiteError) -> RowPage? {
    defer { statement.reset() }
    // Counts left by a run that was not measured.
    if measures { _ = statement.takeCounters() }
    let start = measures ? TraceClock.now : 0
    statement.bind(primaryKey, at: 1)
    builder.restart()
    let page = try step()
    if measures {
      cost.step = TraceClock.now - start
      cost.counters = statement.takeCounters()
    }
    return page
  }

  private func step() throws(SQLiteError) -> RowPage? {
    guard try statement.step() else { return nil }
    builder.read(statement)
    return builder.takePage()
  }
}
