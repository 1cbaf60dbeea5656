// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

@testable import QueryPlans
@testable import TraceAnalysis

/// Suites of tests whose names are known: counts decide test by test.
@Suite struct TestGateTests {
  private let list = "SELECT id, author FROM book ORDER BY id LIMIT 10"
  private let lookup = "SELECT name FROM author WHERE id = ?"

  private func run(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder { trace in
      trace.connect()
      write(&trace)
      trace.close()
    }.profile()
  }

  private func test(_ name: String, _ trace: inout RunBuilder, _ body: (inout RunBuilder) -> Void) {
    trace.run("SELECT 'storescope: test \(name) (setup)'")
    trace.run("CREATE TABLE book(id)")
    trace.run("INSERT INTO book VALUES (1)", changes: 1)
    trace.run("SELECT 'storescope: test \(name)'")
    trace.run("BEGIN")
    body(&trace)
    trace.run("ROLLBACK")
    trace.run("SELECT 'storescope: test \(name) (teardown)'")
    trace.run("DELETE FROM book", changes: 1)
    trace.run("SELECT 'storescope: test '")
    trace.run("SELECT 1")
  }

  private func suite(lookups: UInt64 = 0, order: [String] = ["a", "b"]) -> Profile {
    run { trace in
      for name in order {
        test(name, &trace) { trace in
          trace.run(list, rows: 10, vmSteps: 100)
          for key in 0..<(name == "a" ? lookups : 0) { trace.run(lookup, bindHash: key + 1) }
        }
      }
    }
  }

  private func result(_ now: Profile, _ before: Profile) throws -> GateResult {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "baseline.json")
    try JSONEncoder().encode(BaselineV1(before).sealed).write(to: file)
    return try Gate().compare(now, with: BaselineV1(path: file.path))
  }

  @Test func onlyTheCallOfATestCounts() throws {
    let baseline = BaselineV1(suite())
    #expect(baseline.tests?.map(\.count) == [1, 1])
    #expect(baseline.statements.map(\.count) == [2])
  }

  @Test func theOrderOfTestsDoesNotMatter() throws {
    let result = try result(suite(order: ["b", "a"]), suite())
    #expect(result.verdict == .same && result.unchanged == 2)
    let bytes = try JSONEncoder().encode(BaselineV1(suite()))
    #expect(try JSONEncoder().encode(BaselineV1(suite(order: ["b", "a"]))).count == bytes.count)
  }

  @Test func aNewTestAndARemovedOneAreListed() throws {
    let result = try result(suite(order: ["a", "c"]), suite())
    #expect(result.verdict == .same)
    #expect(result.appeared.map(\.sql) == ["test c"] && result.gone.map(\.sql) == ["test b"])
  }

  @Test func aLoopInOneTestIsRedAtItsStatementAndTest() throws {
    let result = try result(suite(lookups: 10), suite())
    let worse = try #require(result.regressions.first { $0.sql == lookup })
    #expect(worse.tests == ["a"])
    #expect(worse.changes.first == .init(metric: .count, before: 0, after: 10))
  }

  @Test func aLoopThatWasFixedIsNoRegression() throws {
    let before = suite(lookups: 10)
    let after = run { trace in
      for name in ["a", "b"] {
        test(name, &trace) { trace in
          trace.run(list, rows: 10, vmSteps: 100)
          if name == "a" {
            trace.run("SELECT name FROM author WHERE id IN (?, ?)", rows: 10, vmSteps: 60)
          }
        }
      }
    }
    #expect(try result(after, before).verdict == .same)
  }

  @Test func theLineThatWasAddedIsNamed() throws {
    func suite(_ lines: [(line: UInt64, function: String, runs: UInt64)]) -> Profile {
      run { trace in
        for (index, caller) in lines.enumerated() {
          trace.caller(UInt64(index) + 1, line: caller.line, function: caller.function)
        }
        test("a", &trace) { trace in
          for (index, caller) in lines.enumerated() {
            for key in 0..<caller.runs {
              trace.run(lookup, caller: UInt64(index) + 1, bindHash: key)
            }
          }
        }
      }
    }
    let before = suite([(70, "Shop.known", 10)])
    let inAnotherFunction = try result(suite([(75, "known", 10), (40, "list", 10)]), before)
    #expect(inAnotherFunction.regressions.map(\.caller.line) == [40])
    let repeated = try result(suite([(70, "Shop.known", 10), (71, "Shop.known", 1)]), before)
    #expect(repeated.regressions.map(\.caller.line) == [71])
    #expect(
      try result(suite([(12, "Shop.known.<locals>.<listcomp>", 10)]), before).verdict == .same)
  }

  @Test func aScanOfAStatementThatRanOnceIsRed() throws {
    func suite(steps: UInt64) -> Profile {
      run { trace in
        test("a", &trace) { $0.run(list, bindHash: 1, vmSteps: 20 + steps, fullScanSteps: steps) }
      }
    }
    let worse = try result(suite(steps: 29), suite(steps: 0)).regressions
    #expect(worse.flatMap(\.changes).map(\.metric) == [.fullScanSteps, .vmSteps])
  }

  @Test func aTransactionForEachRowIsRed() throws {
    let insert = "INSERT INTO author (name) VALUES (?)"
    func suite(_ body: @escaping (inout RunBuilder) -> Void) -> Profile {
      run { trace in test("a", &trace, body) }
    }
    let single = suite { trace in for _ in 0..<10 { trace.run(insert, changes: 1) } }
    let grouped = suite { trace in
      for _ in 0..<10 { trace.run(insert, changes: 1, transaction: 1) }
      trace.run("COMMIT", transaction: 1)
    }
    let worse = try result(single, grouped).regressions
    #expect(worse.map(\.sql) == [SQLFingerprint(sql: insert).description])
    #expect(worse.flatMap(\.changes) == [.init(metric: .commits, before: 0, after: 10)])
  }

  private func writes(in transactions: Int, ending: String = "COMMIT") -> Profile {
    run { trace in
      test("a", &trace) { trace in
        for number in 0..<10 {
          trace.run(
            "INSERT INTO author (name) VALUES (?)", changes: 1, bindHash: UInt64(number),
            transaction: transactions > 0 || ending == "RELEASE s" ? 1 : 0)
          if number < transactions { trace.run(ending, rows: 0, transaction: 1) }
        }
      }
    }
  }

  @Test(arguments: [1, 9])
  func writesThatAreGroupedAreNoRegression(transactions: Int) throws {
    let result = try result(writes(in: transactions), writes(in: 0))
    #expect(result.verdict == .same && result.improvements.count == 1)
    let worse = try self.result(writes(in: transactions + 1), writes(in: transactions)).regressions
    #expect(worse.map(\.sql) == ["COMMIT"])
    #expect(worse.flatMap(\.changes).map(\.metric) == [.commits])
  }

  /// Tests that run in a transaction have savepoints where the program has transactions.
  @Test func savepointsOfATestAreCommits() throws {
    func suite(_ savepoints: Int) -> Profile { writes(in: savepoints, ending: "RELEASE s") }
    #expect(try result(suite(1), suite(0)).verdict == .same)
    #expect(try result(suite(10), suite(0)).verdict == .same)
    #expect(try result(suite(10), suite(1)).verdict == .regression)
  }

  @Test func commitsThatAnOlderBaselineDoesNotCountAreNotCompared() throws {
    var older = BaselineV1(suite())
    older.totals.measured = []
    let line = try #require(BaselineV1(writes(in: 0)).tests?.first?.forms)
    older.tests = BaselineV1(writes(in: 0)).tests
    older.tests?[0].forms = line.replacing(" commits=10", with: "")
    older.statements = BaselineV1(writes(in: 0)).statements
    for transactions in [0, 1] {
      let result = Gate().compare(writes(in: transactions), with: older)
      #expect(result.verdict == .same && result.remarks.count == 1)
    }
  }

  @Test func writesThatAreGroupedWithoutTestsAreNoRegression() throws {
    func program(_ transactions: Int) -> Profile {
      run { trace in
        for number in 0..<120 {
          if number % 10 == 0, number / 10 < transactions { trace.run("BEGIN", vmSteps: 4) }
          trace.run(
            "INSERT INTO author (name) VALUES (?)", changes: 1, bindHash: UInt64(number),
            transaction: transactions > 0 ? 1 : 0)
          if number % 10 == 9, number / 10 < transactions {
            trace.run("COMMIT", rows: 0, vmSteps: 4, transaction: 1)
          }
        }
      }
    }
    #expect(try result(program(12), program(0)).verdict == .same)
    #expect(try result(program(12), program(1)).verdict == .regression)
  }

  @Test func aRenamedFileOfTestsIsCompared() throws {
    func suite(_ file: String, lookups: UInt64) -> Profile {
      run { trace in
        test("\(file)::test_list", &trace) { trace in
          for key in 0..<lookups { trace.run(lookup, bindHash: key) }
        }
      }
    }
    let before = suite("test_shop.py", lookups: 1)
    #expect(try result(suite("test_store.py", lookups: 1), before).verdict == .same)
    let worse = try result(suite("test_store.py", lookups: 10), before).regressions
    #expect(worse.flatMap(\.tests) == ["test_store.py::test_list"])
  }

  @Test func aWarningOutsideOfTheTestsCallsDoesNotGate() throws {
    let before = suite()
    let after = run { trace in
      trace.run("SELECT 'storescope: test a (setup)'")
      trace.run("SELECT id FROM book WHERE title = ?", vmSteps: 30, fullScanSteps: 200_000)
      for name in ["a", "b"] { test(name, &trace) { $0.run(list, rows: 10, vmSteps: 100) } }
    }
    #expect(after.findings.contains { $0.severity == .warning })
    #expect(try result(after, before).verdict == .same)
  }

  @Test func aLookupThatAProcessKeepsMayMoveToAnotherTest() throws {
    func suite(_ order: [String]) -> Profile {
      run { trace in
        for (index, name) in order.enumerated() {
          test(name, &trace) { trace in
            if index == 0 { for key in 1...3 { trace.run(lookup, bindHash: UInt64(key)) } }
            trace.run(list, rows: 10)
          }
        }
      }
    }
    #expect(try result(suite(["b", "a"]), suite(["a", "b"])).verdict == .same)
  }

  @Test func aRepeatedStatementIsRed() throws {
    let before = suite(lookups: 1)
    let after = run { trace in
      for name in ["a", "b"] {
        test(name, &trace) { trace in
          trace.run(list, rows: 10, vmSteps: 100)
          if name == "a" { for _ in 0..<2 { trace.run(lookup, bindHash: 1) } }
        }
      }
    }
    #expect(try result(after, before).regressions.map(\.sql) == [lookup])
  }

  @Test(
    arguments: zip(
      [102, 118, 140] as [UInt64], [.same, .same, .regression] as [GateResult.Verdict]))
  func oneColumnMoreIsNoMoreWork(vmSteps: UInt64, verdict: GateResult.Verdict) throws {
    let after = run { trace in
      for name in ["a", "b"] {
        test(name, &trace) { trace in
          trace.run(
            "SELECT id, author, isbn FROM book ORDER BY id LIMIT 10", rows: 10, vmSteps: vmSteps)
        }
      }
    }
    #expect(try result(after, suite()).verdict == verdict)
  }

  @Test func aRunWithoutTheTestsIsNoPass() throws {
    let other = run { $0.run(list, rows: 10) }
    #expect(try result(other, suite()).verdict == .inconclusive)
  }

  @Test func aNewWarningIsARegressionWhereverItIs() throws {
    let before = run { trace in for _ in 0..<500 { trace.run(list, rows: 10, vmSteps: 10) } }
    let after = run { trace in
      for _ in 0..<500 { trace.run(list, rows: 10, vmSteps: 10) }
      trace.run("SELECT id FROM book WHERE title = ?", rows: 1, vmSteps: 30, fullScanSteps: 2000)
    }
    let result = try result(after, before)
    #expect(result.regressions.compactMap(\.finding).map(\.rule) == ["AvoidFullTableScan"])
    #expect(try self.result(after, after).verdict == .same)
  }

  @Test func theLargestCountsOfARunAreCompared() throws {
    let before = suite()
    let after = run { trace in
      for name in ["a", "b"] {
        test(name, &trace) { $0.run(list, rows: 10, vmSteps: .max) }
      }
    }
    let changes = try result(after, before).regressions.flatMap(\.changes)
    #expect(changes.map(\.metric) == [.vmSteps])
  }
}
