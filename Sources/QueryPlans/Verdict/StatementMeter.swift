// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Runs statements once and counts their work, without changing the database.
///
/// A file of moderate size is copied to a temporary database, on which statements that write run as
/// well and are rolled back, with triggers and foreign keys. Of a larger one only statements that
/// read are run. Runs end at a number of VM steps: no clock decides a report.
final class StatementMeter {
  // 64 MB are copied in a tenth of a second.
  private static let maxCopiedBytes: Int64 = 64_000_000
  // Ten million VM steps scan a table of a million rows, in a fifth of a second.
  private static let maxSteps = 10_000_000
  // The limit of all statements together.
  private static let maxAllSteps = 300_000_000
  private static let stepsAtOnce: Int32 = 1000

  private let source: Connection
  private var remaining = StatementMeter.maxAllSteps
  private var known: [String: PlanJudge.Measurement?] = [:]
  private var bench: Bench?
  private var schemaVersion: Int64?

  init(_ source: Connection) { self.source = source }

  /// The work of one run, or of some runs with recorded values; nil where it cannot be run here.
  func measure(_ sql: String, values: [[BindValue]]) -> PlanJudge.Measurement? {
    discardOldSchema()
    if let measured = known[sql] { return measured }
    let measured = try? run(sql, values)
    known[sql] = .some(measured)
    return measured
  }

  /// Discards the copy where an index was made or dropped since.
  private func discardOldSchema() {
    guard let version = try? source.number("PRAGMA schema_version"), version != schemaVersion else {
      return
    }
    schemaVersion = version
    known = [:]
    bench = Bench(source, maxCopiedBytes: Self.maxCopiedBytes)
  }

  private func run(_ sql: String, _ recorded: [[BindValue]]) throws -> PlanJudge.Measurement? {
    guard remaining > 0, let bench else { return nil }
    let connection = bench.connection
    let numbered = ParameterNumbering(sql)
    let outline = StatementOutline(numbered.sql)
    guard
      ["SELECT", "VALUES", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE"].contains(outline.verb)
    else { return nil }
    var arrays = try IntegerArrays(of: outline, on: connection)
    let statement = try connection.prepare(numbered.sql)
    guard statement.isReadOnly || bench.isWritable else { return nil }
    let sampler = ParameterSampler(
      outline: StatementOutline(ColumnQualifier(connection).qualified(numbered.sql)),
      parameterCount: numbered.count, connection: connection)
    let runs = recorded.filter { $0.count == numbered.count }
    let isSampled = runs.isEmpty && numbered.count > 0
    let values = try bounded(connection) {
      let values = isSampled ? [try sampler.values()] : Self.some(of: runs)
      try arrays.sample(by: sampler)
      return values
    }
    try arrays.fill(on: connection)
    var sum: PlanJudge.Measurement?
    for values in values {
      for (index, value) in values.enumerated() { value.bind(to: statement, at: Int32(index) + 1) }
      let run = try rollingBack(statement, connection) { try count(statement, connection) }
      sum = sum.map { $0.adding(run) } ?? run
      if run.isCut { break }
    }
    sum?.isSampled = isSampled
    return sum
  }

  /// Samples values within the limit of a run.
  private func bounded<R>(_ connection: Connection, _ body: () throws -> R) rethrows -> R {
    var steps = 0
    let limit = min(Self.maxSteps, remaining)
    defer { remaining -= steps }
    return try connection.interrupting(
      when: {
        steps += Int(Self.stepsAtOnce)
        return steps > limit
      }, every: Self.stepsAtOnce, body)
  }

  // 4 is arbitrary: enough to detect that values differ in the rows that they find.
  private static func some(of runs: [[BindValue]]) -> [[BindValue]] {
    let count = min(runs.count, 4)
    return count == 0 ? [[]] : (0..<count).map { runs[$0 * runs.count / count] }
  }

  /// Undoes what a statement that writes has done.
  private func rollingBack<R>(
    _ statement: Statement, _ connection: Connection, _ body: () throws -> R
  ) throws -> R {
    guard !statement.isReadOnly else { return try body() }
    try connection.execute("BEGIN")
    defer {
      statement.reset()
      try? connection.execute("ROLLBACK")
    }
    return try body()
  }

  private func count(
    _ statement: Statement, _ connection: Connection
  ) throws -> PlanJudge.Measurement {
    _ = statement.takeCounters()
    var steps = 0
    var rows: UInt64 = 0
    var isCut = false
    let columns = 0..<statement.columnCount
    var bytes = [UInt64](repeating: 0, count: columns.count)
    let limit = min(Self.maxSteps, remaining)
    do {
      try connection.interrupting(
        when: {
          steps += Int(Self.stepsAtOnce)
          return steps > limit
        }, every: Self.stepsAtOnce
      ) {
        while try statement.step() {
          rows += 1
          for column in columns {
            let type = statement.columnType(column)
            guard type == .blob || type == .text else { continue }
            bytes[Int(column)] += UInt64(statement.blob(column).count)
          }
        }
      }
      if !statement.isReadOnly, rows == 0 { rows = UInt64(clamping: connection.changes) }
    } catch let error as SQLiteError where error.isInterruption {
      isCut = true
    }
    let counters = statement.takeCounters()
    statement.reset()
    remaining -= Int(clamping: counters.vmSteps)
    var measurement = PlanJudge.Measurement(
      work: StatementWork(
        executions: 1, rows: rows, fullScanSteps: counters.fullScanSteps,
        autoIndexRows: counters.autoIndexRows, vmSteps: max(counters.vmSteps, 1)),
      isCut: isCut)
    for column in columns where bytes[Int(column)] > 0 {
      measurement.columnBytes[statement.columnName(column), default: 0] += bytes[Int(column)]
    }
    return measurement
  }
}

/// The database on which statements are run: a copy that SQLite removes with its connection, or the
/// file, read-only.
private final class Bench {
  let connection: Connection
  let isWritable: Bool
  /// Closes the file last.
  private let file: InspectedDatabase?

  init?(_ source: Connection, maxCopiedBytes: Int64) {
    do {
      let bytes = try source.number("PRAGMA page_count") * source.number("PRAGMA page_size")
      if bytes <= maxCopiedBytes {
        // "" is a database in a temporary file without a name.
        connection = try Connection(path: "")
        file = nil
        isWritable = true
        // First: SQLite takes an index whose collation was missing once for unusable.
        try StoreNames.define(on: connection)
        try source.copy(to: connection)
        try connection.execute(
          "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON")
      } else {
        let file = try InspectedDatabase(path: source.path)
        self.file = file
        connection = file.connection
        isWritable = false
        try StoreNames.define(on: connection)
      }
    } catch {
      return nil
    }
  }
}

extension Connection {
  fileprivate func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.int64(0) : 0
  }
}
