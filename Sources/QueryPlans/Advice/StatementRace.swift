// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The time of a statement without and with a change, and their ratio with its interval.
public struct TimeEffect: Hashable, Sendable {
  /// Medians of a run, in nanoseconds.
  public var before: Double
  public var after: Double
  /// The time with the change as a multiple of the time without it.
  public var ratio: PairedRatio

  /// Whether the interval leaves no doubt that the times differ.
  public var isDifference: Bool { !ratio.holdsOne }
}

/// Times two ways to do one thing, in interleaved rounds.
struct StatementRace {
  /// For each run, the statement without and with the change.
  let pairs: [(Statement, Statement)]

  /// - Returns: nil where there was no time for rounds enough.
  func time(until deadline: ContinuousClock.Instant) throws(SQLiteError) -> TimeEffect? {
    let clock = ContinuousClock()
    var repetitions = 1
    // The first runs read the pages, and measure how many runs are long enough for the clock.
    for (before, after) in pairs {
      let start = clock.now
      try before.run()
      try after.run()
      if clock.now > deadline { return nil }
      let time = max((clock.now - start).nanoseconds, 200)
      repetitions = max(repetitions, min(1000, Int(200_000 / time)))
    }
    return try Interleaved.rounds(until: deadline) { (round, isSecond) throws(SQLiteError) in
      let pair = pairs[round % pairs.count]
      let statement = isSecond ? pair.1 : pair.0
      let start = clock.now
      for _ in 0..<repetitions { try statement.run() }
      return (clock.now - start).nanoseconds / Double(repetitions)
    }
  }
}

/// Rounds in which two variants take turns, so that other load of the machine affects both.
enum Interleaved {
  private static let maxRounds = 25
  private static let enough = Duration.milliseconds(300)

  /// - Parameter measure: runs one of the two ways; returns its time, or nil where it cannot.
  static func rounds(
    until deadline: ContinuousClock.Instant,
    _ measure: (_ round: Int, _ isSecond: Bool) throws(SQLiteError) -> Double?
  ) throws(SQLiteError) -> TimeEffect? {
    let clock = ContinuousClock()
    let begin = clock.now
    let least = PairedRatio.minRounds(comparisons: 1)
    var times: [(before: Double, after: Double)] = []
    while times.count < maxRounds {
      if times.count >= least, clock.now - begin > enough { break }
      if clock.now > deadline { break }
      let isSwapped = times.count.isMultiple(of: 2)
      guard let first = try measure(times.count, isSwapped),
        let second = try measure(times.count, !isSwapped)
      else { return nil }
      times.append(isSwapped ? (second, first) : (first, second))
    }
    guard let ratio = PairedRatio(ratios: times.map { $0.after / max($0.before, 1) }) else {
      return nil
    }
    return TimeEffect(
      before: times.map(\.before).median, after: times.map(\.after).median, ratio: ratio)
  }
}
