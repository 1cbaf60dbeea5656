// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceRendering

@testable import TraceAnalysis

/// Suites whose tests are named by markers, and drivers' own statements.
@Suite struct TestProfileTests {
  private let search = "SELECT id FROM book WHERE title = ?"

  private func profile(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder { trace in
      trace.connect()
      write(&trace)
      trace.close()
    }.profile()
  }

  private func suite(scanSteps: UInt64) -> Profile {
    profile { trace in
      trace.run("PRAGMA foreign_keys = ON")
      trace.run("SELECT 'storescope: test test_list'")
      trace.run(search, rows: 2)
      trace.run("SELECT 'storescope: test test_search'")
      trace.run(search, rows: 1, fullScanSteps: scanSteps)
      trace.run(search, rows: 1)
    }
  }

  @Test func aSharedReportHasTheTextOfEachFormOfATest() {
    let profile = RunBuilder { trace in
      trace.open()
      trace.run("SELECT 'storescope: test test_titles'")
      for title in ["seven", "eight"] { trace.run("SELECT * FROM book WHERE title = '\(title)'") }
    }.profile()
    let shared = SharedProfile(profile).profile
    let forms = shared.observed?.tests?.flatMap { $0.forms ?? [] } ?? []
    let texts = forms.map { shared.statement($0.statement)?.sql }
    #expect(texts == ["SELECT * FROM book WHERE title = ?"])
    #expect(forms.map(\.work.count) == [2])
  }

  @Test(arguments: [
    ("SELECT 'storescope: test it''s'", "it's", true),
    ("select  'storescope: test a' -- b", "a", true),
    ("SELECT 'storescope: test a (setup)'", "a", false),
    ("SELECT 'storescope: test '", "", true),
    ("SELECT 'storescope: test \u{301}a'", "\u{301}a", true),
  ])
  func aMarkerIsReadAsSQLiteReadsIt(sql: String, name: String, isCall: Bool) throws {
    let marker = try #require(TestMarker(sql))
    #expect(marker.name == name && marker.isCall == isCall)
  }

  @Test(arguments: [
    "SELECT 'storescope: test", "SELECT 'storescope: test'", "SELECT storescope", "PRAGMA a = 'b'",
    "INSERT INTO t VALUES ('storescope: test a')", "",
  ])
  func otherStatementsAreNoMarkers(sql: String) { #expect(TestMarker(sql) == nil) }

  @Test func markersAreNoStatementsOfTheProgram() {
    let names = (0..<1100).map { "SELECT 'storescope: test \($0)'" }
    let profile = profile { trace in
      for name in names { trace.run(name) }
      trace.run("PRAGMA user_version")
      trace.run("SELECT 'zebra'")
    }
    #expect(profile.statements.map(\.sql) == ["SELECT 'zebra'"])
    #expect(profile.otherSQL == ["PRAGMA user_version"])
  }

  @Test func aMarkerNamesTheTestOfTheRunsAfterIt() throws {
    let tests = try #require(suite(scanSteps: 400).observed?.tests)
    #expect(tests.map(\.name) == ["test_search", "test_list"])
    #expect(tests.map(\.work.count) == [2, 1])
    #expect(tests.map(\.work.rows) == [2, 2])
    #expect(tests.map(\.work.fullScanSteps) == [400, 0])
    #expect(tests.map(\.scanning) == [StatementID(sql: search), nil])
  }

  @Test func theSummaryNamesTheTestThatScansAndItsStatement() {
    let text = Document(summary: suite(scanSteps: 400)).text()
    #expect(text.contains("Tests by full-scan steps"))
    #expect(text.contains("400     200 ns  test_search\n"))
  }

  @Test func theGateNamesTheTestThatScansMore() throws {
    let baseline = BaselineV1(suite(scanSteps: 400))
    #expect(Gate().compare(suite(scanSteps: 400), with: baseline).verdict == .same)
    let result = Gate().compare(suite(scanSteps: 500), with: baseline)
    let statement = try #require(result.regressions.first)
    #expect(statement.sql == search && statement.tests == ["test_search"])
    #expect(statement.changes == [.init(metric: .fullScanSteps, before: 400, after: 500)])
  }

  @Test func aFileOfABaselineWithTestsAndTheirBudgetsIsRead() throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "baseline.json")
    var baseline = try BaselineV1(suite(scanSteps: 400)).sealed
    for budget in [nil, ["count": 1], ["fullScanSteps": 0]] as [[String: UInt64]?] {
      baseline.tests?[0].budget = budget
      try JSONEncoder().encode(baseline).write(to: file)
      #expect(try BaselineV1(path: file.path) == baseline)
    }
    baseline.tests?[0].count += 1
    try JSONEncoder().encode(baseline).write(to: file)
    #expect(throws: BaselineError.damaged(file.path)) { try BaselineV1(path: file.path) }
  }

  @Test func aTestHasABudget() {
    var baseline = BaselineV1(suite(scanSteps: 0))
    let index = baseline.tests?.firstIndex { $0.sql == "test test_search" }
    baseline.tests?[index ?? 0].budget = ["count": 1]
    let result = Gate().compare(suite(scanSteps: 0), with: baseline)
    #expect(
      result.regressions.map(\.changes) == [[.init(metric: .count, before: 2, after: 2, budget: 1)]]
    )
    var newer = BaselineV1(suite(scanSteps: 0))
    newer.keepBudgets(of: baseline)
    #expect(newer.tests == baseline.tests)
  }

  @Test func testsOfSeveralProcessesDoNotMix() {
    let tests = RunBuilder { trace in
      trace.connect()
      trace.run("SELECT 'storescope: test a'")
      trace.run(search)
      trace.close()
    }.profile()
    let merged = Profile.merged([tests, suite(scanSteps: 3)])
    #expect(merged.observed?.tests?.map(\.name) == ["test_search", "a", "test_list"])
  }

  @Test func pragmasOfDriversAreInNoCountButTheirOwn() {
    let observed = profile { trace in
      trace.run("PRAGMA main.table_info(\"visit\")")
      trace.run(" pragma foreign_keys=ON")
      trace.run("PRAGMA wal_checkpoint(TRUNCATE)")
      trace.run("PRAGMA optimize")
    }.observed
    #expect(observed?.driverPragmas == 2)
    #expect(observed?.runs == 2)
  }

  @Test func aPragmaThatFailsIsShown() {
    let observed = profile { $0.run("PRAGMA journal_mode = WAL", error: "SQLITE_BUSY: locked") }
      .observed
    #expect(observed?.runs == 1 && observed?.driverPragmas == nil)
  }

  @Test(arguments: [
    ("SELECT 'storescope: test a b'", "a b"), ("select  'storescope: test x' ;", "x"),
    ("SELECT 'storescope: test '", ""), ("SELECT 'storescope: test a (setup)'", "a"),
    ("SELECT 'storescope: tes'", nil), ("SELECT 'other'", nil), ("", nil),
  ])
  func onlyAMarkerIsAMarker(sql: String, name: String?) {
    #expect(TestMarker(sql)?.name == name)
  }

  @Test func listsOfAnyLengthAreOneForm() {
    let statements = profile { trace in
      for count in 1...4 {
        let list = Array(repeating: "?", count: count).joined(separator: ", ")
        trace.run("SELECT id FROM book WHERE author_id IN (\(list))")
      }
    }
    #expect(statements.statementGroups.count == 1)
  }
}
