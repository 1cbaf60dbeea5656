// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// The orders of a statement's AND terms, compared by running them.
public struct OrderingComparison: Sendable {
  /// How to compare.
  public struct Options: Sendable {
    /// Values of the parameters; nil to sample plausible ones.
    public var values: [BindValue]?
    /// An effect below this part is no difference.
    public var minimumEffect = 0.05
    public var budget = Duration.seconds(20)
    /// Asked often: once it answers true, the comparison ends with the rounds that it has.
    public var isCancelled: @Sendable () -> Bool = { false }

    public init() {}
  }

  public enum Verdict: String, Sendable, Codable {
    case faster, writtenIsFastest, noDifference, inconclusive
  }

  /// Why the orders differ, or do not.
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
    /// Median time of a run, in nanoseconds.
    public var medianTime: Double
    /// Its time as a multiple of the written order's; nil without rounds enough.
    public var ratio: PairedRatio?
    public var vmSteps: UInt64
    public var hasWrittenPlan: Bool
  }

  public internal(set) var terms: [String]
  public internal(set) var roles: [TermRole]
  public internal(set) var values: [BindValue]
  public internal(set) var valuesAreSampled: Bool
  /// The keys sampled for each table `_Z_intarrayN`.
  public internal(set) var keys: [(table: String, keys: [Int64])]
  /// The functions and collations of a store that it uses: they ran as ObjectStore has them.
  public internal(set) var storeNames: [String]
  /// Rows that every order gives; without LIMIT where there is one.
  public internal(set) var rows: UInt64
  /// Whether rows were compared without the LIMIT, under which any order may give other rows.
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

  /// Proves the rows of all orders equal, then measures them.
  ///
  /// - Parameter progress: called after each run, with the number of runs so far.
  /// A run that is under way when the budget ends is stopped: a statement may take hours.
  ///
  /// - Throws: ``OrderingError``, such as ``OrderingError/outOfTime`` where the budget ended before
  ///   every order had run once, or ``SQLiteError`` where the statement does not compile or run, or
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
    let (bench, rows, vmSteps, repetitions) = try Self.inTime(isCancelled) {
      try connection.interrupting(when: isOver) {
        let bench = try OrderingBench(sql, on: connection, values: options.values)
        return (
          bench, try bench.provenRows(), try bench.vmSteps(), try bench.repetitions(clock)
        )
      }
    }
    self.rows = rows
    var runs: UInt64 = 0
    let trial = OrderingTrial(minimumEffect: options.minimumEffect)
    let outcome = try trial.run(
      variants: bench.orders.count, using: &generator,
      isTimeUp: { clock.now >= deadline || isCancelled() },
      measure: { variant in
        runs += 1
        progress(runs)
        do {
          // Some milliseconds apart: too seldom to be seen in a time.
          return try connection.interrupting(when: isOver, every: 100_000) {
            try bench.time(variant, repetitions: repetitions, clock)
          }
        } catch let error as SQLiteError where error.isInterruption {
          return nil
        }
      })
    terms = bench.statement.terms
    roles = TermRoles(statement: bench.statement, plan: bench.plans[0]).roles()
    values = bench.values
    valuesAreSampled = options.values == nil && !bench.values.isEmpty
    keys = bench.arrays.keys
    storeNames = StoreNames.used(by: bench.statement.outline.tokens)
    comparedWithoutLimit = bench.statement.scope.limit != nil
    variants = bench.variants(outcome, vmSteps: vmSteps)
    rounds = outcome.rounds
    wasCancelled = isCancelled()
    (verdict, best) = Self.verdict(outcome.verdict)
    explanation = Self.explanation(roles, groups: bench.statement.groups)
  }

  /// Runs a closure whose interruption is the end of the budget, unless the user cancelled it.
  private static func inTime<R>(_ isCancelled: () -> Bool, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as SQLiteError where error.isInterruption && !isCancelled() {
      throw OrderingError.outOfTime
    }
  }

  static func verdict(_ verdict: OrderingTrial.Verdict) -> (Verdict, Int?) {
    switch verdict {
    case .fastest(0): (.writtenIsFastest, 0)
    case .fastest(let variant): (.faster, variant)
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
