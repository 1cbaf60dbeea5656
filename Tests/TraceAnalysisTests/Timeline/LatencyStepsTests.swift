// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

@testable import TraceAnalysis

@Suite struct LatencyStepsTests {
  /// As the dashboard's script has it.
  private func end(of step: Int) -> Double {
    let quarters = Double(5 + step % 4)
    return (0..<step / 4).reduce(quarters / 4) { end, _ in end * 2 }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 1000, 12_345, 50_000_000, 1 << 40, (1 << 40) - 1])
  func aStepHoldsWhatIsAQuarterLessAtMost(duration: Nanoseconds) {
    let end = end(of: LatencySteps.step(of: duration))
    #expect(Double(duration) <= end)
    #expect(end <= Double(duration) * 1.25)
  }

  @Test func stepsRiseWithDurations() {
    #expect(LatencySteps.step(of: -5) == 0 && LatencySteps.step(of: 0) == 0)
    #expect(LatencySteps.step(of: .max) == 251)
    var last = 0
    for duration in stride(from: 1, to: 100_000, by: 7) {
      let step = LatencySteps.step(of: Int64(duration))
      #expect(step >= last)
      last = step
    }
  }

  @Test func oneRunShowsItsLengthAndSeveralTheirSteps() {
    func sum(_ time: Nanoseconds) -> RunSum {
      var sum = RunSum()
      (sum.count, sum.totalTime, sum.longest) = (1, time, time)
      return sum
    }
    var sums = RunSum()
    sums.add(sum(1000))
    #expect(sums.steps.counts.isEmpty)
    sums.add(sum(5000))
    sums.add(sum(1001))
    var others = sum(1002)
    others.add(sum(9000))
    sums.add(others)
    #expect(sums.steps.counts.map(\.count) == [3, 1, 1])
    let steps = [1000, 5000, 9000].map { LatencySteps.step(of: $0) }
    #expect(sums.steps.counts.map(\.step) == steps)
    sums.add(RunSum())
    #expect(sums.steps.counts.map(\.count).reduce(0, +) == sums.count)
  }
}
