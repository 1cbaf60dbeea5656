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
    /// The most it may be, if the baseline has a budget for it.
    public var budget: UInt64?

    public init(metric: GateMetric, before: UInt64, after: UInt64, budget: UInt64? = nil) {
      self.metric = metric
      self.before = before
      self.after = after
      self.budget = budget
    }

    /// Over the budget; without one, more than before.
    public var isWorse: Bool { budget.map { after > $0 } ?? (after > before) }
  }

  /// What changed about one statement, or about the totals.
  public struct Difference: Hashable, Sendable {
    /// The fingerprint, or nil for the totals.
    public var sql: String?
    /// What it was, where it was rewritten.
    public var sqlBefore: String?
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
  /// Statements that were rewritten, and do no more than they did.
  public var rewritten: [Difference] = []
  /// Statements that took longer, and less long, where times are compared.
  public var slower: [TimingGate.Change] = []
  public var faster: [TimingGate.Change] = []
  /// Statements that do exactly what the baseline has.
  public var unchanged = 0
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
    if !regressions.isEmpty || !slower.isEmpty { return .regression }
    return reservations.isEmpty ? .same : .inconclusive
  }
}
