// SPDX-License-Identifier: Apache-2.0

/// Measures suite after suite; a failure is reported and does not stop the others.
package struct Run {
  package struct Failure {
    /// `ladder`, or `ladder, Geo fetch of 15 of 12,800 stops`.
    package let path: String
    package let reason: String
  }

  package private(set) var measurements: [Measurement] = []
  package private(set) var failures: [Failure] = []
  package private(set) var remarks: [String] = []

  private let rounds: Rounds
  /// After so long, each comparison gets a few rounds only.
  private let patience: Duration?
  private let report: (String) -> Void
  private let start = ContinuousClock.now

  /// - Parameter report: receives the progress of the run.
  package init(rounds: Rounds, patience: Duration? = nil, report: @escaping (String) -> Void) {
    (self.rounds, self.patience, self.report) = (rounds, patience, report)
  }

  package var elapsed: Duration { .now - start }

  package mutating func measure(suite: String, _ comparisons: () throws -> [Comparison]) {
    let start = ContinuousClock.now
    do {
      let comparisons = try comparisons()
      guard !comparisons.isEmpty else { return }
      report("\(Cell.clock(elapsed)) \(suite), ready after \(Cell.seconds(.now - start))\n")
      for comparison in comparisons { measure(comparison, of: suite) }
      report("\(Cell.clock(elapsed)) \(suite), done after \(Cell.seconds(.now - start))\n")
    } catch {
      fail(suite, error)
    }
  }

  private mutating func measure(_ comparison: Comparison, of suite: String) {
    let start = ContinuousClock.now
    report("  \(comparison.title) …")
    do {
      let measurement = try comparison.measure(affordableRounds(comparison))
      report(" rounds: \(measurement.rounds), \(Cell.seconds(.now - start))\n")
      measurements.append(measurement)
    } catch {
      report("\n")
      fail("\(suite), \(comparison.title)", error)
    }
  }

  private mutating func affordableRounds(_ comparison: Comparison) -> Rounds {
    guard let patience, elapsed > patience, (comparison.rounds ?? rounds.most) > 3 else {
      return rounds
    }
    if remarks.isEmpty {
      remarks.append("After \(Cell.clock(patience)) there was time for three rounds each only.")
    }
    return Rounds(most: 3, least: 3, budget: .zero)
  }

  private mutating func fail(_ path: String, _ error: any Error) {
    report("FAILED: \(path): \(error)\n")
    failures.append(Failure(path: path, reason: "\(error)"))
  }
}
