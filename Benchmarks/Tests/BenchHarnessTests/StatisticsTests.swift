// SPDX-License-Identifier: Apache-2.0

import BenchHarness
import Testing

@Suite struct StatisticsTests {
  @Test(
    arguments: [
      ([7], 7), ([3, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([5, 5, 1, 9], 5),
    ] as [([Double], Double)])
  func takesTheMiddleValueOrTheMeanOfTwo(values: [Double], median: Double) {
    #expect(Statistics.median(values) == median)
  }

  @Test func fewValuesHaveTheirWholeRange() {
    for count in 1...8 {
      let interval = Statistics.medianInterval((1...count).map(Double.init).shuffled())
      #expect(interval == (1, Double(count)))
    }
  }

  /// Altman et al., "Statistics with Confidence" (2000), table 18.2, for 9, 15 and 31 values.
  @Test(arguments: [(9, 2, 8), (15, 4, 12), (31, 10, 22)] as [(Int, Double, Double)])
  func manyHaveTheirOrderStatistics(count: Int, low: Double, high: Double) {
    let interval = Statistics.medianInterval((1...count).map(Double.init).shuffled())
    #expect(interval == (low, high))
  }

  /// The k-th smallest value is over the median with the chance of under k heads in n throws.
  @Test func coversTheMedianAtLeastAt95Percent() {
    for count in 6...60 {
      let (low, high) = Statistics.medianInterval((1...count).map(Double.init))
      var chance = 0.0
      for heads in Int(low)..<Int(high) { chance += binomial(count, heads) }
      #expect(chance >= 0.95, "\(count) values")
      #expect(low + high == Double(count) + 1, "\(count) values")
    }
  }

  /// The chance of so many heads in so many throws of a coin.
  private func binomial(_ throwCount: Int, _ heads: Int) -> Double {
    (0..<heads).reduce(1.0) { $0 * Double(throwCount - $1) / Double($1 + 1) }
      * (0..<throwCount).reduce(1.0) { half, _ in half / 2 }
  }
}
