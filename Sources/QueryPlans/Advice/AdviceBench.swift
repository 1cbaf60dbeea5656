// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The statements of a workload on a copy of their database, with their times as it is now.
final class AdviceBench {
  let statements: [MeasuredStatement]
  let unmeasured: [(statement: String, reason: String)]
  /// Of each statement, in nanoseconds.
  private(set) var times: [Double]
  private var plans: [[String]]
  private let copy: DatabaseCopy
  private let isAnalyzed: Bool

  var connection: Connection { copy.connection }
  /// The functions and collations of a store that the statements use, in alphabetical order.
  var storeNames: [String] { Set(statements.flatMap(\.storeNames)).sorted() }

  init(_ workload: [WorkloadStatement], copy: DatabaseCopy) throws {
    self.copy = copy
    isAnalyzed = try !copy.connection.texts(
      "SELECT name FROM sqlite_schema WHERE name = 'sqlite_stat1'"
    ).isEmpty
    guard !workload.isEmpty else { throw AdviceError.noStatements }
    try copy.orderAnew()
    var (statements, unmeasured) = try Self.compiled(workload, on: copy.connection)
    var times: [Double] = []
    statements = try statements.filter { statement in
      do {
        times.append(try OrderingError.telling { () throws(SQLiteError) in try statement.time() })
        return true
      } catch let error as OrderingError {
        unmeasured.append((statement.statement.id, "\(error)"))
        return false
      }
    }
    if statements.isEmpty {
      throw unmeasured.isEmpty
        ? AdviceError.noStatements : .nothingMeasured(reasons: unmeasured.map(\.reason))
    }
    plans = try statements.map { try $0.plan() }
    (self.statements, self.unmeasured, self.times) = (statements, unmeasured, times)
  }

  /// The statements that can be measured, and why others cannot.
  ///
  /// - Throws: ``AdviceError/otherDatabase(_:)``, or ``SQLiteError/interruption``.
  private static func compiled(
    _ workload: [WorkloadStatement], on connection: Connection
  ) throws -> ([MeasuredStatement], unmeasured: [(statement: String, reason: String)]) {
    var match = SchemaMatch()
    var statements: [MeasuredStatement] = []
    var unmeasured: [(statement: String, reason: String)] = []
    for statement in workload {
      var failure: String?
      do {
        statements.append(try MeasuredStatement(statement, on: connection))
      } catch OrderingError.notASelect {
        // What writes needs no index to read by.
      } catch let error as OrderingError {
        unmeasured.append((statement.id, "\(error)"))
      } catch let error as SQLiteError where !error.isInterruption {
        failure = error.message
        unmeasured.append((statement.id, error.message))
      }
      match.add(failure: failure)
    }
    guard !match.isOtherDatabase else { throw AdviceError.otherDatabase(match) }
    return (statements, unmeasured)
  }

  /// Nanoseconds of all runs.
  var total: Double {
    zip(statements, times).reduce(0) { $0 + $1.1 * Double($1.0.statement.runs) }
  }

  // MARK: - Candidates

  /// What no index of the database serves yet, of tables that are not tiny.
  func candidates() throws -> [IndexCandidate] {
    let facts = try DatabaseFacts(connection)
    var seen: Set<IndexCandidate> = []
    return statements.flatMap { IndexCandidate.all(for: $0.statement.sql) }.filter { candidate in
      guard let table = facts.table(candidate.table), !candidate.isServed(by: facts.indexes),
        table.rows.isAtLeast || table.rows.rows > PlanJudge.smallTableRows
      else { return false }
      return seen.insert(candidate).inserted
    }
  }

  /// Makes an index, times the statements whose plan it changes, and drops it.
  ///
  /// - Returns: nanoseconds of the workload that it saves; 0 for one that cannot be made.
  func saving(of candidate: IndexCandidate) throws -> Double {
    do throws(SQLiteError) {
      try create(candidate)
    } catch {
      if error.isInterruption { throw error }
      // A column that is none, such as an alias; it makes no index.
      return 0
    }
    defer { try? drop(candidate.name) }
    return try -changes(of: candidate.table).reduce(0) { $0 + $1.cost }
  }

  func keep(_ candidate: IndexCandidate) throws {
    try create(candidate)
    try settle(candidate.table)
  }

  /// Drops an index that was kept; it comes back where the workload loses at least so many
  /// nanoseconds by that.
  ///
  /// - Returns: what the workload loses.
  func confirm(_ candidate: IndexCandidate, least: Double) throws -> Double {
    try drop(candidate.name)
    let loss = try lossAfterDrop(of: candidate.table)
    if loss < least { try settle(candidate.table) } else { try create(candidate) }
    return loss
  }

  func lossAfterDrop(of table: String) throws -> Double {
    try changes(of: table).reduce(0) { $0 + $1.cost }
  }

  /// Takes the plans and times as they are now for the ones to compare with.
  func settle(_ table: String) throws {
    for change in try changes(of: table) {
      times[change.statement] = change.time
      plans[change.statement] = change.plan
    }
  }

  private static let leastChange = 0.15

  private struct Change {
    var statement: Int
    var plan: [String]
    var time: Double
    /// Nanoseconds of all runs that are needed more.
    var cost: Double
  }

  /// Statements whose plan is another one now; equal plans take equal time.
  private func changes(of table: String) throws -> [Change] {
    var changes: [Change] = []
    for (index, statement) in statements.enumerated()
    where statement.tables.contains(table.lowercased()) {
      let plan = try statement.plan()
      guard plan != plans[index] else { continue }
      var time = try statement.time()
      // Closer than this two plans are equally fast, on a machine that does other things too.
      if abs(time / times[index] - 1) < Self.leastChange { time = times[index] }
      changes.append(
        Change(
          statement: index, plan: plan, time: time,
          cost: (time - times[index]) * Double(statement.statement.runs)))
    }
    return changes
  }

  // MARK: - Making and dropping

  func create(_ candidate: IndexCandidate) throws(SQLiteError) {
    try connection.execute(candidate.sql)
    if isAnalyzed { try connection.execute("ANALYZE \(PlanExplainer.quoted(candidate.name))") }
  }

  func drop(_ index: String) throws(SQLiteError) {
    try connection.execute("DROP INDEX \(PlanExplainer.quoted(index))")
  }

  // MARK: - Indexes of the database

  /// Indexes that only the reading half needs: not unique, not made by the store itself, of tables
  /// that the workload reads.
  func removable() throws -> [DatabaseIndex] {
    let tables = statements.reduce(into: Set<String>()) { $0.formUnion($1.tables) }
    return try DatabaseFacts(connection).indexes.filter {
      $0.isDeclared && !$0.isUnique && !$0.servesRelationship
        && tables.contains($0.table.lowercased())
    }
  }

  func reasonToDrop(_ index: DatabaseIndex) throws -> IndexAdvice.Removal.Reason? {
    let others = try DatabaseIndex.all(of: index.table, connection).filter { $0.name != index.name }
    if let other = others.first(where: { index.isPrefix(of: $0) }) { return .redundant(other.name) }
    // A statement that was not measured may need it.
    guard unmeasured.isEmpty else { return nil }
    for statement in statements where try statement.usedIndexes().contains(index.name) {
      return nil
    }
    return .unused
  }

  /// By Z_PRIMARYKEY, which a store in Core Data's layout has.
  func entity(of table: String) throws -> String? {
    let names = try? connection.texts("SELECT Z_NAME FROM Z_PRIMARYKEY")
    return names?.first { "Z" + $0.uppercased() == table.uppercased() }
  }
}
