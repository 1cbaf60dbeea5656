// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The counts of a statement's runs in a trace, which are used to find values.
public struct CountedRuns: Hashable, Sendable {
  /// Rows a run returned, on average; nil where the source does not count them.
  public var rows: Double?
  /// Whether ``rows`` is the number that a `SELECT count(…)` returned.
  public var rowsAreResult: Bool
  /// VM steps a run took, on average; nil where the source does not count them.
  public var vmSteps: Double?
  /// Rows that a run skipped by an offset, on average.
  public var offset: Double

  public init(
    rows: Double? = nil, rowsAreResult: Bool = false, vmSteps: Double? = nil, offset: Double = 0
  ) {
    self.rows = rows
    self.rowsAreResult = rowsAreResult
    self.vmSteps = vmSteps
    self.offset = offset
  }

  init(_ work: StatementWork) {
    self.init(
      rows: work.perRun(\.rows), vmSteps: work.isCounted ? work.perRun(\.vmSteps) : nil)
  }
}

/// The origin of the values that a statement was measured with.
public enum ValueSource: Hashable, Sendable {
  /// The statement takes none.
  case none
  /// Passed by the user.
  case given
  /// The trace or the log holds them.
  case recorded
  /// Sampled from the database, so that a run returns as many rows as the trace counted.
  case fitted(rows: Double, counted: Double)
  /// The same with the VM steps of a run, if the number of rows does not depend on the values.
  case fittedSteps(steps: Double, counted: Double)
  /// Sampled from the middle of the columns; nothing was counted that they could be compared with.
  case sampled
}

extension ValueSource {
  /// Whether no run of the program is known to have had these values.
  public var isSampled: Bool {
    switch self {
    case .none, .given, .recorded: false
    case .fitted, .fittedSteps, .sampled: true
    }
  }
}

/// Values for the parameters of a statement, of several runs.
struct StatementValues: Hashable {
  /// One run; the weights of all runs add up to 1.
  struct Run: Hashable {
    var values: [BindValue]
    var weight: Double
  }

  var runs: [Run]
  var source: ValueSource

  static let none = StatementValues(runs: [Run(values: [], weight: 1)], source: .none)

  /// Some of the runs, spread over all of them.
  func first(_ count: Int) -> StatementValues {
    guard runs.count > count else { return self }
    let chosen = (0..<count).map { runs[$0 * runs.count / count] }
    let weight = chosen.reduce(0) { $0 + $1.weight }
    return StatementValues(
      runs: chosen.map { Run(values: $0.values, weight: $0.weight / max(weight, .ulpOfOne)) },
      source: source)
  }

  // 12 is arbitrary: each run is measured with each plan.
  private static let maxRuns = 12

  /// Recorded values, spread over the runs that were recorded.
  static func recorded(_ tuples: [[BindValue]]) -> StatementValues? {
    guard !tuples.isEmpty else { return nil }
    let count = min(tuples.count, maxRuns)
    let chosen = (0..<count).map { tuples[$0 * tuples.count / count] }
    return StatementValues(
      runs: chosen.map { Run(values: $0, weight: 1 / Double(count)) }, source: .recorded)
  }
}
