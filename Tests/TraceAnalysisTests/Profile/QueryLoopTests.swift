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
