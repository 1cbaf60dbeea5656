// SPDX-License-Identifier: Apache-2.0

/// Whether one sample tends to larger values than another, whatever their distribution.
///
/// The one-sided test of Mann and Whitney, with the exact distribution of U where no two values are
/// equal and the samples are small, otherwise with the normal approximation corrected for ties. See
/// H. B. Mann, D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically
/// Larger than the Other", Annals of Mathematical Statistics 18 (1947),
/// <https://doi.org/10.1214/aoms/1177730491>.
struct MannWhitneyTest {
  /// The probability that chance alone makes the second sample at least this large compared with
  /// the first.
  let probability: Double

  // Up to 20 values a side the exact numbers are made in a millisecond.
  private static let maxExact = 20

  init(_ first: [Double], _ second: [Double]) {
    guard !first.isEmpty, !second.isEmpty else {
      probability = 1
      return
    }
    var u = 0.0
    for a in first {
      for b in second { u += b > a ? 1 : b == a ? 0.5 : 0 }
    }
    let hasTies = Set(first + second).count < first.count + second.count
    probability =
      !hasTies && max(first.count, second.count) <= Self.maxExact
      ? Self.exact(u: Int(u), first.count, second.count)
      : Self.approximate(u: u, first, second)
  }

  /// The part of all arrangements of the two samples with an equal or larger U.
  private static func exact(u: Int, _ n: Int, _ m: Int) -> Double {
    // counts[i][u]: arrangements of i values of the first sample among the second's so far.
    var counts = [[Double]](repeating: [Double](repeating: 0, count: n * m + 1), count: n + 1)
    counts[0][0] = 1
    // For each value of the first sample, the number of values of the second one that are larger, 0
    // to m.
    for below in 0...m {
      for taken in stride(from: 1, through: n, by: 1) {
        for sum in stride(from: below, through: n * m, by: 1) {
          counts[taken][sum] += counts[taken - 1][sum - below]
        }
      }
    }
    let all = counts[n].reduce(0, +)
    return counts[n][u...].reduce(0, +) / all
  }

  private static func approximate(u: Double, _ first: [Double], _ second: [Double]) -> Double {
    let (n, m) = (Double(first.count), Double(second.count))
    let all = n + m
    let ties = Dictionary(grouping: first + second, by: \.self).values
      .reduce(0.0) { $0 + Double($1.count * $1.count * $1.count - $1.count) }
    let variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)))
    guard variance > 0 else { return 1 }
    // Half a step less, since U is a whole number and the normal distribution is not.
    return NormalDistribution.upperTail((u - n * m / 2 - 0.5) / variance.squareRoot())
  }
}

/// The standard normal distribution.
enum NormalDistribution {
  /// The part above a value, within 7.5e-8: Abramowitz and Stegun, formula 26.2.17.
  static func upperTail(_ z: Double) -> Double {
    if z < 0 { return 1 - upperTail(-z) }
    let t = 1 / (1 + 0.2316419 * z)
    let polynomial =
      t
      * (0.319381530
        + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    return exponential(-z * z / 2) / (2 * Double.pi).squareRoot() * polynomial
  }

  /// e to the power of a number that is not above 0.
  private static func exponential(_ x: Double) -> Double {
    guard x > -700 else { return 0 }
    // Halved until the series is short, then squared as often.
    var halvings = 0
    var small = x
    while small < -0.5 {
      small /= 2
      halvings += 1
    }
    var (term, sum) = (1.0, 1.0)
    for index in 1...20 {
      term *= small / Double(index)
      sum += term
    }
    for _ in 0..<halvings { sum *= sum }
    return sum
  }
}
