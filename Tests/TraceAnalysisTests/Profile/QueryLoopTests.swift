// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

/// Which runs are a loop over the rows of another statement, by the rows that their values come from.
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

  private func findings(_ write: (inout RunBuilder) -> Void) -> [Finding] {
    profile(write).findings.filter { $0.rule == "AvoidQueryInLoop" }
  }

  @Test func aStatementForEachRowIsALoopWhetherTheCursorIsOpenOrNot() {
    for isOpen in [true, false] {
      let found = loops { trace in
        if !isOpen { trace.run(list, caller: 1, rows: 12, list: 1) }
        for row in 1...12 { trace.run(one, caller: 2, forRow: row, of: 1) }
        if isOpen { trace.run(list, caller: 1, rows: 12, open: 1_000_000, list: 1) }
      }
      #expect(found.map { [$0.occurrences, $0.parentRows, $0.runs] } == [[1, 12, 12]])
      #expect(found.first?.parentLocation.line == 10 && found.first?.childLocation.line == 20)
    }
  }

  @Test(arguments: [32, 33, 1000]) func rowsBehindTheKeptOnesCount(rows: Int) {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: UInt64(rows), list: 1)
      for row in 1...rows { trace.run(one, caller: 2, forRow: row, of: 1) }
    }
    #expect(found.map(\.runs) == [UInt64(rows)])
    #expect(found.map(\.time) == [Nanoseconds(rows) * 100])
  }

  /// Some rows have no author, or authors are kept; every third one alone is none.
  @Test(arguments: [(2, 1), (3, 0)]) func everySecondRowIsALoop(step: Int, expected: Int) {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 30, list: 1)
      for row in stride(from: 1, through: 30, by: step) {
        trace.run(one, caller: 2, forRow: row, of: 1)
        trace.run("INSERT INTO visit VALUES (1)", caller: 4, changes: 1)
      }
    }
    #expect(found.count == expected)
  }

  /// Authors and editors: two runs for each row at one line.
  @Test func aRecordingWithoutOriginsIsInconclusive() {
    let found = findings { trace in
      trace.run(list, caller: 1, rows: 12, list: 0)
      for row in 1...12 as ClosedRange<UInt64> { trace.run(one, caller: 2, bindHash: row) }
    }
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.message.contains("of 1 run cannot be found") == true)
  }

  @Test func severalRunsForEachRowAreALoop() {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 20, list: 1)
      for row in 1...40 { trace.run(one, caller: 2, forRow: (row + 1) / 2, of: 1) }
    }
    #expect(found.map(\.runs) == [40])
  }

  @Test func aListThatIsVisitedTwiceIsALoop() {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 200, list: 1)
      for row in 1...400 { trace.run(one, caller: 2, forRow: (row - 1) % 200 + 1, of: 1) }
    }
    #expect(found.map { [$0.occurrences, $0.parentRows, $0.runs] } == [[1, 200, 400]])
  }

  @Test func theOrderOfTheRowsMattersUnlessEachIsVisitedOnce() {
    func found(_ order: [Int]) -> Int {
      loops { trace in
        trace.run(list, caller: 1, rows: 12, list: 1)
        for row in order { trace.run(one, caller: 2, forRow: row, of: 1) }
      }.count
    }
    #expect(found(Array((1...12).reversed())) == 1)
    #expect(found([7, 2, 12, 1, 9, 4, 3, 11, 6, 8, 5, 10]) == 1, "a pool of threads")
    #expect(found([7, 2, 12, 2, 9, 4, 3, 9, 6, 8, 4, 10]) == 0, "visitors of a menu")
  }

  /// A menu with the ids 1 to 12, and a server with visitors of the ids 1 to 500.
  @Test func consecutiveNumbersAreNotTheListsValues() {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 12, list: 1)
      for id in 1...500 {
        trace.run(
          one, caller: 2, bindHash: UInt64(id), origin: id <= 12 ? 1 : 0,
          row: id <= 12 ? UInt64(id) : 0)
      }
    }
    #expect(found.isEmpty)
  }

  @Test func rowsThatAreNotCertainAreNoOrder() {
    #expect(
      loops { trace in
        trace.run(list, caller: 1, rows: 12, list: 1)
        for id in 1...12 as ClosedRange<UInt64> {
          trace.run(one, caller: 2, bindHash: id, origin: 1, row: id % 2 == 0 ? id : 0)
        }
      }.isEmpty)
  }

  /// A list that is read for each request, of which one row is shown.
  @Test func oneRowOfEachListIsNoLoop() {
    #expect(
      loops { trace in
        for request in 1...40 {
          trace.run(list, caller: 1, rows: 2, list: UInt64(request))
          trace.run(one, caller: 2, forRow: request % 2 + 1, of: UInt64(request))
        }
      }.isEmpty)
  }

  @Test func smallListsAreALoopIfTheyRanOften() {
    func found(_ lists: Int) -> [UInt64] {
      loops { trace in
        for number in 1...lists {
          trace.run(list, caller: 1, rows: 3, list: UInt64(number))
          for row in 1...3 { trace.run(one, caller: 2, forRow: row, of: UInt64(number)) }
        }
      }.map(\.runs)
    }
    #expect(found(3) == [])
    #expect(found(4) == [12])
  }

  @Test func threadsAndConnectionsDoNotMatterAndOpenedOnesAreCounted() {
    let found = findings { trace in
      trace.run(list, caller: 1, rows: 20, list: 1)
      for row in 1...20 {
        let connection = UInt64(row + 1)
        trace.connect(connection: connection)
        trace.run(
          one, caller: 2, forRow: row, of: 1, thread: Int64(row % 4), connection: connection)
        trace.disconnect(connection)
      }
    }
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.message.contains("20 connections were opened for them.") == true)
  }

  /// Keys of two databases are often equal by coincidence.
  @Test func inAnotherDatabaseALoopReadsNearlyEachRowOnce() {
    func runs(in path: String, rows: Int = 20, changes: UInt64 = 0) -> Int {
      loops { trace in
        trace.connect(path: path, connection: 2)
        trace.run(list, caller: 1, rows: 20, list: 1)
        for row in 1...rows {
          trace.run(one, caller: 2, forRow: row, of: 1, changes: changes, connection: 2)
        }
      }.count
    }
    #expect(runs(in: "other.db") == 1)
    #expect(runs(in: "other.db", rows: 12) == 0)
    #expect(runs(in: "other.db", changes: 1) == 0)
    #expect(runs(in: "app.db", rows: 12) == 1)
  }

  /// 20 authors, nine books of each, a lookup for each book.
  @Test func aLoopWithinALoopIsOneFindingWithItsChain() {
    let found = findings { trace in
      trace.run("SELECT id FROM author", caller: 1, rows: 20, list: 1)
      for author in 1...20 {
        let books = UInt64(author + 1)
        trace.run(
          "SELECT id FROM book WHERE author = ?", caller: 2, forRow: author, of: 1, rows: 9,
          list: books)
        for book in 1...9 { trace.run(one, caller: 3, forRow: book, of: books) }
      }
    }
    #expect(
      found.map(\.message) == [
        "20 runs for the 20 rows of another statement at app.py:10. Another statement at app.py:30 ran 180 times "
          + "for the rows of such runs."
      ])
  }

  @Test func theRowsOfARecursionAreOneFinding() {
    let children = "SELECT id FROM node WHERE parent = ?"
    let found = findings { trace in
      for node in 1...12 {
        let id = UInt64(node)
        if node > 1 {
          trace.run(children, caller: 1, forRow: node % 2 + 1, of: id / 2, rows: 2, list: id)
        } else {
          trace.run(children, caller: 1, rows: 2, bindHash: 1, list: 1)
        }
      }
    }
    #expect(found.count == 1)
  }

  @Test func statementsThatDifferInLiteralsAreOneForm() {
    let found = loops { trace in
      trace.run(list, caller: 1, rows: 12, list: 1)
      for row in 1...12 {
        trace.run("SELECT name FROM author WHERE id = \(row)", caller: 2, forRow: row, of: 1)
      }
    }
    #expect(found.map(\.runs) == [12])
  }

  /// A program's computation cannot always be written in SQL.
  @Test(
    arguments: [(0, .warning, "write one"), (1, .note, "if SQL can")]
      as [(UInt64, Finding.Severity, String)])
  func writesOfARowAreALoop(own: UInt64, severity: Finding.Severity, fix: String) {
    let found = findings { trace in
      trace.run(list, caller: 1, rows: 12, list: 1)
      for row in 1...12 {
        trace.run(
          "UPDATE book SET a = ? WHERE id = ?", caller: 2, forRow: row, of: 1, rows: 0, changes: 1,
          own: own)
      }
    }
    #expect(found.map(\.severity) == [severity])
    #expect(found.first?.fix.hasPrefix(fix) == true)
  }

  /// 400 rows in chunks of 20.
  @Test func chunksWithAListAreNoLoop() {
    let marks = Array(repeating: "?", count: 20).joined(separator: ", ")
    for sql in [
      "SELECT * FROM author WHERE id IN (\(marks))", "INSERT INTO log VALUES (?, ?)",
    ] {
      #expect(
        loops { trace in
          trace.run(list, caller: 1, rows: 20, list: 1)
          for row in 1...20 { trace.run(sql, caller: 2, forRow: row, of: 1, own: 19) }
        }.isEmpty)
    }
  }

  @Test func lookupsInTheSchemaAreNoLoop() {
    #expect(
      loops { trace in
        trace.run("SELECT name FROM sqlite_master", caller: 1, rows: 20, list: 1)
        for row in 1...20 { trace.run(one, caller: 2, forRow: row, of: 1) }
      }.isEmpty)
  }

  @Test func aRepeatedLoopIsOneFinding() {
    let found = findings { trace in
      for page in 1...5 as ClosedRange<UInt64> {
        trace.run(list, caller: 1, rows: 12, list: page)
        for row in 1...12 { trace.run(one, caller: 2, forRow: row, of: page) }
      }
    }
    #expect(
      found.map(\.message) == [
        "60 runs for the 60 rows of another statement at app.py:10, 5 times."
      ])
    #expect(found.first?.caller == SourceLocation(file: "app.py", line: 20))
  }

  /// Lists of a server without a loop do not evict lists with one.
  @Test func loopIsFoundBesideManyOtherLists() {
    let found = loops { trace in
      for row in 1...20 {
        trace.run(one, caller: 2, forRow: row, of: 1)
        for other in 1...300 {
          trace.run("SELECT a FROM t", caller: 3, rows: 5, list: UInt64(row * 1000 + other))
        }
      }
      trace.run(list, caller: 1, rows: 20, open: 1_000_000, list: 1)
    }
    #expect(found.map(\.runs) == [20])
  }

  /// A trace is data: its times and rows must not stop the report.
  @Test func numbersOfAnySizeAreRead() {
    let found = loops { trace in
      for number in [0, 1, 31, 32, 33, 64, 65, .max] as [UInt64] {
        trace.run(list, caller: 1, rows: number, list: number)
        for row in [0, 1, 2, 63, 64, 65, .max] as [UInt64] {
          trace.run(
            one, caller: 2, bindHash: row, step: row % 2 == 0 ? .max : .min, origin: number,
            row: row, own: row)
        }
      }
    }
    #expect(found.allSatisfy { $0.childLocation.line == 20 })
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
