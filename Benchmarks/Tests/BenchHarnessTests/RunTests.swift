// SPDX-License-Identifier: Apache-2.0

import BenchHarness
import Foundation
import Testing

@Suite struct RunTests {
  private struct Broken: Error, CustomStringConvertible {
    let description = "the disk is full"
  }

  private let rounds = Rounds(most: 7, least: 7, budget: .zero)

  private func comparison(_ title: String, _ run: @escaping () throws -> Int) -> Comparison {
    Comparison(title: title, units: (1, "row"), contenders: [Contender(name: "C", run: run)])
  }

  private func report(_ run: Run) -> Report {
    Report(machine: Machine(swift: "Swift 6.3", sqlite: "3.40.1"), run: run)
  }

  @Test func aFailureIsReportedAndLeavesTheOthers() {
    var output = ""
    var run = Run(rounds: rounds) { output += $0 }
    run.measure(suite: "open") { throw Broken() }
    run.measure(suite: "fetch") {
      [comparison("Fetch faults") { throw Broken() }, comparison("Fetch all") { 1 }]
    }
    #expect(run.measurements.map(\.comparison.title) == ["Fetch all"])
    #expect(run.failures.map(\.path) == ["open", "fetch, Fetch faults"])
    #expect(output.contains("FAILED: fetch, Fetch faults: the disk is full\n"))
    let markdown = report(run).markdown
    #expect(markdown.contains("### Failed, and not in the tables\n\n- open: the disk is full\n"))
    #expect(markdown.contains("- fetch, Fetch faults: the disk is full\n"))
    #expect(markdown.contains("### Fetch all\n"))
  }

  @Test func aRunWithoutFailuresNamesNone() {
    var run = Run(rounds: rounds) { _ in }
    run.measure(suite: "fetch") { [comparison("Fetch all") { 1 }] }
    #expect(run.failures.isEmpty)
    #expect(!report(run).markdown.contains("Failed"))
  }

  @Test func whatASuiteWorkedOnEndsWithIt() throws {
    final class Store {
      var count = 0
    }
    weak var leaked: Store?
    var run = Run(rounds: rounds) { _ in }
    run.measure(suite: "fetch") {
      let store = Store()
      leaked = store
      let contender = Contender(name: "C", goal: .atMost(1), prepare: { store.count = 1 }) {
        store.count
      }
      return [
        Comparison(
          title: "Fetch all", units: (1, "row"), contenders: [contender],
          remark: { "\(store.count) rows." })
      ]
    }
    #expect(leaked == nil)
    let measurement = try #require(run.measurements.first)
    #expect(measurement.remark == "1 rows.")
    #expect(measurement.verdicts(0).map(\.outcome) == [.met])
  }

  @Test func outOfBudgetItTakesThreeRoundsAndReportsIt() {
    var run = Run(rounds: rounds, patience: .zero) { _ in }
    run.measure(suite: "fetch") {
      [comparison("Fetch all") { 1 }, comparison("Fetch one") { 1 }]
    }
    #expect(run.measurements.map(\.rounds) == [3, 3])
    let markdown = report(run).markdown
    #expect(run.remarks.count == 1)
    #expect(markdown.contains("- After 0:00 there was time for three rounds each only.\n"))
    #expect(markdown.contains("3 rounds; intervals are their whole range."))
  }

  @Test func fewRoundsAreNotMadeFewer() {
    var run = Run(rounds: Rounds(most: 1, least: 1, budget: .zero), patience: .zero) { _ in }
    run.measure(suite: "fetch") { [comparison("Fetch all") { 1 }] }
    #expect(run.measurements.map(\.rounds) == [1])
    #expect(run.remarks.isEmpty)
  }
}
