// SPDX-License-Identifier: Apache-2.0

/// `advise --json`, version 1; times are in nanoseconds.
public struct AdviceV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var database: String
  public var sqliteVersion: String
  /// False where the input was incomplete or no statement could be measured with fitting values.
  public var isConclusive: Bool
  public var indexesTried: Int
  /// Steps of all runs of the statements measured.
  public var beforeSteps: Double
  public var afterSteps: Double
  /// All runs of the timed statements with steps that the advice changes; medians.
  public var beforeNs: Double
  public var afterNs: Double
  public var create: [Creation]
  public var drop: [Removal]
  /// The reason why no indexes to drop were searched; null if they were.
  public var dropSkipped: String?
  public var rejected: [Rejection]
  public var statistics: [Statistics]
  public var statisticsSentence: String
  public var statements: [Statement]
  /// The functions and collations that ran as ObjectStore has them.
  public var storeNames: [String]
  public var unmeasured: [Unmeasured]
  public var doubts: [String]

  public struct Creation: Codable, Hashable, Sendable {
    public var table: String
    public var columns: [String]
    /// Null where the database does not contain it.
    public var entity: String?
    public var sql: String
    /// For the entity's `indexes`, properties in the lower case of their columns; null where a
    /// column belongs to no property.
    public var declaration: String?
    /// The same in a model of Core Data; null without `--model`.
    public var fetchIndex: String?
    /// Steps that the workload takes more without it.
    public var savingSteps: Double
    public var bytes: UInt64?
    /// Entries that the workload's own writes put into it.
    public var entriesWritten: Double
    public var writes: Writes?
    /// The same columns in an order that may be better; null if the program's own values decided.
    public var otherOrder: OtherOrder?
  }

  public struct OtherOrder: Codable, Hashable, Sendable {
    public var columns: [String]
    /// Steps of the workload with it, less the steps with the advised order; with sampled values.
    public var differenceSteps: Double
  }

  public struct Removal: Codable, Hashable, Sendable {
    public var index: String
    public var table: String
    public var sql: String
    /// `unused` or `redundant`.
    public var reason: String
    /// The index that serves the same statements, if it is redundant.
    public var servedBy: String?
    public var bytes: UInt64?
    public var writes: Writes?
  }

  public struct Rejection: Codable, Hashable, Sendable {
    public var sql: String
    /// `unused`, `smallSaving`, `littleBeside`, `writes`, `slower` or `failed`.
    public var reason: String
    public var sentence: String
  }

  /// The workload without statistics (`none`), with `today`'s, after `optimize`, after `analyze`.
  public struct Statistics: Codable, Hashable, Sendable {
    public var state: String
    public var steps: Double
    /// Statements that take other steps than today.
    public var changed: [String]
  }

  /// The cost of a row of the table, without and with all of the advice.
  public struct Writes: Codable, Hashable, Sendable {
    public var insert: Times?
    public var update: Times?
    /// The reason why a cost is missing.
    public var failure: String?
  }

  /// Medians, and the time with the change as a multiple of the time without, with its 95% interval.
  public struct Times: Codable, Hashable, Sendable {
    public var beforeNs: Double
    public var afterNs: Double
    public var ratio: Double
    public var ratioLow: Double
    public var ratioHigh: Double
  }

  public struct Statement: Codable, Hashable, Sendable {
    public var id: String
    public var runs: UInt64
    /// The verdict of `plans` before the advice: `search`, `fullScan` and others.
    public var verdict: String?
    public var beforeSteps: Double
    public var afterSteps: Double
    /// Null where its steps are the same, or where there was no time.
    public var time: Times?
    /// `none`, `recorded`, `fitted`, `fittedSteps` or `sampled`.
    public var values: String
  }

  public struct Unmeasured: Codable, Hashable, Sendable {
    public var id: String
    public var reason: String
  }
}
