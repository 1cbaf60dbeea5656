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
          trace.run(list, caller: 1, rows: 40, list: 1)
          for row in 1...40 { trace.run(one, caller: 7, forRow: row, of: 1) }
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
      trace.run(list, caller: 1, rows: 12, list: 1)
      for row in 1...12 { trace.run(self.one, caller: 2, forRow: row, of: 1) }
    }
    let both = Profile.merged([one, one])
    #expect(both.observed?.runs == 26)
    #expect(both.observed?.loops.map(\.runs) == [24])
  }
}
