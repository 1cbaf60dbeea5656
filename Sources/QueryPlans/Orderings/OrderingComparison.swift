// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// The orders of a statement's AND terms, compared by running them.
public struct OrderingComparison: Sendable {
  /// How to compare.
  public struct Options: Sendable {
    /// Values of the parameters; nil to use the recorded ones, or sampled values that reproduce the
    /// counts.
    public var values: [BindValue]?
    /// The values that runs bound, as far as they were recorded.
    public var recorded: [[BindValue]] = []
    /// The counts of the runs in a trace.
    public var counted = CountedRuns()
    /// A smaller effect does not count as a difference.
    public var minimumEffect = 0.05
    public var budget = Duration.seconds(20)
    /// Called often: once it returns true, the comparison ends with the rounds that it has.
    public var isCancelled: @Sendable () -> Bool = { false }

    public init() {}
  }

  public enum Verdict: String, Sendable, Codable {
    case faster, writtenIsFastest, noDifference, inconclusive
  }

  /// The reason for the difference, or for its absence.
  public enum Explanation: String, Sendable, Codable {
    /// At most one term is left to evaluate row by row; an index serves the others.
    case indexServed
    /// SQLite evaluates the correlated subquery last, wherever it is written.
    case deferred
    /// Several terms are evaluated row by row, as written.
    case residual
  }

  /// One order of the terms.
  public struct Variant: Sendable {
    /// Indexes of ``terms``.
    public var order: [Int]
    public var sql: String
    /// Median time of a run, in nanoseconds; nil where its steps showed that it does not matter.
    public var medianTime: Double?
    /// Its time as a multiple of the written order's; nil without rounds enough.
    public var ratio: PairedRatio?
    /// The steps of a run; nil if it failed, or was stopped after four times the steps of another
    /// order.
    public var vmSteps: UInt64?
    /// The reason why it was left out, such as SQLite's message.
    public var failure: String?
    public var hasWrittenPlan: Bool
  }

  public internal(set) var terms: [String]
  public internal(set) var roles: [TermRole]
  /// The values of each measured run.
  public internal(set) var runs: [[BindValue]]
  public internal(set) var source: ValueSource
  /// The keys sampled for each table `_Z_intarrayN`.
  public internal(set) var keys: [(table: String, keys: [Int64])]
  /// The functions and collations of a store that it uses: they ran as ObjectStore has them.
  public internal(set) var storeNames: [String]
  /// The rows that every timed order returns, counted without LIMIT.
  public internal(set) var rows: UInt64
  /// Whether rows were compared without the LIMIT, under which any order may return other rows.
  public internal(set) var comparedWithoutLimit: Bool
  /// The written order first.
  public internal(set) var variants: [Variant]
  public internal(set) var verdict: Verdict
  /// The fastest, if ``verdict`` names one.
  public internal(set) var best: Int?
  public internal(set) var explanation: Explanation
  public internal(set) var rounds: Int
  /// Whether ``Options/isCancelled`` ended it.
  public internal(set) var wasCancelled: Bool

  /// Counts the steps of all orders, proves the rows of the best few equal, and times them.
  ///
  /// A run that is under way when the budget ends is stopped: a statement may take hours.
  ///
  /// - Throws: ``OrderingError``, such as ``OrderingError/outOfTime`` where the budget ended before
  ///   the orders that matter had run once, or ``SQLiteError`` where the statement does not compile or run, or
  ///   where the comparison was cancelled so early.
  public init(
    _ sql: String, on connection: Connection, options: Options = Options(),
    progress: @escaping (UInt64) -> Void = { _ in }
  ) throws {
    let clock = ContinuousClock()
    let deadline = clock.now + options.budget
    var generator = SystemRandomNumberGenerator()
    let isCancelled = options.isCancelled
    let isOver = { isCancelled() || clock.now >= deadline }
    let bench = try Self.inTime(isCancelled) {
      let bench = try connection.interrupting(when: isOver) {
        try OrderingBench(sql, on: connection, options: options)
      }
      let half = deadline - options.budget / 2
      try bench.count(isLate: { isOver() || clock.now >= half }, isOver: isOver)
      return bench
    }
    let (proof, repetitions) = try Self.inTime(isCancelled) {
      try connection.interrupting(when: isOver) {
        let count = Self.timedCount(steps: bench.orders[0].vmSteps ?? 0, options.budget)
        let proof = try bench.provenRows(bench.worthTiming(count))
        return (proof, try bench.repetitions(clock))
      }
    }
    rows = proof.rows
    let timed = proof.orders
    var runs: UInt64 = 0
    let trial = OrderingTrial(minimumEffect: options.minimumEffect)
    let outcome = try trial.run(
      variants: timed.count, using: &generator,
      isTimeUp: { clock.now >= deadline || isCancelled() },
      measure: { variant in
        runs += 1
        progress(runs)
        do {
          // Some milliseconds apart: too seldom to be seen in a time.
          return try connection.interrupting(when: isOver, every: 100_000) {
            try bench.time(timed[variant], repetitions: repetitions, clock)
          }
        } catch let error as SQLiteError where error.isInterruption {
          return nil
        }
      })
    terms = bench.statement.terms
    roles = TermRoles(statement: bench.statement, plan: bench.plan).roles()
    self.runs = bench.values.runs.map(\.values)
    source = bench.values.source
    keys = bench.arrays.keys
    storeNames = StoreNames.used(by: bench.statement.outline.tokens)
    comparedWithoutLimit = bench.statement.scope.limit != nil
    variants = Self.variants(bench, timed, outcome)
    rounds = outcome.rounds
    wasCancelled = isCancelled()
    (verdict, best) = Self.verdict(outcome.verdict, timed)
    explanation = Self.explanation(roles, groups: bench.statement.groups)
  }

  /// The number of orders to time: up to six, if the rounds that a verdict needs fit in half of the
  /// budget, and at least two.
  private static func timedCount(steps: UInt64, _ budget: Duration) -> Int {
    // 30 ns a step, and rounds of two milliseconds at least.
    let run = max(Double(steps) * 30, 2_000_000)
    return (3...6).reversed().first { count in
      Double(count * PairedRatio.minRounds(comparisons: count - 1)) * run
        <= budget.nanoseconds / 2
    } ?? 2
  }

  private static func variants(
    _ bench: OrderingBench, _ timed: [Int], _ outcome: OrderingTrial.Outcome
  ) -> [Variant] {
    bench.orders.enumerated().map { index, order in
      let position = timed.firstIndex(of: index)
      return Variant(
        order: order.variant.order, sql: order.sql,
        medianTime: position.map { outcome.medians[$0] },
        ratio: position.flatMap { outcome.ratios[$0] },
        vmSteps: order.vmSteps.map { $0 / UInt64(bench.values.runs.count) },
        failure: order.failure, hasWrittenPlan: order.hasWrittenPlan)
    }
  }

  /// Runs a closure and treats its interruption as the end of the budget, unless the user cancelled
  /// it.
  private static func inTime<R>(_ isCancelled: () -> Bool, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as SQLiteError where error.isInterruption && !isCancelled() {
      throw OrderingError.outOfTime
    }
  }

  /// - Parameter timed: the numbers of the orders that were timed, the one as written first.
  static func verdict(_ verdict: OrderingTrial.Verdict, _ timed: [Int]) -> (Verdict, Int?) {
    // There is no other order to compare with.
    if timed.count == 1 { return (.writtenIsFastest, 0) }
    return switch verdict {
    case .fastest(0): (.writtenIsFastest, 0)
    case .fastest(let variant): (.faster, timed[variant])
    case .noDifference: (.noDifference, nil)
    case .inconclusive: (.inconclusive, nil)
    }
  }

  /// The order matters where two parts of one group are evaluated row by row.
  static func explanation(_ roles: [TermRole], groups: [[[Int]]]) -> Explanation {
    let isResidual = groups.contains { parts in
      parts.count { part in part.contains { roles[$0] == .residual } } > 1
    }
    if isResidual { return .residual }
    return roles.contains(.deferred) ? .deferred : .indexServed
  }
}
