// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents

/// A statement of a workload, with its number of runs and its known values.
public struct WorkloadStatement: Hashable, Sendable {
  public var id: String
  public var sql: String
  public var runs: UInt64
  /// The counts of a run from the source.
  public var counted: CountedRuns
  /// Values of some runs, if they were recorded; each tuple has a value for every parameter.
  public var values: [[BindValue]]
  /// Whether it stands for a statement that writes; see ``rowSearch`` and ``selectPart``.
  public internal(set) var isRowSearch = false
  /// The counted VM steps of the statement that writes.
  var stepsOfWrite: Double?
  /// Values that were sampled before.
  var sampled: StatementValues?

  public init(
    id: String, sql: String, runs: UInt64, counted: CountedRuns = CountedRuns(),
    values: [[BindValue]] = []
  ) {
    self.id = id
    self.sql = sql
    self.runs = runs
    self.counted = counted
    self.values = values
  }
}

/// The work of a run: VM steps alone, and with 4 for each page that is looked up.
struct StepCount {
  var cost = 0.0
  var vmSteps = 0.0
  /// The largest part of its first VM steps that a run takes: of sampled values each may be the program's.
  var largestPart = 0.0
  /// Whether a table is read whole for each row of another one.
  var scansInLoop = false
  /// Whether it was ended: it counts for more than any other.
  var isEndless = false
}

/// A statement with values for its parameters, ready to be measured on the copy.
final class MeasuredStatement {
  let statement: WorkloadStatement
  /// In lower case.
  let tables: Set<String>
  /// The tables that triggers and foreign keys read, where it writes.
  let actionTables: [String]
  /// The functions and collations of a store that it uses.
  let storeNames: [String]
  let source: ValueSource
  /// For analysis; see ``ColumnQualifier``.
  let qualifiedSQL: String
  private let sql: String
  private let runs: [StatementValues.Run]
  private let arrays: IntegerArrays
  private let connection: Connection
  /// Steps by program and run: the same program on the same rows takes the same steps.
  private var knownSteps: [ProgramRun: StepCount] = [:]

  /// The number of VM steps that a page look-up counts as.
  ///
  /// To find a row of a table by an index is one VM step and two or three pages, 200 to 300 ns; a
  /// step of a search takes 25 to 40 ns.
  static let stepsOfPage: UInt64 = 4

  /// A run that takes so many times the steps of the first one is ended.
  ///
  /// 100 is arbitrary: no index that makes a statement so slow is advised.
  var maxFactor = 100.0

  // 10 is arbitrary: a program may read a part of the rows.
  private static let maxStepRatio = 10.0
  /// Whether a table has a partial index, of which a bound value decides whether SQLite uses it.
  private let hasPartialIndex: Bool
  /// VM steps of each run as the copy was at first.
  private var vmSteps: [Int: UInt64] = [:]

  /// The counted VM steps and those of the values, where they have been sampled and take far more.
  var excessOfSample: (counted: Double, sampled: Double)? {
    guard hasPartialIndex, source.isSampled, let counted = statement.counted.vmSteps, counted > 0
    else { return nil }
    let sampled = runs.enumerated().reduce(0) { $0 + $1.1.weight * Double(vmSteps[$1.0] ?? 0) }
    return sampled > Self.maxStepRatio * counted ? (counted, sampled) : nil
  }

  /// Ends a run; after the first one by the steps of that.
  private var maxSteps = OrderingError.maxSteps
  /// Whether a run was ended.
  private(set) var isEndless = false

  private struct ProgramRun: Hashable {
    var run: Int
    var program: String
  }

  /// Whether it is one SELECT of one table, which one index serves at a time.
  var hasOneTable: Bool {
    tables.count == 1 && StatementOutline(qualifiedSQL).scopes.count == 1
  }

  /// Whether its repair may use an index that it does not use now.
  func mayNeed(_ index: DatabaseIndex) -> Bool {
    tables.contains(index.table.lowercased())
      && StatementClauses(sql: statement.sql).comparesTextWithoutIndex
  }

  ///
  /// - Parameter actionTables: the tables that a write reads by triggers and foreign keys; a write without them is
  ///   not measured.
  init(
    _ statement: WorkloadStatement, on connection: Connection, actionTables: [String] = []
  ) throws {
    var arrays = try IntegerArrays(of: StatementOutline(statement.sql), on: connection)
    let original = try OrderingBench.compile(statement.sql, connection)
    guard original.isReadOnly ? original.columnCount > 0 : !actionTables.isEmpty else {
      throw OrderingError.notASelect
    }
    self.actionTables = original.isReadOnly ? [] : actionTables
    let numbered = ParameterNumbering(statement.sql)
    let qualifier = ColumnQualifier(connection)
    qualifiedSQL = qualifier.qualified(statement.sql)
    let outline = StatementOutline(qualifier.qualified(numbered.sql))
    self.statement = statement
    self.connection = connection
    sql = numbered.sql
    tables = Self.tables(of: outline, on: connection).union(actionTables.map { $0.lowercased() })
    hasPartialIndex = tables.contains { table in
      (try? DatabaseIndex.all(of: table, connection))?.contains(where: \.isPartial) == true
    }
    storeNames = StoreNames.used(by: outline.tokens)
    let sampler = ParameterSampler(
      outline: outline, parameterCount: numbered.count, connection: connection)
    try arrays.sample(by: sampler)
    try arrays.fill(on: connection)
    let values = try Self.values(of: statement, numbered, sampler)
    (runs, source, self.arrays) = (values.runs, values.source, arrays)
  }

  /// The tables that it reads, and the tables that its views read, in lower case.
  private static func tables(
    of outline: StatementOutline, on connection: Connection
  ) -> Set<String> {
    var tables: Set<String> = []
    var names = outline.tableNames
    while let name = names.popLast()?.lowercased() {
      guard tables.insert(name).inserted else { continue }
      let view = try? connection.texts(
        "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE", name)
      for sql in view ?? [] { names += StatementOutline(sql).tableNames }
    }
    return tables
  }

  private static func values(
    of statement: WorkloadStatement, _ numbered: ParameterNumbering, _ sampler: ParameterSampler
  ) throws -> StatementValues {
    guard numbered.count > 0 else { return .none }
    if let sampled = statement.sampled { return sampled }
    let whole = statement.values.filter { $0.count == numbered.count }
    if let known = StatementValues.recorded(whole) { return known }
    let query = try sampler.connection.prepare(numbered.sql)
    guard query.isReadOnly else {
      return StatementValues(
        runs: [.init(values: try sampler.values(), weight: 1)], source: .sampled)
    }
    return try ValueFitter(query, sampler: sampler, counted: statement.counted).values()
  }

  /// The names of the indexes that its plans use now.
  func usedIndexes() throws(SQLiteError) -> Set<String> {
    var names: Set<String> = []
    for run in runs {
      names.formUnion(QueryPlan(steps: try steps(of: run)).indexNames)
    }
    return names
  }

  private func steps(of run: StatementValues.Run) throws(SQLiteError) -> [PlanStep] {
    let query = try compiled("EXPLAIN QUERY PLAN " + sql, run, connection)
    var steps: [PlanStep] = []
    while try query.step() {
      steps.append(PlanStep(id: query.int64(0), parent: query.int64(1), detail: query.string(3)))
    }
    return steps
  }

  private func compiled(
    _ sql: String, _ run: StatementValues.Run, _ connection: Connection
  ) throws(SQLiteError) -> Statement {
    let query = try connection.prepare(sql)
    for (index, value) in run.values.enumerated() { value.bind(to: query, at: Int32(index) + 1) }
    return query
  }

  /// Whether it is a write that is undone.
  var isWrite: Bool { !actionTables.isEmpty }

  // MARK: - Counting

  /// Steps of a run as the copy is now, the mean over its values.
  func steps() throws -> StepCount {
    var sum = StepCount()
    var isFilled = arrays.keys.isEmpty
    for (index, run) in runs.enumerated() {
      let key = ProgramRun(run: index, program: try program(run))
      if knownSteps[key] == nil {
        if !isFilled { try arrays.fill(on: connection) }
        isFilled = true
        knownSteps[key] = try count(run, index)
      }
      let count = knownSteps[key] ?? StepCount()
      if count.isEndless { return count }
      sum.cost += run.weight * count.cost
      sum.vmSteps += run.weight * count.vmSteps
      let first = max(Double(vmSteps[index] ?? 0), 1)
      sum.largestPart = max(sum.largestPart, count.vmSteps / first)
      sum.scansInLoop = sum.scansInLoop || count.scansInLoop
    }
    maxSteps = min(maxSteps, Int(maxFactor * max(10_000, sum.cost)))
    return sum
  }

  private func count(_ run: StatementValues.Run, _ index: Int) throws -> StepCount {
    let query = try compiled(sql, run, connection)
    _ = connection.takePageReads()
    do {
      try OrderingError.bounding(connection, maxSteps: maxSteps) {
        guard isWrite else { return try query.run() }
        try connection.undoing { () throws(SQLiteError) in
          defer { query.reset() }
          try connection.deferForeignKeys()
          try query.run()
        }
      }
    } catch OrderingError.tooManySteps {
      isEndless = true
      return StepCount(
        cost: Double(maxSteps) * 10, vmSteps: Double(maxSteps) * 10, largestPart: .infinity,
        isEndless: true)
    }
    let steps = query.takeCounters().vmSteps
    if vmSteps[index] == nil { vmSteps[index] = steps }
    let cost = steps + Self.stepsOfPage * connection.takePageReads()
    return StepCount(
      cost: Double(cost), vmSteps: Double(steps),
      scansInLoop: QueryPlan(steps: try self.steps(of: run)).scansInLoop)
  }

  /// The instructions that SQLite makes of the statement with these values.
  private func program(_ run: StatementValues.Run) throws(SQLiteError) -> String {
    let query = try compiled("EXPLAIN " + sql, run, connection)
    var text = ""
    while try query.step() {
      // All but the address and the comment.
      for column in 1..<7 as Range<Int32> { text += query.string(column) + " " }
      text += "\n"
    }
    return text
  }

  // MARK: - Timing

  /// Compiles the runs on two connections, to compare their times.
  func race(_ other: Connection) throws(SQLiteError) -> StatementRace {
    // Temporary tables of keys are made on both.
    for name in arrays.keys.map(\.table) {
      try other.execute(IntegerArrays.creation(of: name))
    }
    try arrays.fill(on: other)
    try arrays.fill(on: connection)
    var pairs: [(Statement, Statement)] = []
    for run in runs {
      pairs.append((try compiled(sql, run, other), try compiled(sql, run, connection)))
    }
    return StatementRace(pairs: pairs)
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
