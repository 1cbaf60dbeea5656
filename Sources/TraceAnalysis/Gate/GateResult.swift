// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// What came of holding a run against a baseline.
public struct GateResult: Hashable, Sendable {
  public enum Verdict: String, Hashable, Sendable { case same, regression, inconclusive }

  /// One count, before and after.
  public struct Change: Hashable, Sendable {
    public var metric: GateMetric
    public var before: UInt64
    public var after: UInt64

    public init(metric: GateMetric, before: UInt64, after: UInt64) {
      self.metric = metric
      self.before = before
      self.after = after
    }
  }

  /// What changed about one statement, or about the totals.
  public struct Difference: Hashable, Sendable {
    /// The fingerprint, or nil for the totals.
    public var sql: String?
    public var statement: StatementID?
    public var caller: SourceLocation
    public var changes: [Change]
    public var planBefore: BaselineV1.Plan?
    /// Set if the plan changed.
    public var planAfter: BaselineV1.Plan?
  }

  public var regressions: [Difference] = []
  public var improvements: [Difference] = []
  /// Plans in other words that are no worse.
  public var replanned: [Difference] = []
  /// Statements that the baseline does not have, and those that only it has.
  public var appeared: [Difference] = []
  public var gone: [Difference] = []
  /// Why nothing can be concluded at all; one sentence each.
  public var doubts: [String] = []
  /// Why a part could not be compared; one sentence each.
  public var reservations: [String] = []

  /// Regressions that the project decided to live with.
  public var excused: [Difference] = []
  /// Exceptions that are expired, or that match nothing; one sentence each.
  public var complaints: [String] = []

  public init() {}

  /// Doubts spoil everything; a reservation spoils a pass, not a regression.
  public var verdict: Verdict {
    if !doubts.isEmpty { return .inconclusive }
    if !regressions.isEmpty { return .regression }
    return reservations.isEmpty ? .same : .inconclusive
  }
}
