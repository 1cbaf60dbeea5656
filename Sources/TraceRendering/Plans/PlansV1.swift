// SPDX-License-Identifier: Apache-2.0

/// `plans --json`, version 1.
public struct PlansV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  /// Empty, like the version, for plans as text without a database.
  public var database: String
  public var sqliteVersion: String
  public var doubts: [String]
  public var statements: [Statement]
  /// Statements left out, since SQLite plans nothing: DDL, PRAGMA, transactions.
  public var statementsWithoutPlan: Int

  public struct Statement: Codable, Hashable, Sendable {
    /// Of the text that is explained: of several, the one that did most work a run.
    public var id: String
    /// The number of texts of the trace that differ in their values alone, with this plan and verdict.
    ///
    /// The counts are of the runs of all of them. Null in older reports.
    public var texts: Int?
    /// Empty for a plan as text without its statement.
    public var sql: String
    /// `search`, `harmlessScan`, `mayScan`, `fullScan` or `error`.
    public var verdict: String
    /// `counted`, `measured`, `sampled` or `plan`: the evidence for the verdict.
    public var evidence: String?
    /// `high`, `medium` or `low`; null in older reports.
    public var confidence: String?
    /// `nowScans` or `noLongerScans`, where the trace's counters belong to another plan.
    public var planChange: String?
    /// SQLite's steps; null where the statement does not compile.
    public var plan: [Step]?
    public var error: String?
    public var scans: [Scan]
    /// `sortsByTemporaryBTree`, `automaticIndex`, `correlatedSubquery`, `scanInCorrelatedSubquery`,
    /// `unexplainedFullScanSteps`.
    public var flags: [String]
    /// The indexes that replace the ones that SQLite makes at each run; null in older reports.
    ///
    /// With a large one of these the scans have no hints.
    public var automaticIndexHints: [String]?
    /// All indexes that are worth a CREATE INDEX, hints and remarks together; null in older reports.
    public var indexes: [String]?
    /// The indexes of all hints as declarations of the model; null without `--model`.
    public var fetchIndexes: [String]?
    public var executions: UInt64
    public var fullScanSteps: UInt64
    public var vmSteps: UInt64
    /// `fullScanSteps` and `vmSteps` where the trace counts them; null in older reports.
    public var measured: [String]?
    /// Functions, collations and tables that only the program itself has.
    public var standIns: [String]
    /// The database of these runs and of the plan, where it may be another one than that of the report; null otherwise.
    public var database: String?
  }

  public struct Step: Codable, Hashable, Sendable {
    public var detail: String
    public var table: String?
    public var children: [Step]
  }

  public struct Scan: Codable, Hashable, Sendable {
    public var table: String?
    public var rows: Int?
    /// SQLite's estimate of the rows that pass the WHERE, from the words of a plan as text.
    public var estimatedRows: Int?
    /// The reason why it does not matter; null if it does.
    public var harmlessBecause: String?
    public var sentence: String
    public var comparedColumns: [String]
    public var hint: String?
  }
}
