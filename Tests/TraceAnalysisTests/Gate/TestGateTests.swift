// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

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
