// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// The counts of a run that later runs are held against, version 1: for review in a pull request.
public struct BaselineV1: Codable, Hashable, Sendable {
  public static let schemaVersion = 1

  public var schemaVersion = Self.schemaVersion
  /// Null if the trace does not tell it.
  public var sqliteVersion: String?
  /// What the counts depend on besides the code, such as `seed`.
  public var tags: [String: String]
  public var totals: Totals
  /// The most that a total may be, by its name, such as `cacheMisses`: written by people, and kept.
  public var budget: [String: UInt64]?
  /// By their SQL.
  public var statements: [Statement]

  public struct Totals: Codable, Hashable, Sendable {
    public var fetches: UInt64
    public var counts: UInt64
    public var rows: UInt64
    public var faults: UInt64
    public var relationshipFaults: UInt64
    public var cacheMisses: UInt64
    public var saves: UInt64
  }

  public struct Statement: Codable, Hashable, Sendable {
    /// The fingerprint: values are `?`.
    public var sql: String
    public var count: UInt64
    public var rows: UInt64
    public var cacheMisses: UInt64
    public var vmSteps: UInt64
    public var fullScanSteps: UInt64
    public var sorts: UInt64
    public var autoIndexRows: UInt64
    public var plan: Plan?
    /// The line that spent most time on it, by which a statement that was rewritten is found again.
    public var caller: String?
    public var entity: String?
    /// The most that a count may be, by its name, such as `vmSteps`: written by people, and kept.
    public var budget: [String: UInt64]?
    /// The mean time of each run, in nanoseconds; only where asked for.
    public var meanNs: [Double]?
  }

  /// SQLite's words, indented, and what they mean.
  public struct Plan: Codable, Hashable, Sendable {
    /// `search`, `harmlessScan`, `mayScan`, `fullScan` or `error`.
    public var verdict: String
    public var steps: [String]

    public init(verdict: String, steps: [String]) {
      self.verdict = verdict
      self.steps = steps
    }
  }
}

extension BaselineV1 {
  /// Takes the counts of a profile.
  ///
  /// - Parameter plan: explains a statement's SQL, or answers nil without a database.
  public init(
    _ profile: Profile, tags: [String: String] = [:], plan: (String) -> Plan? = { _ in nil }
  ) {
    sqliteVersion = profile.sqliteVersion
    self.tags = tags
    totals = Totals(profile.totals)
    statements = profile.statementGroups.values.sorted { $0.fingerprint < $1.fingerprint }
      .map { Statement($0, plan: $0.statement.sql.flatMap(plan)) }
  }
}

extension Profile {
  /// The version of SQLite that ran, or versions; nil if no store was seen opening.
  public var sqliteVersion: String? {
    stores.isEmpty ? nil : Set(stores.map(\.sqliteVersion)).sorted().joined(separator: ", ")
  }
}

extension BaselineV1.Totals {
  init(_ totals: Profile.Totals) {
    self.init(
      fetches: totals.fetches, counts: totals.counts, rows: totals.rows, faults: totals.faults,
      relationshipFaults: totals.relationshipFaults, cacheMisses: totals.cacheMisses,
      saves: totals.saves)
  }
}

extension BaselineV1.Statement {
  init(_ group: StatementGroup, plan: BaselineV1.Plan?) {
    self.init(
      sql: group.fingerprint.description, count: group.work.count, rows: group.work.rows,
      cacheMisses: group.misses, vmSteps: group.work.vmSteps,
      fullScanSteps: group.work.fullScanSteps, sorts: group.work.sorts,
      autoIndexRows: group.work.autoIndexRows, plan: plan, caller: group.caller.text,
      entity: group.statement.entity)
  }
}

extension BaselineV1 {
  /// Takes over what people wrote into an older baseline.
  public mutating func keepBudgets(of older: BaselineV1) {
    budget = older.budget
    let budgets = Dictionary(
      older.statements.map { ($0.sql, $0.budget) }, uniquingKeysWith: { first, _ in first })
    for index in statements.indices {
      statements[index].budget = budgets[statements[index].sql] ?? nil
    }
  }

  /// Notes the mean times of several runs, for gates that compare times.
  public mutating func addTimes(of runs: [Profile]) {
    let groups = Dictionary(
      uniqueKeysWithValues: TimingGate.groups(of: runs).map { ($0.description, $1) })
    for index in statements.indices {
      statements[index].meanNs = groups[statements[index].sql]?.map { $0.meanTime.rounded() }
    }
  }

  /// The names in budgets that are no counts'.
  var unknownBudgets: [String] {
    let names = Set(GateMetric.ofStatements.map(\.0.rawValue))
    let totals = Set(GateMetric.ofTotals.map(\.0.rawValue))
    let unknown =
      statements.flatMap { $0.budget?.keys.filter { !names.contains($0) } ?? [] }
      + (budget?.keys.filter { !totals.contains($0) } ?? [])
    return Set(unknown).sorted()
  }
}
