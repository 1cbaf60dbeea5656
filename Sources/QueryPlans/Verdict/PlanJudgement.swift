// SPDX-License-Identifier: Apache-2.0

/// A plan's verdict, and the evidence for it.
public struct PlanJudgement: Hashable, Sendable {
  /// One step that reads a table or an index from end to end.
  public struct Scan: Hashable, Sendable {
    /// The name in the statement.
    public var name: String
    public var table: String?
    /// The attached database of the table; nil for the main one.
    public internal(set) var schema: String?
    public var size: TableSize?
    /// nil where the scan matters, or may.
    public var harmlessBecause: HarmlessReason?
    /// Whether the plan alone shows that all of it is read; otherwise values decide.
    public var isCertain: Bool
    /// The index that is walked from end to end.
    public var index: String?
    /// Whether it runs once for every row of the outer SELECT.
    public var isInCorrelatedSubquery: Bool
    /// The columns that WHERE compares, equalities first.
    public var comparedColumns: [String]
    /// The expressions that WHERE compares instead of columns, such as `lower(email)`; nil for
    /// none.
    public var comparedExpression: ComparedExpression?
    /// Whether it is a virtual table that its module reads from end to end.
    public internal(set) var isVirtual = false
    /// Whether its index holds a part of the table's rows; the size is then that part.
    public internal(set) var isPartial = false
    /// Whether its SELECT has a WHERE or joins.
    public internal(set) var hasFilter = true
    /// The indexes that SQLite would use instead of the scan, by a trial on the schema; nil where none was
    /// tried.
    public internal(set) var indexes: [IndexCandidate]?
    /// Whether the statement needs the index that SQLite makes at each run first: one for this scan alone would change the
    /// order of the join, and may make it more expensive.
    public internal(set) var isBesideAutomaticIndex = false
    /// Whether no other table is read around it in its SELECT.
    public internal(set) var isOutermost = false
    /// Whether every run of the statement makes this scan, from end to end.
    var isMandatory = false

    static func constantRow(isInCorrelatedSubquery: Bool) -> Scan {
      Scan(
        name: "", table: nil, size: nil, harmlessBecause: .constantRow, isCertain: true, index: nil,
        isInCorrelatedSubquery: isInCorrelatedSubquery, comparedColumns: [])
    }
  }

  /// A scan by a statement of a trigger.
  public struct TriggerScan: Hashable, Sendable {
    public var trigger: String
    public var scan: Scan
  }

  /// An aggregate that a trigger computes of a table for each row that is written.
  public struct TriggerAggregate: Hashable, Sendable {
    public var trigger: String
    public var table: String
  }

  /// Columns of a table, such as a foreign key's.
  public struct Reference: Hashable, Sendable {
    public var table: String
    public var columns: [String]

    public init(table: String, columns: [String]) {
      self.table = table
      self.columns = columns
    }

    package var index: IndexCandidate { IndexCandidate(table: table, equal: columns, order: []) }
  }

  /// A search with an index that serves some of the columns that WHERE compares.
  public struct PartialSearch: Hashable, Sendable {
    public var table: String
    public var index: String
    /// The columns by which the index finds the rows.
    public var served: [String]
    /// The columns that are compared row by row.
    public var others: [String]
  }

  /// How far the verdict can be trusted.
  public enum Confidence: String, Hashable, Sendable, Codable {
    case high, medium, low
  }

  /// The evidence for the verdict.
  public enum Evidence: String, Hashable, Sendable, Codable {
    /// Counters of the trace.
    case counted
    /// One run of the statement here, with the values in its text.
    case measured
    /// One run of the statement here, with values sampled from its columns.
    case sampled
    /// The words of the plan and the sizes of the tables.
    case plan
  }

  /// How the plan differs from the one that the trace's counters belong to.
  public enum Change: String, Hashable, Sendable, Codable {
    /// The counters show no scan, and the plan now scans.
    case nowScans
    /// The counters show a scan, and the statement now does without.
    case noLongerScans
    /// The counters show a scan, and this plan, which cannot be the one that ran, has none.
    case otherPlan
  }

  public internal(set) var verdict = PlanVerdict.search
  public internal(set) var evidence = Evidence.plan
  public internal(set) var change: Change?
  /// The work of one run that the verdict rests on; nil where only the plan was there.
  public internal(set) var work: StatementWork?
  public internal(set) var scans: [Scan] = []
  /// The rows that are sorted or made distinct without an index, such as `ORDER BY`.
  public internal(set) var temporaryBTrees: [String] = []
  /// The index that SQLite would use instead of the sort; nil where none was tried.
  public internal(set) var sortIndexes: [IndexCandidate]?
  /// The indexes that were made on a copy, with the steps of a run without them and with them.
  public internal(set) var gains: [IndexGain] = []
  /// The tables for which SQLite makes an index at every run.
  public internal(set) var automaticIndexes: [String] = []
  /// Their columns, as far as the plan names them: the indexes that would replace them.
  public internal(set) var automaticIndexColumns: [Reference] = []
  /// Those that replace them; nil where runs with other indexes could not be counted.
  public internal(set) var lastingIndexes: [IndexCandidate]?
  /// The set of indexes that halves the steps of a run, as `advise` finds it; nil where runs could not be counted, and
  /// empty where there is none.
  public internal(set) var indexes: [IndexCandidate]?
  /// The gain of an index instead of the automatic one, where it is less than half of the steps.
  public internal(set) var smallGain: IndexGain?
  /// Whether one of them is of a table that is large, or of unknown size.
  var hasLargeAutomaticIndex = false
  /// The number of subqueries that run for each row of an outer SELECT.
  public internal(set) var correlatedSubqueries = 0
  /// The VM steps of a run that was ended before its end, where that leaves the verdict open.
  public internal(set) var unendedSteps: UInt64?
  /// Whether a common table of it reads its own rows.
  public internal(set) var isRecursive = false
  /// The searches of a plan that was read as text; an index was not tried.
  public internal(set) var partialSearches: [PartialSearch] = []
  /// The steps of the plan that the database has instead of the one that was read as text.
  public internal(set) var otherPlan: [String] = []
  /// Whether the statement inserts, updates or deletes rows: it may have triggers and check foreign keys.
  public internal(set) var isOfWrite = false
  /// Whether the statement deletes the rows that are in its way: REPLACE.
  public internal(set) var replacesRows = false
  /// The version of SQLite that ran the statement, where this plan is of another one.
  public internal(set) var otherVersion: String?
  /// The indexes of the database that a term rules out.
  public internal(set) var obstacles: [IndexObstacle] = []
  /// The cause of work that is no full scan; nil where a run does little for its rows.
  public internal(set) var excess: Excess?
  /// Full-scan steps a run that no step of the plan explains, such as steps of triggers.
  public internal(set) var unexplainedFullScanSteps: UInt64?
  /// The scans of the triggers that a write fires; empty unless it scans.
  public internal(set) var triggerScans: [TriggerScan] = []
  /// The aggregates of its triggers; empty unless it takes many steps without a scan.
  public internal(set) var triggerAggregates: [TriggerAggregate] = []
  /// The foreign keys that a deletion, or an update of a key, scans for; empty unless it scans.
  public internal(set) var unindexedReferences: [Reference] = []

  public init() {}

  /// Whether the verdict rests on the counts of the trace.
  public var hasCountsOfTrace: Bool { change == nil || change == .otherPlan }

  public var sortsByTemporaryBTree: Bool { temporaryBTrees.contains { $0.hasSuffix("ORDER BY") } }
  public var scansInCorrelatedSubquery: Bool {
    scans.contains { $0.isInCorrelatedSubquery && $0.table != nil }
  }

  public var confidence: Confidence {
    if verdict == .mayScan { return .low }
    return evidence == .counted || evidence == .measured ? .high : .medium
  }

  /// The scans that the verdict is about.
  public var suspects: [Scan] { scans.filter { $0.harmlessBecause == nil } }
}
