// SPDX-License-Identifier: Apache-2.0

/// The ratio of the times of two alternatives, measured in pairs, with an interval.
///
/// The median of the ratios of each round, and the confidence interval of a median from its order
/// statistics (the sign test's): it assumes no distribution, and a round that another program
/// disturbed moves it little. See W. J. Conover, "Practical Nonparametric Statistics", 3rd ed.,
/// section 3.2 (confidence interval for a quantile).
public struct PairedRatio: Hashable, Sendable {
  public var median: Double
  public var low: Double
  public var high: Double
  public var rounds: Int

  /// - Parameter comparisons: how many intervals shall hold together; each gets its share of the
  ///   5% that may err (Bonferroni).
  /// - Returns: nil if there are too few rounds for such an interval.
  public init?(ratios: [Double], comparisons: Int = 1) {
    let sorted = ratios.sorted()
    guard let rank = Self.rank(rounds: sorted.count, comparisons: comparisons) else { return nil }
    median = sorted.median
    low = sorted[rank - 1]
    high = sorted[sorted.count - rank]
    rounds = sorted.count
  }

  /// The largest r with P(Binomial(n, ½) < r) ≤ 2.5% / comparisons: ranks r and n + 1 - r bound it.
  static func rank(rounds: Int, comparisons: Int) -> Int? {
    guard rounds > 0 else { return nil }
    let most = 0.025 / Double(max(comparisons, 1))
    // 2⁻ⁿ does not underflow: there are at most a few hundred rounds.
    var probability = 1.0
    for _ in 0..<rounds { probability /= 2 }
    var cumulative = 0.0
    var rank = 0
    while rank < rounds {
      cumulative += probability
      if cumulative > most { break }
      probability *= Double(rounds - rank) / Double(rank + 1)
      rank += 1
    }
    return rank == 0 ? nil : rank
  }

  /// Rounds from which on there is an interval; 9 at least.
  static func minRounds(comparisons: Int) -> Int {
    var rounds = 9
    while rank(rounds: rounds, comparisons: comparisons) == nil { rounds += 1 }
    return rounds
  }

  public var holdsOne: Bool { low <= 1 && 1 <= high }
}

extension [Double] {
  /// 0 of none.
  package var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
