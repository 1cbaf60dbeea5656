// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The result of comparing a run with a baseline.
public struct GateResult: Hashable, Sendable {
  /// The outcome of a comparison.
  public enum Verdict: String, Hashable, Sendable {
    /// The same work or less, far less of one kind for a little more of another, more work, or not
    /// enough data to decide.
    case same, mixed, regression, inconclusive
  }

  /// One count, before and after.
  public struct Change: Codable, Hashable, Sendable {
    /// The count that changed.
    public var metric: GateMetric
    /// The value before.
    public var before: UInt64
    /// The value after.
    public var after: UInt64
    /// The most it may be, if the baseline has a budget for it.
    public var budget: UInt64?

    /// Makes a change of one count.
    public init(metric: GateMetric, before: UInt64, after: UInt64, budget: UInt64? = nil) {
      self.metric = metric
      self.before = before
      self.after = after
      self.budget = budget
    }

    /// Over the budget; without one, more than before.
    public var isWorse: Bool { budget.map { after > $0 } ?? (after > before) }

    /// Whether it is VM steps or rows that rose by a quarter at most, within a budget if it has one.
    var isSmallRise: Bool {
      (metric == .vmSteps || metric == .rows) && budget.map { after <= $0 } != false
        && after > before && after - before <= before / 4
    }

    /// Whether it is runs or cache misses that fell to a quarter or less.
    var isLargeFall: Bool {
      (metric == .count || metric == .cacheMisses) && after < before && after <= before / 4
    }
  }

  /// A change of one statement, or of the totals.
  public struct Difference: Hashable, Sendable {
    /// The fingerprint, or nil for the totals.
    public var sql: String?
    /// The previous statement, if it was rewritten.
    public var sqlBefore: String?
    /// The statement's id.
    public var statement: StatementID?
    /// The baseline's statements on tables that the rewritten one joins now; ``changes`` has theirs.
    public var joined: [String] = []
    /// The line of code that ran it.
    public var caller: SourceLocation
    /// The tests in which it does more; ``changes`` has their sums.
    public var tests: [String] = []
    /// The warning that the baseline's run did not have.
    public var finding: Finding?
    /// The counts that changed.
    public var changes: [Change]
    /// The plan in the baseline.
    public var planBefore: BaselineV1.Plan?
    /// Set if the plan changed.
    public var planAfter: BaselineV1.Plan?
  }

  /// Statements that do more work than the baseline.
  public var regressions: [Difference] = []
  /// Far fewer runs or cache misses for a few more VM steps or rows, as after prefetching.
  public var mixed: [Difference] = []
  /// Statements that do less work than the baseline.
  public var improvements: [Difference] = []
  /// Plans that changed without more work.
  public var replanned: [Difference] = []
  /// Statements that were rewritten and do no more work than before.
  public var rewritten: [Difference] = []
  /// Statements that took longer, and less long, where times are compared.
  public var slower: [TimingGate.Change] = []
  /// Statements with shorter times.
  public var faster: [TimingGate.Change] = []
  /// Statements with exactly the baseline's counts.
  public var unchanged = 0
  /// Statements that the baseline does not have, and statements that only it has.
  public var appeared: [Difference] = []
  /// Statements of the baseline that did not run.
  public var gone: [Difference] = []
  /// The reasons why the result is inconclusive; one sentence each.
  public var doubts: [String] = []
  /// The reasons why a part could not be compared; one sentence each.
  public var reservations: [String] = []

  /// The counts that were not compared without a change of the verdict; one sentence each.
  public var remarks: [String] = []

  /// Regressions that the project decided to live with.
  public var suppressed: [Difference] = []
  /// Exceptions that are expired, or that match nothing; one sentence each.
  public var complaints: [String] = []

  /// Makes a result without differences.
  public init() {}

  /// Doubts spoil everything; a reservation spoils a pass, not a regression.
  public var verdict: Verdict {
    if !doubts.isEmpty { return .inconclusive }
    if !regressions.isEmpty || !slower.isEmpty { return .regression }
    guard reservations.isEmpty else { return .inconclusive }
    return mixed.isEmpty ? .same : .mixed
  }
}
