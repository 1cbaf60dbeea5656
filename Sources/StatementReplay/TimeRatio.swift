// SPDX-License-Identifier: Apache-2.0

/// The ratio of two sums of times, with its 95% interval.
public struct TimeRatio: Hashable, Sendable {
  public var value: Double
  public var low: Double
  public var high: Double
}

/// The times of runs without and with a change, in groups that are dealt in turns, so that each has as many runs of
/// each form.
///
/// The interval is that of the jackknife: the ratio without each group. See K. M. Wolter, "Introduction to Variance
/// Estimation", 2nd ed., section 4.2.
struct PairedTimes {
  // Arbitrary: more groups do not make the interval noticeably narrower.
  private static let groups = 32
  private static let minGroups = 9
  /// The 97.5% quantile of Student's t for nine groups; for more it is smaller.
  private static let quantile = 2.306

  private var sums: [(before: Double, after: Double)] = []

  mutating func add(before: UInt64, after: UInt64, run: UInt64) {
    if sums.isEmpty { sums = Array(repeating: (0, 0), count: Self.groups) }
    let group = Int(run % UInt64(Self.groups))
    sums[group].before += Double(before)
    sums[group].after += Double(after)
  }

  /// Nil for few runs.
  var ratio: TimeRatio? {
    let sums = sums.filter { $0.before > 0 }
    guard sums.count >= Self.minGroups else { return nil }
    let (before, after) = (sums.map(\.before).sum, sums.map(\.after).sum)
    let others = sums.map { (after - $0.after) / (before - $0.before) }
    let mean = others.sum / Double(others.count)
    let deviations = others.map { ($0 - mean) * ($0 - mean) }.sum
    let error = (deviations * Double(sums.count - 1) / Double(sums.count)).squareRoot()
    let value = after / before
    return TimeRatio(
      value: value, low: max(0, value - Self.quantile * error),
      high: value + Self.quantile * error)
  }
}

extension [Double] {
  fileprivate var sum: Double { reduce(0, +) }
}
