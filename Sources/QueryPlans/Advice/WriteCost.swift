// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The writes of a workload.
public struct WorkloadWrite: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case insert, update, delete }

  public var kind: Kind
  public var rows: UInt64
  /// nil where the source does not have it, as of a store's saves.
  public var table: String?
  /// The columns that an update sets; nil where the source does not have them.
  public var columns: [String]?

  public init(kind: Kind, rows: UInt64, table: String? = nil, columns: [String]? = nil) {
    self.kind = kind
    self.rows = rows
    self.table = table
    self.columns = columns
  }
}

extension IndexCandidate {
  /// The number of VM steps that writing one index entry counts as.
  ///
  /// The steps themselves are three or four, but one of them finds a position in a b-tree and
  /// writes a page: 0.6 to 2 µs were measured, where a step of a search takes 25 to 40 ns.
  static let stepsOfWrite = 30.0

  /// Entries that a workload writes to the index.
  ///
  /// One of a row that is inserted or deleted, two of one that is updated. Writes of unknown tables count in full.
  func entriesWritten(by writes: [WorkloadWrite]) -> Double {
    writes.reduce(0) { sum, write in
      guard write.table.map({ $0.lowercased() == table.lowercased() }) ?? true else { return sum }
      guard write.kind == .update else { return sum + Double(write.rows) }
      let own = Set(columns.map { $0.lowercased() })
      let isTouched = write.columns.map { $0.contains { own.contains($0.lowercased()) } } ?? true
      return isTouched ? sum + 2 * Double(write.rows) : sum
    }
  }
}

/// The cost of writing rows of a table, without and with the advice.
public struct WriteCost: Hashable, Sendable {
  /// Nanoseconds of a row's insert.
  public var insert: TimeEffect?
  /// Nanoseconds of a row's update, of the columns that the advice is about.
  public var update: TimeEffect?
  /// The reason why a cost is missing.
  public var failure: String?

  // 500 rows take some milliseconds: long enough for the clock.
  private static let rows = 500

  /// Deletes rows, times their insert, and takes all of it back; the same for an update.
  ///
  /// The deleted rows are inserted again, so that no constraint refuses them.
  static func measured(
    of table: String, updating columns: [String], without: Connection, with: Connection,
    until deadline: ContinuousClock.Instant
  ) -> WriteCost {
    var cost = WriteCost()
    do {
      let trials = try [without, with].map { try WriteTrial(table, columns, rows: rows, on: $0) }
      cost.insert = try Interleaved.rounds(until: deadline) { (_, isSecond) throws(SQLiteError) in
        try trials[isSecond ? 1 : 0].insert()
      }
      cost.update = try Interleaved.rounds(until: deadline) { (_, isSecond) throws(SQLiteError) in
        try trials[isSecond ? 1 : 0].update()
      }
      if cost.insert == nil { cost.failure = "there was no time left" }
    } catch let error as SQLiteError {
      cost.failure = error.message
    } catch {
      cost.failure = "\(error)"
    }
    return cost
  }
}

/// Writes of rows of one table on one connection.
private struct WriteTrial {
  private let connection: Connection
  private let remove: String
  private let insertion: String
  private let updating: String

  /// Stores copies of rows in a temporary table.
  init(
    _ table: String, _ columns: [String], rows: Int, on connection: Connection
  ) throws {
    self.connection = connection
    let name = "main.\(PlanExplainer.quoted(table))"
    let own = try connection.texts("SELECT name FROM pragma_table_info(?1)", table)
    guard !own.isEmpty else {
      throw SQLiteError(extendedCode: 1, message: "'\(table)' is not a table")
    }
    // The key of the rows: that of a table without rowids has a unique index.
    let hasRowID = (try? connection.prepare("SELECT rowid FROM \(name) LIMIT 0")) != nil
    let keys =
      hasRowID
      ? ["rowid"]
      : try connection.texts("SELECT name FROM pragma_table_info(?1) WHERE pk > 0", table)
    let list = own.map(PlanExplainer.quoted).joined(separator: ", ")
    let key = keys.map { $0 == "rowid" ? $0 : PlanExplainer.quoted($0) }.joined(separator: ", ")
    let copy = "temp.storescope_write_trial"
    try connection.execute(
      """
      DROP TABLE IF EXISTS \(copy);
      DROP TABLE IF EXISTS temp.storescope_write_keys;
      CREATE TEMP TABLE storescope_write_keys AS SELECT \(key) FROM \(name) LIMIT \(rows);
      CREATE TEMP TABLE storescope_write_trial AS SELECT \(list) FROM \(name)
        WHERE (\(key)) IN (SELECT * FROM temp.storescope_write_keys);
      PRAGMA foreign_keys = OFF;
      """)
    guard try connection.texts("SELECT 1 FROM \(copy) LIMIT 1") == ["1"] else {
      throw SQLiteError(extendedCode: 1, message: "the table is empty")
    }
    let chosen = "(\(key)) IN (SELECT * FROM temp.storescope_write_keys)"
    remove = "DELETE FROM \(name) WHERE \(chosen)"
    insertion = "INSERT INTO \(name)(\(list)) SELECT * FROM \(copy)"
    // A generated column follows the others: an UPDATE of all of them is the most that it can cost.
    let isWritable = columns.allSatisfy { name in
      own.contains { $0.lowercased() == name.lowercased() }
    }
    let written = isWritable ? columns : own.filter { !keys.contains($0) }
    let assignments = written.map(PlanExplainer.quoted).map { "\($0) = \($0)" }
    updating = "UPDATE \(name) SET \(assignments.joined(separator: ", ")) WHERE \(chosen)"
  }

  func insert() throws(SQLiteError) -> Double? { try time(insertion, after: remove) }
  func update() throws(SQLiteError) -> Double? { try time(updating, after: "SELECT 1") }

  private func time(_ sql: String, after preparation: String) throws(SQLiteError) -> Double? {
    try connection.execute("SAVEPOINT cost; \(preparation)")
    let clock = ContinuousClock()
    let start = clock.now
    do throws(SQLiteError) {
      try connection.execute(sql)
    } catch {
      try connection.execute("ROLLBACK TO cost; RELEASE cost")
      throw SQLiteError(
        extendedCode: error.extendedCode,
        message: "writing test rows failed (\(error.message))", sql: sql)
    }
    let time = (clock.now - start).nanoseconds
    let changes = connection.changes
    try connection.execute("ROLLBACK TO cost; RELEASE cost")
    guard changes > 0 else { return nil }
    return time / Double(changes)
  }
}
