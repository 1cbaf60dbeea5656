// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// Which runs belong to one task of a program, so that one may be a loop over the rows of another.
@Suite struct QueryLoopTests {
  private let list = "SELECT id FROM book"
  private let one = "SELECT name FROM author WHERE id = ?"

  private func profile(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder { trace in
      trace.connect()
      for line in 1...4 as ClosedRange<UInt64> { trace.caller(line, line: 10 * line) }
      write(&trace)
      trace.close()
    }.profile()
  }

  private func loops(_ write: (inout RunBuilder) -> Void) -> [QueryLoop] {
    profile(write).observed?.loops ?? []
  }

  /// A page that lists 20 books, and then 20 requests for an author, a connection each.
  @Test func requestsAfterTheListsConnectionWasClosedAreNoLoop() {
    func requests(closing isClosed: Bool) -> Int {
      loops { trace in
        trace.run(list, caller: 1, rows: 20)
        if isClosed { trace.disconnect(1) }
        for visitor in 2...21 as ClosedRange<UInt64> {
          trace.connect(connection: visitor)
          trace.run(one, caller: 2, bindHash: visitor, connection: visitor)
          trace.disconnect(visitor)
        }
      }.count
    }
    #expect(requests(closing: true) == 0)
    #expect(requests(closing: false) == 1, "a pool, whose connections take turns")
  }

  /// Each helper opens a connection, runs a statement and closes it.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func aConnectionForEachRunIsALoopIfItHappensAgain(pages: UInt64) {
    let findings = profile { trace in
      for page in 0..<pages {
        let first = page * 100 + 2
        trace.connect(connection: first)
        trace.run(list, caller: 1, rows: 20, connection: first)
        trace.disconnect(first)
        for row in 1...20 as ClosedRange<UInt64> {
          trace.connect(connection: first + row)
          trace.run(one, caller: 2, bindHash: row, connection: first + row)
          trace.disconnect(first + row)
        }
      }
    }.findings.filter { $0.rule == "AvoidQueryInLoop" }
    #expect(findings.map(\.severity) == [pages == 1 ? .note : .warning])
    #expect(findings.map(\.confidence) == [pages == 1 ? .low : .medium])
    #expect(
      findings.first?.message.contains("\(20 * pages) connections were opened for them.") == true)
  }

  @Test(arguments: [19, 20, 21] as [UInt64])
  func aThreadPoolIsALoopWithExactlyOneRunForEachRow(runs: UInt64) {
    let found = loops { trace in
      for worker in 2...5 as ClosedRange<UInt64> { trace.connect(connection: worker) }
      for page in 1...2 as ClosedRange<UInt64> {
        trace.run(list, caller: 1, rows: 20)
        for row in 1...runs {
          trace.run(
            one, caller: 2, bindHash: page * 50 + row, thread: Int64(row % 4) + 2,
            connection: row % 4 + 2)
        }
      }
    }
    #expect(found.map(\.runs) == (runs == 20 ? [40] : []))
  }

  @Test func aSingleListWithOtherNumbersOfRunsIsANote() {
    func severities(runs: UInt64, pages: UInt64 = 1) -> [Finding.Severity] {
      profile { trace in
        for page in 1...pages {
          trace.run(list, caller: 1, rows: 40)
          for row in 1...runs { trace.run(one, caller: 2, bindHash: page * 100 + row) }
        }
      }.findings.filter { $0.rule == "AvoidQueryInLoop" }.map(\.severity)
    }
    #expect(severities(runs: 25) == [.note])
    #expect(severities(runs: 80) == [.note])
    #expect(severities(runs: 43) == [.note])
    #expect(severities(runs: 38) == [.warning])
    #expect(severities(runs: 40) == [.warning])
    #expect(severities(runs: 25, pages: 3) == [.warning])
  }

  /// Pages of 20 rows that are turned, and 20 other look-ups behind the last one.
  @Test(arguments: [(4, 1), (30, 0)])
  func runsBehindOneOfManyPagesAreNoLoop(pages: Int, found: Int) {
    let loops = loops { trace in
      for _ in 0..<pages { trace.run(list, caller: 1, rows: 20) }
      for row in 1...20 as ClosedRange<UInt64> { trace.run(one, caller: 2, bindHash: row) }
    }
    #expect(loops.count == found)
  }

  @Test func runsInAnotherDatabaseAreNoLoop() {
    func lookups(in path: String) -> Int {
      loops { trace in
        trace.connect(path: path, connection: 2)
        trace.run(list, caller: 1, rows: 20)
        for row in 1...20 as ClosedRange<UInt64> {
          trace.run(one, caller: 2, bindHash: row, connection: 2)
        }
      }.count
    }
    #expect(lookups(in: "other.db") == 0)
    #expect(lookups(in: "app.db") == 1)
  }

  /// 50 authors, nine books of each, a lookup for each book.
  @Test func aLoopWithinALoopIsFound() {
    let found = loops { trace in
      trace.run("SELECT id FROM author", caller: 1, rows: 50)
      for author in 1...50 as ClosedRange<UInt64> {
        trace.run("SELECT id FROM book WHERE author = ?", caller: 2, rows: 9, bindHash: author)
        for book in 1...9 as ClosedRange<UInt64> {
          trace.run(one, caller: 3, bindHash: author * 10 + book)
        }
      }
    }
    #expect(
      Set(found.map { [$0.occurrences, $0.parentRows, $0.runs] }) == [
        [1, 50, 50], [50, 450, 450],
      ])
  }

  /// Where the rows are few, as many runs are often a coincidence.
  @Test func otherRunsAfterFewRowsAreNoLoop() {
    func found(rows: UInt64, runs: UInt64) -> Int {
      loops { trace in
        for page in 1...40 as ClosedRange<UInt64> {
          trace.run(list, caller: 1, rows: rows)
          for run in 0..<runs { trace.run(one, caller: 2, bindHash: page * 10 + run) }
        }
      }.count
    }
    #expect(found(rows: 2, runs: 2) == 0)
    #expect(found(rows: 5, runs: 4) == 0)
    #expect(found(rows: 5, runs: 5) == 1)
  }

  /// Without lines all runs of a statement seem to be at one: 40 counts after a list of 60, three times.
  @Test func runsOfUnknownLinesAreALoopOnlyWhereThereIsOneForNearlyEachRow() {
    func found(runs: UInt64) -> Int {
      loops { trace in
        for task in 1...3 as ClosedRange<UInt64> {
          trace.run(list, rows: 60)
          for run in 1...runs { trace.run(one, bindHash: task * 100 + run) }
        }
      }.count
    }
    #expect(found(runs: 40) == 0)
    #expect(found(runs: 60) == 1)
  }

  /// Some rows have no author, or authors are kept: 25 lookups for 40 rows.
  @Test func runsForPartOfTheRowsAreALoopIfTheyDirectlyFollow() {
    func found(between statements: Int, writes: Bool = false) -> Int {
      loops { trace in
        trace.run(list, caller: 1, rows: 40)
        for other in 0..<statements { trace.run("SELECT \(other) AS a\(other)", caller: 3) }
        for row in 1...25 as ClosedRange<UInt64> {
          trace.run(one, caller: 2, bindHash: row)
          if writes { trace.run("INSERT INTO visit VALUES (1)", caller: 4, changes: 1) }
        }
      }.count
    }
    #expect(found(between: 0) == 1)
    #expect(found(between: 3) == 1)
    #expect(found(between: 5) == 0)
    #expect(found(between: 0, writes: true) == 0)
  }

  /// A helper that looks up author and editor of each book.
  @Test(arguments: [(25, 0), (30, 0), (40, 1), (60, 1), (80, 0)] as [(UInt64, Int)])
  func twoOrThreeRunsForEachRowAreALoop(runs: UInt64, expected: Int) {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 20)
      for run in 1...runs { trace.run(one, caller: 2, bindHash: run) }
    }
    #expect(found.map(\.runs) == (expected == 1 ? [runs] : []))
  }

  /// Python reads a row ahead: the last run of a loop begins after its list has ended.
  @Test func aLoopWithinAnOpenCursorThatRunsAgainIsFoundEachTime() {
    let found = loops { trace in
      for page in 1...2 as ClosedRange<UInt64> {
        for row in 1...99 as ClosedRange<UInt64> {
          trace.run(one, caller: 2, bindHash: page * 100 + row)
        }
        trace.run(list, caller: 1, rows: 100, open: 99 * 2000 + 500)
        trace.run(one, caller: 2, bindHash: page * 100)
      }
    }
    #expect(found.map { [$0.occurrences, $0.parentRows, $0.runs] } == [[2, 200, 200]])
  }

  /// A trace is data: its times and rows must not stop the report.
  @Test(arguments: [Nanoseconds.max, .min]) func timesOfAnySizeAreRead(time: Nanoseconds) {
    let found = loops { trace in
      for page in 1...3 as ClosedRange<UInt64> {
        for row in 1...20 as ClosedRange<UInt64> {
          trace.run(one, caller: 2, bindHash: page * 100 + row, step: row == 3 ? time : time / -2)
        }
        trace.run(list, caller: 1, rows: 20, open: page == 2 ? .max : 39_500)
        trace.run("SELECT 1", rows: .max, open: .max)
      }
    }
    #expect(found.allSatisfy { $0.childLocation.line == 20 })
  }

  /// Both cursors are open: the outer list ends last.
  @Test func anOpenCursorWithinAnOpenCursorIsALoopOfTheOuterOne() {
    let outer = "SELECT id FROM author"
    let found = loops { trace in
      for author in 1...12 as ClosedRange<UInt64> {
        trace.run("SELECT born FROM author WHERE id = ?", caller: 4, bindHash: author)
        for book in 1...5 as ClosedRange<UInt64> {
          trace.run(one, caller: 3, bindHash: author * 10 + book)
        }
        trace.run(list, caller: 2, rows: 5, bindHash: author, open: 10_500)
      }
      trace.run(outer, caller: 1, rows: 12, open: 1_000_000)
    }
    #expect(
      Set(found.map { [$0.parentLocation.line, $0.childLocation.line, $0.runs] }) == [
        [10, 20, 12], [10, 40, 12], [20, 30, 60],
      ])
  }

  @Test func runsWithTheSameValuesOnOtherConnectionsAreNotRepeats() throws {
    func repeats(onOneConnection: Bool) throws -> UInt64 {
      let profile = profile { trace in
        for request in 1...12 as ClosedRange<UInt64> {
          trace.run(one, caller: 1, bindHash: 7, connection: onOneConnection ? 1 : request)
        }
      }
      return try #require(profile.statement(StatementID(sql: one))).repeats.runs
    }
    #expect(try repeats(onOneConnection: false) == 0)
    #expect(try repeats(onOneConnection: true) == 11)
  }
}
