// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// The counts of a run that later runs are compared with, version 1: for review in a pull request.
public struct BaselineV1: Codable, Hashable, Sendable {
  /// The version of the format.
  public static let schemaVersion = 1

  /// The version in the file.
  public var schemaVersion = Self.schemaVersion
  /// A hash of all but the budgets, by which damage is found; nil in baselines older than
  /// the rows of saves in ``Totals``.
  public var check: String?
  /// Null if the trace does not contain it.
  public var sqliteVersion: String?
  /// A condition other than the code that the counts depend on, such as `seed`.
  public var tags: [String: String]
  /// The totals of the run.
  public var totals: Totals
  /// The most that a total may be, by its name, such as `cacheMisses`: written by people, and kept.
  public var budget: [String: UInt64]?
  /// The statements by their SQL; if tests have names, only the tests' statements.
  public var statements: [Statement]
  /// The tests that markers named: their `sql` is `test NAME`.
  public var tests: [Statement]?
  /// The warnings of the run; nil in older baselines.
  public var warnings: [KnownFinding]?
  /// Whether the warnings include findings that need the program's database.
  public var warningsNeedDatabase: Bool?

  /// All of them: a file with other names at its top is refused.
  enum CodingKeys: String, CodingKey, CaseIterable {
    case schemaVersion, check, sqliteVersion, tags, totals, budget, statements, tests, warnings,
      warningsNeedDatabase
  }

  /// The totals of a run.
  public struct Totals: Codable, Hashable, Sendable {
    /// Fetch requests.
    public var fetches: UInt64
    /// Requests for a number of objects.
    public var counts: UInt64
    /// Rows returned.
    public var rows: UInt64
    /// Faults fired.
    public var faults: UInt64
    /// Relationship faults fired.
    public var relationshipFaults: UInt64
    /// Faults that were read from the database.
    public var cacheMisses: UInt64
    /// Saves, failed ones included.
    public var saves: UInt64
    /// Rows that saves inserted; nil in older baselines, like the following ones.
    public var inserted: UInt64?
    /// Rows that saves updated.
    public var updated: UInt64?
    /// Rows that saves deleted.
    public var deleted: UInt64?
    /// Statements that saves ran.
    public var saveStatements: UInt64?
    /// Fetches, saves and statements that ended in an error.
    public var errors: UInt64?
    /// Waits for a lock that ended in `SQLITE_BUSY`.
    public var busyFailures: UInt64?
    /// The counts that the inputs have; the others are unknown, and not 0.
    ///
    /// Nil in older baselines.
    public var measured: [String]?
  }

  /// The counts of one statement.
  public struct Statement: CountedFields {
    public var fields: StatementFields
    /// SQLite's counters; nil where the source does not count them, as in Core Data's log.
    public var counters: CounterValues<OptionalJSONKeys>

    /// Makes a statement.
    public init(fields: StatementFields, counters: CounterValues<OptionalJSONKeys>) {
      (self.fields, self.counters) = (fields, counters)
    }
  }

  /// The fields of a statement that are not SQLite's counters.
  public struct StatementFields: Codable, Hashable, Sendable {
    /// The fingerprint: values are `?`.
    public var sql: String
    /// Runs.
    public var count: UInt64
    /// Rows returned.
    public var rows: UInt64
    /// Faults that were read from the database.
    public var cacheMisses: UInt64
    /// Rows inserted, updated or deleted; nil where the source does not count them.
    public var changes: UInt64?
    /// Runs that ended in an error; nil in older baselines.
    public var errors: UInt64?
    /// Transactions that it ended; nil outside of tests.
    public var commits: UInt64?
    /// The query plan, if a database was passed.
    public var plan: Plan?
    /// The line that ran it most often, by which a statement that was rewritten is found again.
    public var caller: String?
    /// The entity's name.
    public var entity: String?
    /// Of a test: the counts of each of its statements, as `5c3f6a0d1e2b4987 count=2 rows=10`, separated by `;`.
    public var forms: String?
    /// The most that a count may be, by its name, such as `vmSteps`: written by people, and kept.
    public var budget: [String: UInt64]?
    /// The mean time of each run, in nanoseconds; only if requested.
    public var meanNs: [Double]?
  }

  /// The steps in SQLite's text, indented, and their meaning.
  public struct Plan: Codable, Hashable, Sendable {
    /// `search`, `harmlessScan`, `costlySearch`, `mayScan`, `fullScan` or `error`.
    public var verdict: String
    /// The steps of the plan, one line each.
    public var steps: [String]

    /// Makes a plan from its verdict and its steps.
    public init(verdict: String, steps: [String]) {
      self.verdict = verdict
      self.steps = steps
    }

    /// Whether it reads far more rows than it returns.
    var isCostly: Bool {
      PlanVerdict(rawValue: verdict)?.isCostly ?? false
    }
  }
}

extension BaselineV1 {
  /// Copies the counts of a profile.
  ///
  /// - Parameters:
  ///   - profile: the run.
  ///   - tags: conditions other than the code that the counts depend on.
  ///   - findings: the findings of the run with its database; nil without one.
  ///   - plan: explains a statement's SQL, or returns nil without a database.
  public init(
    _ profile: Profile, tags: [String: String] = [:], findings: [Finding]? = nil,
    plan: (String) -> Plan? = { _ in nil }
  ) {
    sqliteVersion = profile.sqliteVersion
    self.tags = tags
    totals = Totals(profile)
    warnings = KnownFinding.warnings(of: profile.findings + (findings ?? []), in: profile)
    warningsNeedDatabase = findings == nil ? nil : true
    guard let tests = TestForms.tests(of: profile) else {
      statements = profile.statementGroups.values.sorted { $0.fingerprint < $1.fingerprint }
        .map { Statement($0, plan: $0.statement.sql.flatMap(plan)) }
      return
    }
    self.tests = tests.map(\.baseline)
    statements = TestForms.sums(of: tests)
    // Set-up of tests and libraries is in the totals, and depends on their order and number.
    totals = .none
  }
}

extension Profile {
  /// The version of SQLite that ran, or versions; nil if the source has none, as a log of Core Data.
  public var sqliteVersion: String? {
    let versions = Set(stores.map(\.sqliteVersion)).subtracting([""])
    return versions.isEmpty ? nil : versions.sorted().joined(separator: ", ")
  }
}

extension BaselineV1.Totals {
  /// Totals of zero, for a comparison without a baseline.
  static let none = Self(
    fetches: 0, counts: 0, rows: 0, faults: 0, relationshipFaults: 0, cacheMisses: 0, saves: 0,
    measured: [GateMetric.commits.rawValue])

  init(_ profile: Profile) {
    let totals = profile.totals
    func saved(_ path: KeyPath<SaveProfile, UInt64>) -> UInt64 {
      profile.saves.reduce(0) { $0.saturatingSum($1[keyPath: path]) }
    }
    self.init(
      fetches: totals.fetches, counts: totals.counts, rows: totals.rows, faults: totals.faults,
      relationshipFaults: totals.relationshipFaults, cacheMisses: totals.cacheMisses,
      saves: totals.saves, inserted: saved(\.inserted), updated: saved(\.updated),
      deleted: saved(\.deleted), saveStatements: saved(\.statements), errors: totals.errors,
      busyFailures: profile.waits.busyFailures, measured: profile.measures.names)
  }
}

extension BaselineV1.Statement {
  init(_ group: StatementGroup, plan: BaselineV1.Plan?) {
    let work = group.work
    let isCounted = work.known(\.vmSteps) != nil
    self.init(
      fields: .init(
        sql: group.fingerprint.description, count: work.count, rows: work.rows,
        cacheMisses: group.misses,
        changes: work.changes ?? group.statement.observedRuns.map { _ in 0 },
        errors: work.errors, plan: plan, caller: group.busiestCaller.text,
        entity: group.statement.entity),
      counters: .init { isCounted ? work.counter($0) : nil })
  }
}

extension BaselineV1 {
  /// Copies the budgets that were edited by hand from an older baseline.
  public mutating func keepBudgets(of older: BaselineV1) {
    budget = older.budget
    let budgets = Dictionary(
      older.withCurrentForms.statements.map { ($0.sql, $0.budget) },
      uniquingKeysWith: { first, _ in first })
    for index in statements.indices {
      statements[index].budget = budgets[statements[index].sql] ?? nil
    }
    tests = tests?.map { test in
      var test = test
      test.budget = older.tests?.first { $0.sql == test.sql }?.budget
      return test
    }
  }

  /// Records the mean times of several runs, for gates that compare times.
  public mutating func addTimes(of runs: [Profile]) {
    let groups = Dictionary(
      uniqueKeysWithValues: TimingGate.groups(of: runs).map { ($0.description, $1) })
    for index in statements.indices {
      statements[index].meanNs = groups[statements[index].sql]?.map { $0.meanTime.rounded() }
    }
  }

  /// The names in budgets that are not names of counts.
  var unknownBudgets: [String] {
    let names = Set(GateMetric.ofStatements.map(\.0.rawValue))
    let totals = Set(GateMetric.ofTotals.map(\.0.rawValue))
    let unknown =
      (statements + (tests ?? [])).flatMap { $0.budget?.keys.filter { !names.contains($0) } ?? [] }
      + (budget?.keys.filter { !totals.contains($0) } ?? [])
    return Set(unknown).sorted()
  }
}
