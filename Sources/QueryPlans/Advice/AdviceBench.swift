// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The statements of a workload on a copy of their database, with the steps that they take.
///
/// Steps are VM steps, and 4 for each page look-up. They are counted, not timed: the same copy and
/// the same values take the same steps, so every run ranks sets of indexes in the same way.
final class AdviceBench {
  let statements: [MeasuredStatement]
  let unmeasured: [(statement: String, reason: String)]
  let writes: [WorkloadWrite]
  /// Steps of a run of each statement, with the indexes that the database has.
  let steps: [Double]
  private let counts: [StepCount]
  let connection: Connection
  private let plausible: IndexTrial.Plausible?
  /// The SQL of the workload that writes.
  private let writing: [String]
  /// The indexes that INDEXED BY names, in the workload or in a view, in lower case.
  private let namedIndexes: Set<String>
  /// The indexes that plans use after `ANALYZE`.
  var indexesUsedWithStatistics: Set<String> = []
  private let explainer: PlanExplainer
  var isOfReport: Bool { plausible != nil }
  /// The candidates that the copy has now.
  private(set) var applied: Set<IndexCandidate> = []
  private var knownCandidates: [IndexCandidate]?
  private var known: [Set<IndexCandidate>: Trial] = [:]
  private var knownSteps: [StatementTrial: StepCount] = [:]

  /// A statement with the indexes on its tables, on which its steps depend.
  private struct StatementTrial: Hashable {
    var statement: Int
    var indexes: Set<IndexCandidate>
  }

  /// The functions and collations of a store that the statements use, in alphabetical order.
  var storeNames: [String] { Set(statements.flatMap(\.storeNames)).sorted() }

  /// A set of indexes, and the cost of the workload with it.
  struct Trial {
    var indexes: Set<IndexCandidate>
    /// Steps of a run of each statement.
    var steps: [Double]
    var counts: [StepCount]
    /// The steps of all runs, and of all writes to the indexes.
    var reading: Double
    var writing: Double

    var cost: Double { reading + writing }
  }

  /// - Parameters:
  ///   - plausible: the candidates that are worth a trial, for a report that reads the answer alone; nil for all.
  ///   - otherVersion: the version of SQLite that ran the workload, where it is another one.
  ///   - otherTables: tables that the copy does not have, in lower case, with what they are.
  init(
    _ workload: [WorkloadStatement], writes: [WorkloadWrite] = [], on connection: Connection,
    plausible: IndexTrial.Plausible? = nil, otherVersion: String? = nil,
    otherTables: [String: String] = [:]
  ) throws {
    self.connection = connection
    self.plausible = plausible
    // A report has judged the statements already.
    explainer = PlanExplainer(connection, budget: plausible == nil ? nil : PlanBudget.none)
    self.writes = writes
    writing = workload.map(\.sql).filter { SQLTokenizer.tokens(of: $0).areOfWrite }
    namedIndexes = try workload.reduce(
      into: StatementClauses.indexesNamedByViews(of: connection)
    ) {
      $0.formUnion(StatementClauses.namedIndexes(in: SQLTokenizer.tokens(of: $1.sql)))
    }
    guard !workload.isEmpty else { throw AdviceError.noStatements }
    var (statements, unmeasured) = try Self.compiled(
      workload, explainer, otherVersion, otherTables)
    var steps: [StepCount] = []
    statements = try statements.filter { statement in
      do {
        let count = try statement.steps()
        if statement.isEndless { throw OrderingError.tooManySteps }
        if let excess = statement.excessOfSample {
          throw OrderingError.noFit(counted: excess.counted, best: excess.sampled)
        }
        steps.append(count)
        return true
      } catch let error as SQLiteError where !error.isInterruption && !error.isFull {
        let reason = OrderingError.failsHere(reason: error.message)
        unmeasured.append((statement.statement.id, AdviceBench.reason(reason, otherVersion)))
        return false
      } catch let error as OrderingError {
        unmeasured.append((statement.statement.id, "\(error)"))
        return false
      }
    }
    if statements.isEmpty {
      guard unmeasured.isEmpty else {
        throw AdviceError.nothingMeasured(
          unmeasured.map { .init(statement: $0.statement, reason: $0.reason) })
      }
      throw writing.isEmpty ? AdviceError.noStatements : .onlyWrites
    }
    // A report reads only which set halves them.
    if plausible != nil { for statement in statements { statement.maxFactor = 0.5 } }
    (self.statements, self.unmeasured) = (statements, unmeasured)
    (self.steps, counts) = (steps.map(\.cost), steps)
    known[[]] = trial([], steps)
  }

  /// The statements that can be measured, and why others cannot.
  private static func compiled(
    _ workload: [WorkloadStatement], _ explainer: PlanExplainer, _ otherVersion: String?,
    _ otherTables: [String: String]
  ) throws -> ([MeasuredStatement], unmeasured: [(statement: String, reason: String)]) {
    var match = SchemaMatch()
    var statements: [MeasuredStatement] = []
    var unmeasured: [(statement: String, reason: String)] = []
    for statement in workload where !statement.onlyChangesSchema {
      var failure: String?
      do {
        statements.append(
          try OrderingError.bounding(explainer.connection) {
            try measured(statement, explainer)
          })
      } catch OrderingError.notASelect where !statement.findsRowsToWrite {
        // An INSERT of values, or all rows are written: no index finds them sooner.
      } catch let error as OrderingError {
        unmeasured.append((statement.id, Self.reason(error, otherVersion)))
      } catch let error as SQLiteError where !error.isInterruption {
        if let reason = Self.otherTable(error.message, otherTables) {
          unmeasured.append((statement.id, reason))
          continue
        }
        failure = error.message
        let reason =
          otherVersion == nil
          ? error.message : Self.reason(.failsHere(reason: error.message), otherVersion)
        unmeasured.append((statement.id, reason))
      }
      match.add(failure: failure)
    }
    guard !match.isOtherDatabase else { throw AdviceError.otherDatabase(match) }
    return (statements, unmeasured)
  }

  /// A reason for `no such table: archive.sale`, where the program has it elsewhere.
  private static func otherTable(_ message: String, _ tables: [String: String]) -> String? {
    let start = "no such table: "
    guard message.hasPrefix(start) else { return nil }
    let name = message.dropFirst(start.count)
    return tables[name.lowercased()].map { "'\(name)' is \($0)" }
  }

  /// Why a statement is not measured; where another version of SQLite ran it, that is the reason.
  private static func reason(_ error: OrderingError, _ otherVersion: String?) -> String {
    guard let otherVersion else { return "\(error)" }
    let version = "SQLite \(otherVersion) ran it, and this is SQLite \(Connection.libraryVersion)"
    switch error {
    case .noFit:
      return "\(version), which takes other steps for the same values; record the values with "
        + "'trace-report record --values'"
    case .failsHere(let reason): return "\(version): \(reason)"
    default: return "\(error)"
    }
  }

  /// A write is measured itself where triggers, foreign keys and the subqueries of its SET read tables for it; otherwise
  /// by the search for its rows.
  private static func measured(
    _ statement: WorkloadStatement, _ explainer: PlanExplainer
  ) throws -> MeasuredStatement {
    let connection = explainer.connection
    let tables =
      explainer.actionCandidates(of: statement.sql).map(\.table) + statement.tablesOfAssignments
    guard tables.isEmpty else {
      return try MeasuredStatement(statement, on: connection, actionTables: tables)
    }
    return try MeasuredStatement(
      statement.rowSearch ?? statement.selectPart ?? statement, on: connection)
  }

  // MARK: - Candidates

  /// Candidates that no index of the database serves yet, on tables that are not tiny.
  func candidates() throws -> [IndexCandidate] {
    if let knownCandidates { return knownCandidates }
    var candidates = try newCandidates()
    if let plausible, try isLarge(candidates) { candidates = plausible(candidates) }
    knownCandidates = candidates
    return candidates
  }

  private func newCandidates() throws -> [IndexCandidate] {
    let facts = try DatabaseFacts(connection)
    var seen: Set<String> = []
    var names = Set(try connection.texts("SELECT lower(name) FROM sqlite_schema"))
    let copy = SchemaCopy(of: connection)
    let all =
      statements.flatMap { IndexCandidate.all(for: $0.qualifiedSQL) }
      + (copy.map(proposed) ?? [])
    return all.compactMap { candidate in
      copy?.columns(of: candidate.table).map { candidate.simplified(for: $0) } ?? candidate
    }.filter { candidate in
      guard !BookkeepingTable.isNamed(candidate.table),
        let table = facts.table(candidate.table), !candidate.isServed(by: facts.indexes),
        table.rows.isAtLeast || table.rows.rows > PlanJudge.smallTableRows
      else { return false }
      if let first = candidate.columns.first, candidate.expression == nil, !candidate.isWidened,
        keys(of: candidate.table).contains(first.lowercased())
      {
        return false
      }
      return seen.insert(candidate.sql.lowercased()).inserted
    }.map { candidate in
      let index = candidate.named(otherThan: names)
      names.insert(index.name.lowercased())
      return index
    }
  }

  /// The indexes that `plans` and `summary` try as well, and that the text of a statement alone
  /// does not show.
  private func proposed(_ copy: SchemaCopy) -> [IndexCandidate] {
    statements.flatMap { statement -> [IndexCandidate] in
      let sql = statement.statement.sql
      guard !statement.isWrite else { return explainer.actionCandidates(of: sql) }
      let counted = explainer.plan(of: sql).flatMap { PlanJudge(sql: sql).judge($0).countedTable }
      return (counted.map(explainer.narrowIndexes) ?? []).flatMap { $0 }
    }
      + statements.flatMap { statement in
        IndexProposals(
          sql: statement.statement.sql, viewSQL: explainer.viewSQL, qualified: explainer.qualified,
          columns: copy.columns
        ).candidates
      }
  }

  /// The names of the key by which a table's rows are stored, in lower case: an index on it finds nothing sooner.
  private func keys(of table: String) -> Set<String> {
    let columns = try? connection.texts(
      """
      SELECT lower(name) FROM pragma_table_xinfo(?1) WHERE pk = 1 AND type LIKE 'INTEGER'
      AND 1 = (SELECT count(*) FROM pragma_table_xinfo(?1) WHERE pk > 0)
      """, table)
    return Set(columns ?? []).union(["rowid", "_rowid_", "oid"])
  }

  /// Whether their indexes take a second or so.
  func isLarge(_ candidates: some Collection<IndexCandidate>) throws -> Bool {
    try candidates.reduce(0) { try $0 + rows(of: $1.table) } > 300_000
  }

  /// Rows of a table, at most a million.
  func rows(of table: String) throws -> Int {
    explainer.size(of: table)?.rows ?? 0
  }

  // MARK: - Sets of indexes

  /// Running a statement at all: binding, starting and resetting it take as long as 50 steps.
  private static let stepsOfRun = 50.0

  /// Counts the workload with a set of indexes, once.
  func trial(_ indexes: Set<IndexCandidate>) throws -> Trial {
    if let known = known[indexes] { return known }
    let byTable = Dictionary(grouping: indexes) { $0.table.lowercased() }
    let keys = statements.indices.map { position in
      StatementTrial(
        statement: position,
        indexes: Set(statements[position].tables.flatMap { byTable[$0] ?? [] }))
    }
    if keys.contains(where: { !$0.indexes.isEmpty && knownSteps[$0] == nil }) {
      try apply(indexes)
    }
    let counts = try keys.map { key in
      if key.indexes.isEmpty { return self.counts[key.statement] }
      if let known = knownSteps[key] { return known }
      let count = try statements[key.statement].steps()
      knownSteps[key] = count
      return count
    }
    let trial = trial(indexes, counts)
    known[indexes] = trial
    return trial
  }

  private func trial(_ indexes: Set<IndexCandidate>, _ counts: [StepCount]) -> Trial {
    let writing = indexes.reduce(0) {
      $0 + IndexCandidate.stepsOfWrite * $1.entriesWritten(by: writes)
    }
    let steps = counts.map(\.cost)
    return Trial(
      indexes: indexes, steps: steps, counts: counts, reading: reading(steps), writing: writing)
  }

  /// The cost of all runs, of the steps of one of each statement.
  func reading(_ steps: [Double]) -> Double {
    zip(statements, steps).reduce(0) {
      $0 + Double($1.0.statement.runs) * ($1.1 + Self.stepsOfRun)
    }
  }

  /// The sets that were counted.
  var trials: [Trial] { Array(known.values) }

  /// The VM steps of the workload without new indexes, less the steps of starting its runs.
  var stepsToday: Double {
    zip(statements, steps).reduce(0) { $0 + Double($1.0.statement.runs) * $1.1 }
  }

  /// The cost of the statements that no set of indexes has changed.
  var unchangedCost: Double {
    statements.indices.reduce(0) { sum, index in
      guard known.values.allSatisfy({ $0.steps[index] == steps[index] }) else { return sum }
      return sum + Double(statements[index].statement.runs) * (steps[index] + Self.stepsOfRun)
    }
  }

  /// Makes the indexes of a set and drops the other candidates, without statistics of them: they serve as soon as they
  /// are made.
  func apply(_ indexes: Set<IndexCandidate>) throws(SQLiteError) {
    for candidate in applied.subtracting(indexes) { try drop(candidate.name) }
    applied.formIntersection(indexes)
    for candidate in indexes.subtracting(applied).sorted(by: { $0.name < $1.name }) {
      try connection.execute(candidate.sql)
      applied.insert(candidate)
    }
  }

  /// Steps of a run of each statement as the copy is now.
  func currentSteps() throws -> [Double] {
    var result: [Double] = []
    for statement in statements { result.append(try statement.steps().cost) }
    return result
  }

  func drop(_ index: String) throws(SQLiteError) {
    try connection.execute("DROP INDEX \(PlanExplainer.quoted(index))")
  }

  // MARK: - Indexes of the database

  /// Indexes that only the reading half needs: not unique, not made by the store itself, of tables
  /// that the workload reads.
  func removable() throws -> [DatabaseIndex] {
    let tables = statements.reduce(into: Set<String>()) { $0.formUnion($1.tables) }
    let own = Set(applied.map(\.name))
    return try DatabaseFacts(connection).indexes.filter {
      $0.isDeclared && !$0.isUnique && !$0.servesRelationship && !own.contains($0.name)
        && tables.contains($0.table.lowercased())
    }
  }

  func reasonToDrop(_ index: DatabaseIndex) throws -> IndexAdvice.Removal.Reason? {
    guard !namedIndexes.contains(index.name.lowercased()) else { return nil }
    let others = try DatabaseIndex.all(of: index.table, connection).filter { $0.name != index.name }
    if let other = others.first(where: { index.isPrefix(of: $0) }) { return .redundant(other.name) }
    guard try !index.serves(DatabaseIndex.foreignKeys(of: index.table, connection)) else {
      return nil
    }
    // A statement that was not measured may need it, and one that compares text may be repaired by it.
    guard unmeasured.isEmpty, !statements.contains(where: { $0.mayNeed(index) }),
      !indexesUsedWithStatistics.contains(index.name)
    else { return nil }
    for statement in statements where try statement.usedIndexes().contains(index.name) {
      return nil
    }
    // A statement that takes many steps may use it once it is written differently.
    let costly = statements.indices.filter { steps[$0] >= WorkBound.minSteps }
    guard !index.mayServe(costly.map { explainer.words(of: statements[$0].statement.sql) }) else {
      return nil
    }
    // The measurement of a write includes neither its triggers nor its foreign keys.
    let isUnused = writing.allSatisfy {
      explainer.usedIndexes(by: $0).map { !$0.contains(index.name) } ?? false
    }
    return isUnused ? .unused : nil
  }

  /// From Z_PRIMARYKEY, which a store in Core Data's layout has.
  func entity(of table: String) throws -> String? {
    let names = try? connection.texts("SELECT Z_NAME FROM Z_PRIMARYKEY")
    return names?.first { "Z" + $0.uppercased() == table.uppercased() }
  }
}

extension WorkloadStatement {
  /// Whether it makes, changes or drops a table or an index, so that no index can speed it up.
  fileprivate var onlyChangesSchema: Bool {
    ["CREATE", "ALTER", "DROP"].contains(StatementCommand.name(of: sql)) && selectPart == nil
  }
}
