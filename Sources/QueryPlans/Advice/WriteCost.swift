// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// What it costs to write rows of a table, with the indexes that it has just now.
public struct WriteCost: Hashable, Sendable {
  /// Nanoseconds a row.
  public var insert: Double
  /// Nanoseconds a row, of an update of the columns in question.
  public var update: Double

  // 1,000 rows take some milliseconds: long enough for the clock.
  private static let rows = 1000
  private static let rounds = 5

  /// Writes copies of the table's first rows, and takes them back.
  ///
  /// - Returns: nil where the table is empty, or where its rows cannot be copied, as with unique
  ///   columns.
  static func measured(
    of table: String, updating columns: [String], on connection: Connection
  ) throws(SQLiteError) -> WriteCost? {
    let all = try connection.texts(
      "SELECT name FROM pragma_table_info(?1) WHERE pk = 0 AND name IS NOT NULL", table)
    let name = PlanExplainer.quoted(table)
    let list = all.map(PlanExplainer.quoted).joined(separator: ", ")
    guard !all.isEmpty else { return nil }
    let assignments = columns.map(PlanExplainer.quoted).map { "\($0) = \($0)" }
      .joined(separator: ", ")
    let insert = """
      INSERT INTO \(name)(\(list)) SELECT \(list) FROM \(name) LIMIT \(rows)
      """
    let update = """
      UPDATE \(name) SET \(assignments) WHERE rowid IN (SELECT rowid FROM \(name) LIMIT \(rows))
      """
    var inserts: [Double] = []
    var updates: [Double] = []
    for _ in 0..<rounds {
      guard let cost = try time(insert, connection) else { return nil }
      inserts.append(cost)
      updates.append(try time(update, connection) ?? 0)
    }
    // The shortest: what else the machine does only adds to it.
    return WriteCost(insert: inserts.min() ?? 0, update: updates.min() ?? 0)
  }

  private static func time(
    _ sql: String, _ connection: Connection
  ) throws(SQLiteError) -> Double? {
    try connection.execute("SAVEPOINT cost")
    let clock = ContinuousClock()
    let start = clock.now
    do throws(SQLiteError) {
      try connection.execute(sql)
    } catch {
      try connection.execute("ROLLBACK TO cost; RELEASE cost")
      return nil
    }
    let time = (clock.now - start).nanoseconds
    let changes = connection.changes
    try connection.execute("ROLLBACK TO cost; RELEASE cost")
    return changes > 0 ? time / Double(changes) : nil
  }
}
