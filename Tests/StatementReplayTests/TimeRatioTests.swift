// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import StatementReplay

/// The ratio of the total time, whatever the order of the runs.
@Suite struct TimeRatioTests {
  /// Times of runs without and with a change.
  typealias Pair = (before: UInt64, after: UInt64)

  private func timeRatio(_ forms: [[Pair]]) -> TimeRatio? {
    TimeRatio(
      of: forms.enumerated().map { place, runs in
        var times = PairedTimes()
        for (number, run) in runs.enumerated() {
          times.add(before: run.before, after: run.after, run: UInt64(number + place))
        }
        return (weight: times.before, times: times)
      })
  }

  @Test func aChangeOfOneFormCountsByItsShareOfTheTime() throws {
    let commits = Array(repeating: Pair(1000, 300), count: 200)
    let scans = Array(repeating: Pair(10_000, 10_000), count: 40)
    let ratio = try #require(timeRatio([commits, scans]))
    #expect(abs(ratio.value - 460_000.0 / 600_000) < 1e-9)
    #expect(ratio.low > 0.74 && ratio.low < ratio.value && ratio.high < 0.8)
  }

  @Test func aFormCountsByTheTimeInTheProgram() throws {
    var commits = PairedTimes()
    var scans = PairedTimes()
    for run in 0..<64 as Range<UInt64> {
      commits.add(before: 1000, after: 100, run: run)
      // Half as fast on the copies as in the program.
      scans.add(before: 2000, after: 2000, run: run)
    }
    let ratio = try #require(TimeRatio(of: [(64_000, commits), (64_000, scans)]))
    #expect(abs(ratio.value - 0.55) < 1e-9 && abs(ratio.low - 0.55) < 1e-9)
  }

  @Test func equalPairsHaveANarrowInterval() throws {
    let ratio = try #require(timeRatio([Array(repeating: Pair(1000, 500), count: 64)]))
    #expect(ratio == TimeRatio(value: 0.5, low: 0.5, high: 0.5))
  }

  /// A single run has half of the time, and no second one shows its spread.
  @Test func oneLongRunHasAWideInterval() throws {
    let short = Array(repeating: Pair(1000, 2000), count: 1000)
    let ratio = try #require(timeRatio([short, [(1_000_000, 10)]]))
    #expect(abs(ratio.value - 2_000_010.0 / 2_000_000) < 1e-9)
    #expect(ratio.low < 0.5 && ratio.high > 1.5)
  }

  @Test func fewRunsHaveNone() {
    #expect(timeRatio([Array(repeating: Pair(1000, 500), count: 8)]) == nil)
    #expect(timeRatio([]) == nil)
    #expect(timeRatio([Array(repeating: Pair(0, 0), count: 64)]) == nil)
  }

  /// 95% of the intervals contain the ratio from which the times were drawn; 5% of 400 with its spread.
  @Test func theIntervalContainsTheRatio() throws {
    var generator = SeededGenerator(seed: 7)
    var misses = 0
    for _ in 0..<400 {
      let runs: [Pair] = (0..<96).map { _ in
        let base = Double.random(in: 1000...100_000, using: &generator)
        let noise = { Double.random(in: 0.8...1.2, using: &generator) }
        return (UInt64(base * noise()), UInt64(base * 0.6 * noise()))
      }
      let ratio = try #require(timeRatio([runs]))
      if !(ratio.low...ratio.high).contains(0.6) { misses += 1 }
    }
    #expect(misses <= 32)
  }
}
