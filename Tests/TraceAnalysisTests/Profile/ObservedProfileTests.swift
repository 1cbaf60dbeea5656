// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// Programs that the probe observes, which have statements and no objects.
@Suite struct ObservedProfileTests {
  private let list = "SELECT id, author_id FROM book"
  private let one = "SELECT name FROM author WHERE id = ?"

  private func profile(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder { trace in
      trace.connect()
      trace.caller(1, line: 20)
      trace.caller(2, line: 22)
      write(&trace)
      trace.close()
    }.profile()
  }

  private func loops(_ write: (inout RunBuilder) -> Void) -> [QueryLoop] {
    profile(write).observed?.loops ?? []
  }

  @Test func runsOfTheProbeAreStatementsWithTheirCallers() throws {
    let profile = profile { trace in
      trace.run(list, caller: 1, rows: 12, step: 700)
      trace.run("INSERT INTO book VALUES (?)", caller: 2, rows: 0, changes: 1, step: 300)
    }
    let observed = try #require(profile.observed)
    #expect((observed.runs, observed.rows, observed.changes) == (2, 12, 1))
    #expect(observed.connections == 1)
    #expect(profile.totals.fetches == 0)
    #expect(profile.totals.connectionTime == 1000)
    let statement = try #require(profile.statement(StatementID(sql: list)))
    #expect(statement.work.count == 1 && statement.work.rows == 12)
    #expect(statement.callers.map(\.location) == [SourceLocation(file: "app.py", line: 20)])
    #expect(profile.completeness.isComplete)
  }

  private func counts(of sql: String, in profile: Profile) throws -> [UInt64: UInt64] {
    let statement = try #require(profile.statement(StatementID(sql: sql)))
    return Dictionary(statement.callers.map { ($0.location.line, $0.work.count) }) { $1 }
  }

  @Test func aRunWithoutACallerCountsForTheLastLineOfItsThread() throws {
    let profile = profile { trace in
      trace.run(one, caller: 1, bindHash: 1)
      trace.run(one, caller: 2, bindHash: 2)
      trace.run(one, bindHash: 3)
      trace.run(one, bindHash: 4, thread: 2)
    }
    #expect(try counts(of: one, in: profile) == [20: 1, 22: 2, 0: 1])
    let remark = try #require(profile.completeness.remarks.first)
    #expect(
      remark.hasSuffix(
        "The callers of 1 run of 1 statement with several lines were not looked up. They count for the line "
          + "before: the counts of these lines are estimates. STORE_CALLERS=all looks up each caller."
      ))
  }

  @Test func aLineThatRunsMostStatementsMayBeAHelper() throws {
    func remarks(_ statements: Int, ofOthers others: Int) -> [String] {
      profile { trace in
        for number in 0..<statements { trace.run("SELECT \(number)", caller: 1) }
        for number in 0..<others { trace.run("DELETE FROM t\(number)", caller: 2) }
        trace.run("DELETE FROM t0", caller: 2)
      }.completeness.remarks
    }
    #expect(remarks(4, ofOthers: 0).isEmpty)
    #expect(remarks(5, ofOthers: 5).isEmpty)
    let remark = try #require(remarks(6, ofOthers: 5).first)
    #expect(
      remark.hasSuffix(
        "6 of 11 statements come from app.py:20. If that is a helper, STORE_CALLERS_SKIP=app.py records the "
          + "lines that call it."))
  }

  @Test func findingsNameTheHelperOfTheirLine() throws {
    func message(_ helper: String) throws -> String {
      try #require(
        profile { trace in
          trace.caller(7, line: 12, function: "", helper: helper)
          trace.run(list, caller: 1, rows: 40)
          for run in 1...40 { trace.run(one, caller: 7, bindHash: UInt64(run)) }
        }.findings.first { $0.rule == "AvoidQueryInLoop" }
      ).message
    }
    #expect(try message("db.py:4") == message("") + " It runs through db.py:4.")
  }

  @Test func aRunWithoutACallerCountsForTheOnlyLineOfItsProcess() throws {
    let profile = profile { trace in
      trace.run(one, caller: 2, bindHash: 1)
      trace.run(one, bindHash: 2)
      for run in 3...5 { trace.run(one, bindHash: UInt64(run), thread: 2) }
      trace.run(list, thread: 2)
    }
    #expect(try counts(of: one, in: profile) == [22: 5])
    #expect(try counts(of: list, in: profile) == [0: 1])
    #expect(profile.completeness.remarks.isEmpty)
  }

  @Test func aStatementForEachRowOfAnEndedOneIsALoop() throws {
    let loop = try #require(
      loops { trace in
        trace.run(list, caller: 1, rows: 12)
        for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
      }.first)
    #expect(loop.parentLocation.line == 20 && loop.childLocation.line == 22)
    #expect((loop.occurrences, loop.parentRows, loop.runs, loop.time) == (1, 12, 12, 1200))
  }

  @Test func aStatementForEachRowOfAnOpenCursorIsALoop() throws {
    let found = loops { trace in
      for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
      trace.run(list, caller: 1, rows: 12, open: 1_000_000)
    }
    #expect(found.map(\.runs) == [12])
    #expect(found.first?.parentLocation.line == 20)
  }

  @Test func runsBeforeAStatementThatBeganLaterAreNoLoop() {
    #expect(
      loops { trace in
        for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
        trace.run(list, caller: 1, rows: 12, open: 100)
      }.isEmpty)
  }

  @Test func twoStatementsForEachRowAreTwoLoops() {
    let other = "SELECT count(*) FROM loan WHERE book_id = ?"
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 12)
      for row in 1...12 {
        trace.run(one, caller: 2, bindHash: UInt64(row))
        trace.run(other, caller: 2, bindHash: UInt64(row))
      }
    }
    #expect(Set(found.map(\.child)) == [StatementID(sql: one), StatementID(sql: other)])
  }

  @Test func aListForEachRowOfAListIsALoopOfTheOuterOne() {
    let inner = "SELECT title FROM book WHERE author_id = ?"
    let found = loops { trace in
      trace.run("SELECT id FROM author", caller: 1, rows: 30)
      for row in 1...30 { trace.run(inner, caller: 2, rows: 15, bindHash: UInt64(row)) }
    }
    #expect(found.map(\.child) == [StatementID(sql: inner)])
    #expect(found.map(\.runs) == [30])
  }

  @Test func statementsThatDifferInLiteralsAreOneForm() throws {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 12)
      for row in 1...12 { trace.run("SELECT name FROM author WHERE id = \(row)", caller: 2) }
    }
    #expect(found.map(\.runs) == [12])
  }

  @Test func aRepeatedLoopIsOneFinding() throws {
    let findings = profile { trace in
      for _ in 1...5 {
        trace.run(list, caller: 1, rows: 12)
        for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
      }
    }.findings.filter { $0.rule == "AvoidQueryInLoop" }
    #expect(findings.count == 1)
    #expect(
      findings.first?.message
        == "60 runs for the 60 rows of another statement at app.py:20, 5 times.")
    #expect(findings.first?.caller == SourceLocation(file: "app.py", line: 22))
  }

  @Test(arguments: [9, 30])
  func runsFarFromTheNumberOfRowsAreNoLoop(rows: UInt64) {
    #expect(
      loops { trace in
        trace.run(list, caller: 1, rows: rows)
        for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
      }.isEmpty)
  }

  @Test func runsForHalfOfTheRowsAreALoopIfTheyComeAgainAndAgain() {
    func pages(_ count: Int) -> [QueryLoop] {
      loops { trace in
        for _ in 0..<count {
          trace.run(list, caller: 1, rows: 40)
          for row in 1...20 {
            trace.run(one, caller: 2, bindHash: UInt64(row))
            trace.run("INSERT INTO visit VALUES (?)", caller: 1, rows: 0, changes: 1)
          }
        }
      }
    }
    #expect(pages(2).isEmpty)
    #expect(pages(3).map(\.runs) == [60])
  }

  @Test func runsLongAfterAListAreNoLoop() {
    func loops(between count: Int) -> Int {
      self.loops { trace in
        trace.run(list, caller: 1, rows: 12)
        for _ in 0..<count { trace.run("SELECT a FROM t", caller: 1, bindHash: 1) }
        for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
      }.count
    }
    #expect(loops(between: 16) == 1)
    #expect(loops(between: 17) == 0)
  }

  @Test func aLoopAfterALoopOverTheSameRowsIsOne() {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 40)
      for row in 1...40 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
      for row in 1...40 {
        trace.run("SELECT count(*) FROM loan WHERE book = ?", caller: 2, bindHash: UInt64(row))
      }
    }
    #expect(found.map(\.runs) == [40, 40])
  }

  @Test func ofTwoListsTheLastOneIsLoopedOver() {
    let found = loops { trace in
      trace.run("SELECT id FROM tag", caller: 1, rows: 12)
      trace.run(list, caller: 1, rows: 12)
      for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row)) }
    }
    #expect(found.map(\.parent) == [StatementID(sql: list)])
  }

  /// Twenty pages after a list of as many rows look up nothing of it.
  @Test func pagesAreNoLoop() {
    let rules = profile { trace in
      trace.run(list, caller: 1, rows: 20)
      for page in 1...20 {
        trace.run(
          "SELECT a FROM b ORDER BY a LIMIT 5 OFFSET ?", caller: 2, bindHash: UInt64(page))
      }
    }.findings.map(\.rule)
    #expect(!rules.contains("AvoidQueryInLoop"))
  }

  @Test func runsWithTheSameValuesAreNoLoop() {
    #expect(
      loops { trace in
        trace.run(list, caller: 1, rows: 12)
        for _ in 1...12 { trace.run(one, caller: 2, bindHash: 7) }
      }.isEmpty)
  }

  @Test func runsOfAnotherThreadAreNoLoop() {
    #expect(
      loops { trace in
        trace.run(list, caller: 1, rows: 12)
        for row in 1...12 { trace.run(one, caller: 2, bindHash: UInt64(row), thread: 2) }
      }.isEmpty)
  }

  @Test func aCopyThatWasNotObservedMakesTheReportInconclusive() {
    let profile = profile { trace in
      trace.append(
        .copyNotObserved(
          CopyNotObserved(
            sqlitePath: "/opt/node", sqliteVersion: "3.51.1", reason: "no symbol table")))
    }
    #expect(
      profile.completeness.doubts == [
        "/opt/node: a copy of SQLite 3.51.1 was seen and not observed: no symbol table"
      ])
  }

  @Test func mergedProfilesAddUpTheirLoops() {
    let one = profile { trace in
      trace.run(list, caller: 1, rows: 12)
      for row in 1...12 { trace.run(self.one, caller: 2, bindHash: UInt64(row)) }
    }
    let both = Profile.merged([one, one])
    #expect(both.observed?.runs == 26)
    #expect(both.observed?.loops.map(\.runs) == [24])
  }
}
