// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import SQLiteDriver
public import StoreEvents
import TraceReading

/// The input of the rules: a run and, if available, the database that it used.
public struct Workload {
  /// The sums of the run.
  public var profile: Profile
  /// Nil without a database; a rule that needs it then finds nothing.
  public var database: DatabaseFacts?
  /// By statement; without a database, only the statements with plans in a log.
  public var explanations: [StatementID: PlanExplainer.Explanation] = [:]
  /// The plans of statements without events of their own, such as the statements of saves.
  var otherPlans: [QueryPlan?] = []
  /// The indexes that the triggers and foreign keys of writes use; nil if one of them cannot be explained.
  var indexesOfActions: Set<String>? = []
  /// The bytes of each result column of one run, by the column's name; nil where it cannot be run.
  var columnBytes: (String) -> [String: UInt64]? = { _ in nil }
  /// By their text, then by their line of code.
  let forms: [StatementForm]
  /// The names of the program's data model, if it was passed.
  let names: ModelNames?

  /// A run without a database.
  public init(_ profile: Profile, names: ModelNames? = nil) {
    self.profile = profile.withoutRests
    self.names = names
    let plans = profile.reading.plans
    func explain(_ statement: StatementProfile) -> PlanExplainer.Explanation? {
      guard !plans.isEmpty, let sql = statement.sql else { return nil }
      return plans[SQLFingerprint(sql: sql)]?.explanation(work: statement.statementWork)
    }
    for statement in self.profile.statements { explanations[statement.id] = explain(statement) }
    forms = Self.forms(of: self.profile, names: names) { statement, _ in explain(statement) }
  }

  /// A run, its statements explained against a database, which is only read.
  ///
  /// - Parameters:
  ///   - profile: the run.
  ///   - connection: the database, or a private copy.
  ///   - path: the file of which the connection may have a copy.
  ///   - names: the names of a Core Data model, for its terms in fixes.
  ///   - budget: the work that plans and trials may take; nil for that of a command.
  /// - Throws: `SQLiteError` if the database's schema cannot be read.
  public init(
    _ profile: Profile, database connection: Connection, path: String? = nil,
    names: ModelNames? = nil, budget: PlanBudget? = nil
  ) throws(SQLiteError) {
    self.profile = profile.withoutRests
    self.names = names
    database = try DatabaseFacts(connection)
    let explainer = PlanExplainer(
      connection, conditions: profile.planConditions(for: path ?? connection.path), budget: budget
    ) { profile.values.tuples(of: $0) }
    // They are in the order of their time.
    for statement in self.profile.statements.prefix(budget?.statements ?? .max) {
      guard let sql = statement.sql else { continue }
      let judged = profile.judgedWork(of: statement)
      explanations[statement.id] = explainer.explain(sql, work: judged.work, on: judged.database)
    }
    // A statement that is explained in another database may use an index of this one.
    let divided = self.profile.statements.filter { profile.databaseRuns[$0.id] != nil }
    otherPlans = ((profile.otherSQL ?? []) + divided.compactMap(\.sql)).map {
      explainer.plan(of: $0)
    }
    let writes = self.profile.allSQL.filter { WrittenTable(sql: $0) != nil }
    indexesOfActions = writes.reduce(into: []) { used, sql in
      used = explainer.usedIndexes(by: sql).flatMap { used?.union($0) }
    }
    columnBytes = { explainer.columnBytes(of: $0) }
    forms = Self.forms(of: self.profile, names: names) { [explanations] statement, database in
      guard let sql = statement.sql, let known = explanations[statement.id] else { return nil }
      guard known.plan != nil else { return known }
      return explainer.explain(sql, work: statement.statementWork, on: database)
    }
  }

  /// Whether the statements belong to the database.
  public var schemaMatch: SchemaMatch {
    SchemaMatch(profile.statements.compactMap { explanations[$0.id] })
  }

  /// The findings of all rules: warnings first, then by their cost.
  public var findings: [Finding] {
    let times = FindingTimes(profile)
    let (helpers, frameworks) = (profile.helpers, Frameworks(profile))
    return Rules.all.flatMap { $0.check(self) }.map { finding in
      var finding = finding
      if finding.saving == nil { finding.timeOfCause = times.time(of: finding) }
      let trials = trials(of: finding)
      finding.isTried = !trials.isEmpty
      finding.trial = trials.first { $0.after < $0.before }
      if let sql = finding.statement.flatMap(profile.statement)?.sql,
        let framework = frameworks.framework(of: sql, at: finding.caller)
      {
        finding.fix =
          framework.fix(of: finding.rule, for: sql) ?? framework.declaringIndexes(in: finding.fix)
      }
      if let helper = helpers[finding.caller] {
        finding.message += " It runs through \(helper)."
      }
      return finding
    }.sorted { a, b in
      if a.severity != b.severity { return a.severity > b.severity }
      return a.cost != b.cost
        ? a.cost > b.cost
        : a.sortKey < b.sortKey
    }
  }
}

extension Finding {
  /// The cause of a failure comes before its handling.
  fileprivate var sortKey: (Int, String, String, String) {
    (rule == HandleBusy.name ? 1 : 0, rule, "\(caller.sortKey)", message)
  }
}

extension Workload {
  /// The trials of the indexes, or of the other way to write a term, that a finding's fix names.
  private func trials(of finding: Finding) -> [Finding.Trial] {
    guard let statement = finding.statement,
      let judgement = explanations[statement]?.judgement
    else { return [] }
    // Together they save most.
    let gains = judgement.gains.filter { !$0.isOfPages && $0.isNamed(in: finding.fix) }
      .sorted { $0.indexes.count > $1.indexes.count }
      .map { Finding.Trial(before: $0.before, after: $0.after) }
    let rewrites = judgement.obstacles.filter { finding.fix.contains($0.sentence) }
      .compactMap(\.steps).map { Finding.Trial(before: $0.before, after: $0.after) }
    return gains + rewrites
  }
}

/// The times that rank findings without a computed saving.
private struct FindingTimes {
  private let statements: [StatementID: StatementProfile]

  init(_ profile: Profile) {
    statements = Dictionary(
      profile.statements.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The time of the statement at the line of the finding; otherwise the largest time that its rule
  /// counted.
  func time(of finding: Finding) -> Nanoseconds {
    let counted = finding.evidence.filter { $0.name.hasSuffix("Ns") }.map(\.value).max() ?? 0
    guard let statement = finding.statement.flatMap({ statements[$0] }) else { return counted }
    let work =
      statement.callers.first { $0.location == finding.caller }?.work ?? statement.work
    return max(work.connectionTime > 0 ? work.connectionTime : work.totalTime, counted)
  }
}

extension Profile {
  /// Whether an input is a log of Core Data, which has no counters of SQLite and no row-cache hits.
  var hasCoreDataLog: Bool { reading.sources.contains { $0.kind == .coreDataLog } }

  /// Without the statements that were counted together: their repeats and scans show nothing.
  fileprivate var withoutRests: Profile {
    var profile = self
    profile.statements.removeAll { $0.id == Bounds.restOfStatements }
    profile.faults.removeAll { $0.origin == Bounds.restOfFaults }
    return profile
  }
}

extension StatementProfile {
  /// The part of a statement's runs that the plan's judge needs.
  public var statementWork: StatementWork {
    var sums = StatementWork(executions: work.count, rows: max(work.rows, work.changes ?? 0))
    sums.counters = work.counters
    sums.failed = work.errors
    // Without any counters, there are none per run.
    sums.uncounted = work.vmSteps > 0 ? work.uncounted ?? 0 : 0
    return sums
  }
}
