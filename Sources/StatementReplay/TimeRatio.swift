// SPDX-License-Identifier: Apache-2.0

/// The ratio of two sums of times, with its 95% interval.
public struct TimeRatio: Hashable, Sendable {
  public var value: Double
  public var low: Double
  public var high: Double
}

extension TimeRatio {
  // Both are those of nine groups: Student's t for 97.5%, which is smaller for more groups.
  private static let minGroups = 9
  private static let quantile = 2.306

  /// The ratio of the time of several forms, each with its share of the time that the program took.
  ///
  /// The interval is that of the jackknife: the ratio without each group. See K. M. Wolter, "Introduction to Variance
  /// Estimation", 2nd ed., section 4.2.
  ///
  /// - Returns: nil for few runs.
  init?(of forms: [(weight: Double, times: PairedTimes)]) {
    let forms = forms.filter { $0.weight > 0 && $0.times.before > 0 }
    let groups = (0..<PairedTimes.groups).filter { group in
      forms.contains { $0.times.sums[group].before > 0 }
    }
    guard groups.count >= Self.minGroups else { return nil }
    let total = forms.reduce(0) { $0 + $1.weight }
    func ratio(without group: Int?) -> Double {
      forms.reduce(0) { $0 + $1.weight / total * $1.times.ratio(without: group) }
    }
    let others = groups.map { ratio(without: $0) }
    let mean = others.reduce(0, +) / Double(others.count)
    let deviations = others.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let error = (deviations * Double(others.count - 1) / Double(others.count)).squareRoot()
    let value = ratio(without: nil)
    self.init(
      value: value, low: max(0, value - Self.quantile * error),
      high: value + Self.quantile * error)
  }
}

/// The times of runs without and with a change, in groups that are dealt in turns.
struct PairedTimes {
  // Arbitrary: more groups do not make an interval noticeably narrower.
  static let groups = 32

  private(set) var sums = Array(repeating: (before: 0.0, after: 0.0), count: groups)

  mutating func add(before: UInt64, after: UInt64, run: UInt64) {
    let group = Int(run % UInt64(Self.groups))
    sums[group].before += Double(before)
    sums[group].after += Double(after)
  }

  var before: Double { sums.reduce(0) { $0 + $1.before } }

  /// 1 without runs: nothing is known of a form that ran once, if its only run is left out.
  func ratio(without group: Int?) -> Double {
    let (before, after) = sums.indices.filter { $0 != group }.reduce((0, 0)) {
      ($0.0 + sums[$1].before, $0.1 + sums[$1].after)
    }
    return before > 0 ? after / before : 1
  }
}
