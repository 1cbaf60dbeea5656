// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import QueryPlans

@Suite struct OrderingTrialTests {
  /// Runs a trial on times that a function of variant and run invents.
  private func run(
    variants: Int, roundsUntilTimeIsUp: Int = .max, _ time: (Int, Int) -> Double
  ) -> OrderingTrial.Outcome {
    var generator = SeededGenerator(seed: 7)
    var runs = 0
    var rounds = 0
    return OrderingTrial().run(
      variants: variants, using: &generator,
      isTimeUp: {
        rounds += 1
        return rounds >= roundsUntilTimeIsUp
      },
      measure: { variant in
        runs += 1
        return time(variant, runs)
      })
  }

  /// ±2%, from the number of the run.
  private func noise(_ run: Int) -> Double { 1 + Double((run * 7919) % 41 - 20) / 1000 }

  @Test func fasterVariantIsNamedWithItsInterval() throws {
    let outcome = run(variants: 2) { ($0 == 1 ? 400 : 1000) * noise($1) }
    #expect(outcome.verdict == .fastest(1))
    let ratio = try #require(outcome.ratios[1])
    #expect(ratio.low <= ratio.median && ratio.median <= ratio.high)
    #expect(ratio.high < 0.5 && ratio.low > 0.3)
    #expect(outcome.rounds >= 9)
  }

  @Test func writtenOrderIsNamedWhereOthersAreSlower() {
    #expect(run(variants: 2) { ($0 == 1 ? 2500 : 1000) * noise($1) }.verdict == .fastest(0))
  }

  @Test func noiseIsNoDifference() {
    #expect(run(variants: 3) { 1000 * noise($1 + $0) }.verdict == .noDifference)
  }

  @Test func effectBelowTheMinimumIsNoDifference() {
    let outcome = run(variants: 2) { variant, _ in variant == 1 ? 970 : 1000 }
    #expect(outcome.verdict == .noDifference)
    #expect(outcome.ratios[1]?.holdsOne == false)
  }

  @Test func tooFewRoundsAreInconclusive() {
    let outcome = run(variants: 2, roundsUntilTimeIsUp: 3) { variant, _ in variant == 1 ? 1 : 1000 }
    #expect(outcome.verdict == .inconclusive)
    #expect(outcome.rounds == 3)
  }

  @Test func moreOrdersNeedMoreRounds() {
    #expect(PairedRatio.minRounds(comparisons: 1) == 9)
    #expect(PairedRatio.minRounds(comparisons: 23) == 10)
    #expect(run(variants: 24) { variant, _ in variant == 0 ? 1000 : 500 }.rounds == 10)
  }

  @Test func rankIsTheSignTests() {
    // P(Binomial(9, ½) ≤ 1) = 10/512 = 1.95%; P(… ≤ 2) = 46/512.
    #expect(PairedRatio.rank(rounds: 9, comparisons: 1) == 2)
    #expect(PairedRatio.rank(rounds: 5, comparisons: 1) == nil)
    // P(Binomial(25, ½) ≤ 7) = 2.16%.
    #expect(PairedRatio.rank(rounds: 25, comparisons: 1) == 8)
  }

  @Test func intervalIsOfOrderStatistics() throws {
    let ratio = try #require(PairedRatio(ratios: [9, 1, 8, 2, 7, 3, 6, 4, 5]))
    #expect(ratio.median == 5)
    #expect(ratio.low == 2)
    #expect(ratio.high == 8)
  }
}
