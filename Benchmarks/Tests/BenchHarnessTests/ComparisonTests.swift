// SPDX-License-Identifier: Apache-2.0

import BenchHarness
import Testing

@Suite struct ComparisonTests {
  private func contender(
    _ name: String, reference: String? = nil, checksum: Int = 1, time: Double? = nil
  ) -> Contender {
    Contender(name: name, reference: reference, time: { time }) { checksum }
  }

  @Test func everyContenderRunsOnceARoundAfterOneToWarmUp() throws {
    var runs = [0, 0]
    var preparations = 0
    let comparison = Comparison(
      title: "Count", units: (1, "run"),
      contenders: [
        Contender(name: "first", prepare: { preparations += 1 }) {
          runs[0] += 1
          return 7
        },
        Contender(name: "second") {
          runs[1] += 1
          return 7
        },
      ])
    let measurement = try comparison.measure(Rounds(most: 5, least: 5, budget: .zero))
    #expect(measurement.rounds == 5)
    #expect(runs == [6, 6])
    #expect(preparations == 6)
  }

  @Test func timesAreDividedByTheContendersUnits() throws {
    let comparison = Comparison(
      title: "Divide", units: (10, "row"),
      contenders: [
        contender("all", time: 1_000),
        Contender(name: "few", count: 2, time: { 1_000 }) { 1 },
      ])
    let measurement = try comparison.measure(Rounds(most: 3, least: 3, budget: .zero))
    #expect(measurement.unitTimes == [[100, 100, 100], [500, 500, 500]])
  }

  @Test func contendersThatDidOtherWorkAreRefused() throws {
    let comparison = Comparison(
      title: "Differ", units: (1, "run"),
      contenders: [contender("one"), contender("two", checksum: 2)])
    #expect(throws: HarnessError.self) {
      try comparison.measure(Rounds(most: 1, least: 1, budget: .zero))
    }
  }

  @Test func contendersOfAnotherReferenceMayDoOtherWork() throws {
    let comparison = Comparison(
      title: "Two references", units: (1, "run"),
      contenders: [
        contender("a"), contender("with a"), contender("b", reference: "b", checksum: 2),
        contender("with b", reference: "b", checksum: 2),
      ])
    #expect(try comparison.measure(Rounds(most: 1, least: 1, budget: .zero)).rounds == 1)
  }

  @Test(
    arguments: [
      (nil, 1, 15), (nil, 1_000, 7), (3, 1, 3), (3, 1_000, 3), (31, 1, 31), (31, 250, 24),
    ] as [(Int?, Int, Int)])
  func roundsAreWhatTheBudgetAffords(own: Int?, milliseconds: Int, count: Int) {
    let rounds = Rounds(most: 15, least: 7, budget: .seconds(6))
    let comparison = Comparison(
      title: "", units: (1, ""), rounds: own, contenders: [contender("one")])
    #expect(rounds.count(comparison, round: .milliseconds(milliseconds)) == count)
  }

  @Test func aHeavyComparisonMayTakeLonger() {
    let rounds = Rounds(most: 15, least: 7, budget: .seconds(6))
    let comparison = Comparison(
      title: "", units: (1, ""), rounds: 31, weight: 3, contenders: [contender("one")])
    #expect(rounds.count(comparison, round: .seconds(1)) == 18)
  }
}
