// SPDX-License-Identifier: Apache-2.0

/// Indexes to create and indexes to drop, each tried on a copy of the database.
public struct IndexAdvice: Sendable {
  /// A statement, counted before and after.
  public struct Effect: Hashable, Sendable {
    public var statement: String
    public var runs: UInt64
    /// Steps of a run.
    public var before: Double
    public var after: Double
    /// The times of a run; nil where its plan is the same, or where there was no time.
    public var time: TimeEffect?
    public var values: ValueSource
  }

  /// An index to make.
  public struct Creation: Sendable {
    public var candidate: IndexCandidate
    /// The entity of the table, if the database contains it.
    public var entity: String?
    /// VM steps that the index saves the whole workload, given the other advised indexes; never more
    /// than it saves today.
    public var saving: Double
    public var bytes: UInt64?
    /// Entries that the workload's own writes put into it.
    public var entriesWritten: Double = 0
    /// The cost of writing to its table with all of the advice; nil if it was not measured.
    public var writes: WriteCost?
    /// Nil where the statements it serves were measured with the program's own values.
    public var otherOrder: OtherOrder?
  }

  /// The columns of an advised index in another order: which one is better depends on the values.
  public struct OtherOrder: Sendable {
    public var columns: [String]
    /// Steps of the whole workload with it, less the steps with the advised one; with sampled
    /// values.
    public var difference: Double
  }

  /// An index to drop.
  public struct Removal: Sendable {
    public enum Reason: Hashable, Sendable {
      case unused
      /// It is the first part of the other one, or the same.
      case redundant(String)
    }

    public var index: DatabaseIndex
    public var reason: Reason
    public var writes: WriteCost?
  }

  /// An index that was tried and is not advised.
  public struct Rejection: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
      /// SQLite made no use of it.
      case unused
      /// The steps that it saves alone, and the steps of the workload today.
      case smallSaving(steps: Double, of: Double)
      /// The steps that it saves in addition to the advised ones, and the steps of the workload
      /// today.
      case littleBeside(steps: Double, of: Double)
      /// The writes of the workload cost more than its reads save; whether their table is known.
      case writes(entries: Double, steps: Double, isCertain: Bool)
      /// It is slower in measured time.
      case slower(PairedRatio)
      case failed(String)
      /// The database is a capsule; SQLite's plan uses it.
      case noRows
    }

    public var candidate: IndexCandidate
    public var reason: Reason
  }

  public internal(set) var creations: [Creation] = []
  public internal(set) var removals: [Removal] = []
  public internal(set) var rejections: [Rejection] = []
  /// The reason why no indexes to drop were searched; nil if they were.
  public internal(set) var removalsSkipped: String?
  /// The workload under other statistics, with the indexes that the database has.
  public internal(set) var statistics: [StatisticsTrial] = []
  /// Every statement that was measured.
  public internal(set) var effects: [Effect] = []
  /// The number of writing statements that were measured only by the search for their rows.
  public internal(set) var rowSearches = 0
  /// The reason why a statement was not measured, by its id.
  public internal(set) var unmeasured: [(statement: String, reason: String)] = []
  /// The functions and collations of a store that the statements use: they ran as ObjectStore has
  /// them.
  public internal(set) var storeNames: [String] = []
  /// The number of indexes that were tried.
  public internal(set) var tried = 0
  /// Whether the search ended early: a better set may exist, or less to drop or to write.
  public internal(set) var wasCancelled = false

  /// Whether indexes were made and statements run.
  public internal(set) var isMeasured = true

  /// Steps of all runs.
  public var before: Double { effects.reduce(0) { $0 + $1.before * Double($1.runs) } }
  public var after: Double { effects.reduce(0) { $0 + $1.after * Double($1.runs) } }
}

extension IndexAdvice {
  /// The indexes that SQLite would use on the schema of a capsule, none of them measured.
  public init(untried statements: [WorkloadStatement], _ explainer: PlanExplainer) {
    isMeasured = false
    removalsSkipped = "a capsule has no rows"
    for statement in statements {
      let judgement = explainer.explain(statement.sql).judgement
      let found = judgement?.scans.flatMap { $0.indexes ?? [] } ?? []
      for candidate in found + (judgement?.sortIndexes ?? [])
      where !rejections.contains(where: { $0.candidate == candidate }) {
        rejections.append(Rejection(candidate: candidate, reason: .noRows))
      }
    }
  }
}

/// A workload under one state of the statistics.
public struct StatisticsTrial: Hashable, Sendable {
  public enum State: String, Hashable, Sendable, CaseIterable {
    case none, today, optimize, analyze
  }

  public var state: State
  /// Steps of all runs.
  public var steps: Double
  /// Statements that take other steps than they do today.
  public var changed: [String]
}
