// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension AdviceBench {
  /// Counts the workload without statistics, with today's, after `PRAGMA optimize` and after a full
  /// `ANALYZE`; the copy then has today's again.
  func statisticsTrials() throws -> [StatisticsTrial] {
    let today = try StatisticsTables(connection)
    defer { try? today.restore(on: connection) }
    var trials = [StatisticsTrial(state: .today, steps: readSteps(steps), changed: [])]
    try StatisticsTables.remove(from: connection)
    trials.insert(try trial(.none), at: 0)
    try today.restore(on: connection)
    // SQLite analyzes the tables that statements of the connection wanted statistics of.
    for statement in statements { _ = try statement.usedIndexes() }
    try connection.execute("PRAGMA optimize")
    trials.append(try trial(.optimize))
    try connection.execute("ANALYZE")
    trials.append(try trial(.analyze))
    for statement in statements { indexesUsedWithStatistics.formUnion(try statement.usedIndexes()) }
    return trials
  }

  private func trial(_ state: StatisticsTrial.State) throws -> StatisticsTrial {
    let now = try statements.map { try $0.steps().cost }
    let changed = zip(statements, zip(now, steps)).filter { $1.0 != $1.1 }.map(\.0.statement.id)
    return StatisticsTrial(state: state, steps: readSteps(now), changed: changed)
  }

  private func readSteps(_ steps: [Double]) -> Double {
    zip(statements, steps).reduce(0) { $0 + $1.1 * Double($1.0.statement.runs) }
  }
}

/// The result of `ANALYZE`.
private struct StatisticsTables {
  private static let names = ["sqlite_stat1", "sqlite_stat4"]
  private let tables: [String]

  /// Keeps copies in temporary tables.
  init(_ connection: Connection) throws(SQLiteError) {
    tables = try Self.existing(connection)
    for table in tables {
      try connection.execute(
        """
        DROP TABLE IF EXISTS temp.kept_\(table);
        CREATE TEMP TABLE kept_\(table) AS SELECT * FROM main.\(table)
        """)
    }
  }

  private static func existing(_ connection: Connection) throws(SQLiteError) -> [String] {
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    return try connection.texts(
      "SELECT name FROM main.sqlite_schema WHERE name IN (\(list)) ORDER BY name")
  }

  /// Removes the statistics; SQLite then plans without any.
  static func remove(from connection: Connection) throws(SQLiteError) {
    for table in try existing(connection) { try connection.execute("DELETE FROM main.\(table)") }
    try reread(connection)
  }

  /// Reads them again, with the schema: a table without an index otherwise keeps the number of rows that it had by
  /// statistics which are gone.
  private static func reread(_ connection: Connection) throws(SQLiteError) {
    try connection.execute("ANALYZE sqlite_schema; PRAGMA writable_schema = RESET")
  }

  func restore(on connection: Connection) throws(SQLiteError) {
    try Self.remove(from: connection)
    for table in tables {
      try connection.execute("INSERT INTO main.\(table) SELECT * FROM temp.kept_\(table)")
    }
    for table in try Self.existing(connection) where !tables.contains(table) {
      try connection.execute("DROP TABLE main.\(table)")
    }
    try Self.reread(connection)
  }
}
