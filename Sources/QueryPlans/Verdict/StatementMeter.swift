// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents

/// Runs statements once and counts their work, without changing the database.
///
/// A file of moderate size is copied to a temporary database, on which statements that write run as
/// well and are rolled back, with triggers and foreign keys. Of a larger one only statements that
/// read are run. Runs end at a number of VM steps: no clock decides a report.
final class StatementMeter {
  // A table of a million rows is scanned.
  private static let maxSteps = 10_000_000
  // Values are fitted by several runs; as in `advise`.
  private static let maxFitSteps = Int(ValueFitter.maxSteps)
  // Ten sets of indexes for a statement of 40 million steps.
  private static let maxSearchSteps = 400_000_000
  private static let stepsAtOnce: Int32 = 1000

  private let source: Connection
  private let budget: PlanBudget
  private var known: [String: PlanJudge.Measurement?] = [:]
  private var knownValues: [String: Values] = [:]
  private var bench: Bench?
  /// The size of its copy.
  private var copiedBytes: Int64 = 0
  private var schemaVersion: Int64?
  private let updatesOfWorkload: () -> [WorkloadWrite]
  private lazy var updates = updatesOfWorkload()

  /// - Parameter updates: the updates of the workload, which an index on their columns makes more expensive.
  init(
    _ source: Connection, _ budget: PlanBudget, updates: @escaping () -> [WorkloadWrite] = { [] }
  ) {
    (self.source, self.budget, updatesOfWorkload) = (source, budget, updates)
  }

  /// The work of one run, or of some runs with recorded values; nil where it cannot be run here.
  func measure(
    _ sql: String, values: [[BindValue]], work: StatementWork = StatementWork()
  ) -> PlanJudge.Measurement? {
    discardOldSchema()
    if let measured = known[sql] { return measured }
    let measured = try? run(sql, values, work)?.measurement
    known[sql] = .some(measured)
    return measured
  }

  /// Some runs with other indexes, and the indexes that the plan uses.
  struct Trial {
    var measurement: PlanJudge.Measurement
    var used: [IndexCandidate] = []

    var indexes: [IndexCandidate] {
      used.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// VM steps; a page that is looked up counts as 4, as in `advise`.
    var cost: Double {
      Double(measurement.work.vmSteps) + Double(MeasuredStatement.stepsOfPage * measurement.pages)
    }
  }

  /// Measures a statement on the copy with additional indexes, then drops them.
  ///
  /// Returns nil if the statement cannot be measured.
  ///
  /// - Parameter text: the SQL to run instead, with numbered parameters.
  func trial(
    _ sql: String, values: [[BindValue]], work: StatementWork, with indexes: [IndexCandidate],
    as text: String? = nil
  ) -> Trial? {
    discardOldSchema()
    // An index needs the copy; another text does not.
    guard let bench, bench.isWritable || text != nil && indexes.isEmpty, hasSteps else {
      return nil
    }
    let connection = bench.connection
    return try? connection.undoing {
      try bounded(connection) {
        for (number, index) in indexes.enumerated() {
          try connection.execute(index.sql(named: IndexTrial.name(number)))
        }
      }
      let trial = try run(sql, values, work, indexes, as: text)
      return knownValues[sql]?.isFitted == false ? nil : trial
    }
  }

  /// The set of indexes that `advise` makes for a statement alone, with the steps of a run without and with it.
  ///
  /// Of a statement that writes they are the steps to find its rows. Nil where runs cannot be counted here.
  ///
  /// - Parameter plausible: the candidates that are worth a trial.
  func search(
    _ sql: String, values: [[BindValue]], work: StatementWork,
    plausible: @escaping IndexTrial.Plausible
  ) -> IndexGain? {
    guard let before = trial(sql, values: values, work: work, with: []), before.isLarge,
      let bench, hasSteps
    else { return nil }
    let connection = bench.connection
    // Values that were sampled for a write reproduce no count.
    let known = SQLTokenizer.tokens(of: sql).areOfWrite ? nil : knownValues[sql]
    var statement = WorkloadStatement(
      id: "", sql: sql, runs: max(work.executions, 1), counted: CountedRuns(work),
      values: values)
    // A long statement runs with one tuple in a report.
    let isLong = before.measurement.isCut && budget.steps < Self.maxSearchSteps / 2
    statement.sampled = isLong ? known?.sampled?.first(1) : known?.sampled
    var writes = updates
    // The rows that a DELETE finds by an index are removed from it as well.
    if let own = WrittenTable(sql: sql), own.kind != .update || writes.isEmpty {
      writes.append(
        WorkloadWrite(kind: own.kind, rows: work.rows, table: own.table, columns: own.columns))
    }
    return try? connection.undoing {
      try bounded(connection, Self.maxSearchSteps) {
        let search = IndexSearch(
          bench: try AdviceBench(
            [statement], writes: writes, on: connection, plausible: plausible))
        let outcome = try search.run()
        if outcome.wasCancelled { throw SQLiteError.interruption }
        return try search.gain(of: outcome)
      }
    }
  }

  /// Discards the copy where an index was made or dropped since.
  private func discardOldSchema() {
    guard let version = try? source.number("PRAGMA schema_version"), version != schemaVersion else {
      return
    }
    schemaVersion = version
    (known, knownValues) = ([:], [:])
    bench = nil
    budget.copiedBytes += copiedBytes
    let bytes = budget.copiedBytes
    bench = Bench(source, budget)
    copiedBytes = bytes - budget.copiedBytes
  }

  private var hasSteps: Bool {
    if budget.steps <= 0 { budget.isExhausted = true }
    return budget.steps > 0
  }

  private func run(
    _ sql: String, _ recorded: [[BindValue]], _ work: StatementWork,
    _ indexes: [IndexCandidate] = [], as text: String? = nil
  ) throws -> Trial? {
    guard hasSteps, let bench else { return nil }
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
    let values = try bounded(connection, Self.maxFitSteps) {
      try arrays.sample(by: sampler)
      try arrays.fill(on: connection)
      return try self.values(for: sql, recorded, work, statement, sampler)
    }
    let sqlOfRun = text ?? numbered.sql
    let run = text == nil ? statement : try connection.prepare(sqlOfRun)
    var trial: Trial?
    for tuple in values.tuples {
      func bind(_ statement: Statement) {
        for (index, value) in tuple.prefix(Int(run.parameterCount)).enumerated() {
          value.bind(to: statement, at: Int32(index) + 1)
        }
      }
      let used = indexes.isEmpty ? [] : try self.used(indexes, sqlOfRun, connection, bind)
      bind(run)
      let counted = try rollingBack(run, connection) {
        try count(run, connection, digests: text != nil)
      }
      trial =
        trial.map { Trial(measurement: $0.measurement.adding(counted), used: $0.used + used) }
        ?? Trial(measurement: counted, used: used)
      if counted.isCut { break }
    }
    trial?.measurement.isSampled = values.isSampled
    return trial
  }

  private func used(
    _ indexes: [IndexCandidate], _ sql: String, _ connection: Connection,
    _ bind: (Statement) -> Void
  ) throws -> [IndexCandidate] {
    let names = QueryPlan(steps: try connection.plan(sql, binding: bind)).indexNames
    return indexes.indices.filter { names.contains(IndexTrial.name($0)) }.map { indexes[$0] }
  }

  // MARK: - Values

  private struct Values {
    var tuples: [[BindValue]]
    /// The runs that reproduce the counts together; nil for recorded values.
    var sampled: StatementValues?
    var isSampled: Bool { sampled != nil }
    /// Whether a run reproduces the counts of the trace.
    var isFitted = true

    init(tuples: [[BindValue]], sampled: StatementValues? = nil) {
      (self.tuples, self.sampled) = (tuples, sampled)
    }

    init(ofOneRun values: [BindValue]) {
      let run = StatementValues.Run(values: values, weight: 1)
      self.init(tuples: [values], sampled: StatementValues(runs: [run], source: .sampled))
    }
  }

  /// The values of a run for a plan: recorded ones, otherwise sampled ones; nil without either.
  func values(of sql: String, recorded: [[BindValue]], work: StatementWork) -> [BindValue]? {
    let count = ParameterNumbering(sql).count
    guard count > 0 else { return nil }
    if let known = recorded.first(where: { $0.count == count }) { return known }
    _ = measure(sql, values: recorded, work: work)
    return knownValues[sql]?.tuples.first
  }

  /// Recorded values; otherwise, if there are any, values that take as many VM steps as the trace
  /// counted.
  private func values(
    for sql: String, _ recorded: [[BindValue]], _ work: StatementWork, _ statement: Statement,
    _ sampler: ParameterSampler
  ) throws -> Values {
    if let known = knownValues[sql] { return known }
    let runs = recorded.filter { $0.count == sampler.parameterCount }
    let isSampled = runs.isEmpty && sampler.parameterCount > 0
    let values =
      isSampled
      ? try sampled(work, statement, sampler) : Values(tuples: Self.some(of: runs))
    knownValues[sql] = values
    return values
  }

  private func sampled(
    _ work: StatementWork, _ statement: Statement, _ sampler: ParameterSampler
  ) throws -> Values {
    guard statement.isReadOnly, work.isCounted || work.rows > 0 else {
      return try Values(ofOneRun: sampler.values())
    }
    let maxSteps = UInt64(max(min(Self.maxFitSteps, budget.steps / 2), 0))
    let fitter = try ValueFitter(
      statement, sampler: sampler, counted: CountedRuns(work), maxSteps: maxSteps)
    let fitted = try? fitter.values()
    let isCut = fitter.isExhausted && maxSteps < ValueFitter.maxSteps
    if isCut { budget.isExhausted = true }
    guard !isCut, let fitted, let best = fitted.runs.map(\.weight).max() else {
      var values = try Values(ofOneRun: sampler.values())
      values.isFitted = false
      return values
    }
    let likely = fitted.runs.filter { $0.weight * 2 > best }
    return Values(tuples: Self.some(of: likely.map(\.values)), sampled: fitted)
  }

  /// Samples values within the limit of a run.
  private func bounded<R>(
    _ connection: Connection, _ maxSteps: Int = StatementMeter.maxSteps, _ body: () throws -> R
  ) rethrows -> R {
    var steps = 0
    let limit = min(maxSteps, budget.steps)
    defer { budget.steps -= steps }
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

  /// Rolls back the changes of a statement that writes.
  private func rollingBack<R>(
    _ statement: Statement, _ connection: Connection, _ body: () throws -> R
  ) throws -> R {
    guard !statement.isReadOnly else { return try body() }
    return try connection.undoing {
      defer { statement.reset() }
      try connection.deferForeignKeys()
      return try body()
    }
  }

  private func count(
    _ statement: Statement, _ connection: Connection, digests: Bool
  ) throws -> PlanJudge.Measurement {
    _ = statement.takeCounters()
    _ = connection.takePageReads()
    var steps = 0
    var rows: UInt64 = 0
    var digest: UInt64 = 0
    var isCut = false
    let columns = 0..<statement.columnCount
    var bytes = [UInt64](repeating: 0, count: columns.count)
    let limit = min(Self.maxSteps, budget.steps)
    do {
      try connection.interrupting(
        when: {
          steps += Int(Self.stepsAtOnce)
          return steps > limit
        }, every: Self.stepsAtOnce
      ) {
        while try statement.step() {
          rows += 1
          if digests { digest &+= statement.digestOfRow }
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
    budget.steps -= Int(clamping: counters.vmSteps)
    var work = StatementWork(executions: 1, rows: rows)
    work.counters = counters
    work.counters.vmSteps = max(counters.vmSteps, 1)
    var measurement = PlanJudge.Measurement(work: work, isCut: isCut)
    measurement.pages = connection.takePageReads()
    measurement.digest = digest
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

  init?(_ source: Connection, _ budget: PlanBudget) {
    // It has no rows to count.
    guard CapsuleSizes(source) == nil else { return nil }
    do {
      let bytes = try source.number("PRAGMA page_count") * source.number("PRAGMA page_size")
      if bytes <= budget.copiedBytes {
        budget.copiedBytes -= bytes
        // "" is a database in a temporary file without a name.
        connection = try Connection(path: "")
        file = nil
        isWritable = true
        // First: once a collation was missing, SQLite does not use its indexes.
        try StoreNames.define(on: connection)
        try source.copy(to: connection)
        try connection.execute(
          "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON")
      } else {
        budget.isExhausted = true
        let file = try InspectedDatabase(path: source.path)
        self.file = file
        connection = file.connection
        isWritable = false
        try StoreNames.define(on: connection)
      }
      connection.copyLikeSetting(of: source)
    } catch {
      return nil
    }
  }
}

extension Statement {
  /// A hash of the current row; sums of reals differ in their last bits where rows come in another order.
  fileprivate var digestOfRow: UInt64 {
    var hasher = Hasher()
    for column in 0..<columnCount {
      let type = columnType(column)
      hasher.combine(type)
      switch type {
      case .integer: hasher.combine(int64(column))
      case .float: hasher.combine(Float(double(column)))
      case .text, .blob: hasher.combine(bytes: blob(column))
      case .null: break
      }
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension Connection {
  /// Undoes the changes that a body makes.
  func undoing<R, E: Error>(_ body: () throws(E) -> R) throws -> R {
    try execute("SAVEPOINT storescope_trial")
    defer { try? execute("ROLLBACK TO storescope_trial; RELEASE storescope_trial") }
    return try body()
  }

  /// Lets a write with sampled values run to its end: what it violates is undone before it is checked.
  func deferForeignKeys() throws(SQLiteError) { try execute("PRAGMA defer_foreign_keys = ON") }

  fileprivate func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.int64(0) : 0
  }
}
