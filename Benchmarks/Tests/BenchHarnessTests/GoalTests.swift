// SPDX-License-Identifier: Apache-2.0

import BenchHarness
import Testing

@Suite struct GoalTests {
  /// Six rounds: the interval is the whole range.
  private let reference = [100.0, 100, 100, 100, 100, 100]

  private func verdicts(
    _ goal: Goal, _ times: [Double], memory: [Int?] = [nil, nil]
  ) -> [Verdict] {
    let comparison = Comparison(
      title: "Read", units: (1, "row"),
      contenders: [
        Contender(name: "C") { 0 }, Contender(name: "ours", goal: goal) { 0 },
      ])
    return Measurement(comparison: comparison, unitTimes: [reference, times], memory: memory)
      .verdicts(1)
  }

  @Test(
    arguments: [
      ([110, 111, 112, 113, 114, 115], .met), ([110, 111, 112, 113, 114, 130], .metByMedian),
      ([110, 121, 122, 123, 124, 130], .missedByMedian),
      ([121, 121, 122, 123, 124, 130], .missed),
    ] as [([Double], Verdict.Outcome)])
  func reportsWhetherTheIntervalHoldsTheGoal(times: [Double], outcome: Verdict.Outcome) {
    let verdicts = verdicts(.atMost(1.2), times)
    #expect(verdicts.map(\.outcome) == [outcome])
    #expect(verdicts.map(\.goal) == ["≤ 1.2 × C"])
  }

  @Test func aRatioIsTakenRoundByRound() {
    let comparison = Comparison(
      title: "Read", units: (1, "row"),
      contenders: [Contender(name: "C") { 0 }, Contender(name: "ours") { 0 }])
    // The machine was ten times slower in the second round; both felt it.
    let measurement = Measurement(
      comparison: comparison, unitTimes: [[10, 100, 10], [20, 200, 20]], memory: [nil, nil])
    #expect(measurement.ratio(1, to: 0).low == 2)
    #expect(measurement.ratio(1, to: 0).high == 2)
  }

  @Test func fasterThanIsTheOthersTimeByOurs() {
    let verdict = verdicts(.fasterThan("C", times: 1.7), [50, 50, 50, 50, 50, 50])[0]
    #expect(verdict.value == "2.00 (2.00–2.00)")
    #expect(verdict.outcome == .met)
    #expect(
      verdicts(.fasterThan("C", times: 1.7), [80, 80, 80, 80, 80, 80])[0].outcome == .missed)
  }

  @Test func aRatioToAnotherContenderNamesIt() {
    let times = [150.0, 150, 150, 150, 150, 150]
    #expect(verdicts(.times(1.5, of: "C"), times)[0].goal == "≤ 1.5 × C")
    #expect(verdicts(.times(1.5, of: "C"), times)[0].value == "1.50 (1.50–1.50)")
    #expect(verdicts(.times(1.5, of: "C"), times)[0].outcome == .met)
    #expect(verdicts(.times(1.4, of: "C"), times)[0].outcome == .missed)
  }

  @Test func noSlowerIsARatioOfOneAtMost() {
    #expect(verdicts(.noSlowerThan("C"), reference)[0].goal == "never slower than C")
    #expect(verdicts(.noSlowerThan("C"), reference)[0].outcome == .met)
    #expect(
      verdicts(.noSlowerThan("C"), [101, 101, 101, 101, 101, 101])[0].outcome == .missed)
  }

  @Test func megabytesAreMillionsOfBytes() {
    let (times, goal) = (reference, Goal.megabytes(50))
    #expect(verdicts(goal, times, memory: [nil, 50_000_000])[0].goal == "≤ 50 MB")
    #expect(verdicts(goal, times, memory: [nil, 50_000_000])[0].outcome == .met)
    #expect(verdicts(goal, times, memory: [nil, 50_000_001])[0].outcome == .missed)
    #expect(verdicts(goal, times)[0].outcome == .missed)
  }

  @Test func memoryThatWasNotMeasuredMeetsNoGoal() {
    let times = reference
    #expect(verdicts(.memory(1.25, of: "C"), times, memory: [100, 125])[0].outcome == .met)
    #expect(verdicts(.memory(1.25, of: "C"), times, memory: [100, 126])[0].outcome == .missed)
    #expect(verdicts(.memory(1.25, of: "C"), times, memory: [100, nil])[0].outcome == .missed)
    #expect(verdicts(.memory(1.25, of: "C"), times, memory: [nil, 100])[0].outcome == .missed)
  }

  @Test func bothGoalsHaveTheirVerdicts() {
    let verdicts = verdicts(.both(.atMost(1.0), .noSlowerThan("C")), reference)
    #expect(verdicts.map(\.outcome) == [.met, .met])
  }
}
