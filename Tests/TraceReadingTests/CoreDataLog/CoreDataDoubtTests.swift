// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Core Data's logs whose lines are missing, another thread's, or text within values.
struct CoreDataDoubtTests {
  private static let items = "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZITEM t0"
  private static let people = "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZPERSON t0 WHERE  t0.Z_PK = ?"
  private static let displaced =
    "lines of 1 fetch stand between those of another one, and the log has no thread ids: rows, "
    + "times and faults may be at the wrong statement"

  private func reading(_ lines: [String], head: (Int) -> String = { _ in "" }) throws -> Reading {
    try Reading(
      log: lines.enumerated().map { "\(head($0.offset))CoreData: \($0.element)\n" }.joined())
  }

  // MARK: - Threads

  @Test func aFetchWithinAnotherThatIsNoPrefetchIsDoubted() throws {
    let reading = try reading([
      "sql: \(Self.items)", "annotation: sql connection fetch time: 0.0010s",
      "sql: \(Self.people)", "annotation: sql connection fetch time: 0.0002s",
      "annotation: total fetch execution time: 0.0005s for 1 rows.",
      "annotation: total fetch execution time: 0.0040s for 190 rows.",
    ])
    #expect(reading.source.problems == [Self.displaced])
  }

  @Test func aTotalBelowItsPartIsDoubted() throws {
    let reading = try reading([
      "sql: \(Self.items)", "annotation: sql connection fetch time: 0.0010s",
      "annotation: total fetch execution time: 0.0008s for 190 rows.",
    ])
    #expect(reading.source.problems == [Self.displaced])
    let rounded = try self.reading([
      "sql: \(Self.items)", "annotation: sql connection fetch time: 0.0010s",
      "annotation: total fetch execution time: 0.0009s for 190 rows.",
    ])
    #expect(rounded.source.problems == [])
  }

  @Test func aFaultAfterTheNextStatementIsDoubted() throws {
    let reading = try reading([
      "sql: \(Self.people)", "annotation: sql connection fetch time: 0.0002s",
      "annotation: total fetch execution time: 0.0005s for 1 rows.", "sql: \(Self.items)",
      "annotation: fault fulfilled from database for : 0x1 <x-coredata://9A1C/Person/p4>",
      "annotation: sql connection fetch time: 0.0010s",
      "annotation: total fetch execution time: 0.0040s for 190 rows.",
    ])
    #expect(reading.source.problems == [Self.displaced])
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func prefetchesAndThreadsWithNumbersAreNotDoubted() throws {
    let prefetch = try reading([
      "sql: \(Self.items)", "annotation: sql connection fetch time: 0.0010s",
      "sql: \(Self.people)", "annotation: sql connection fetch time: 0.0002s",
      "annotation: total fetch execution time: 0.0005s for 3 rows.",
      "annotation: Prefetching with key 'people'.  Got 3 rows.",
      "annotation: total fetch execution time: 0.0040s for 190 rows.",
    ])
    #expect(prefetch.source.problems == [])
    let lines = [
      "sql: \(Self.items)", "annotation: sql connection fetch time: 0.0010s",
      "sql: \(Self.people)", "annotation: sql connection fetch time: 0.0002s",
      "annotation: total fetch execution time: 0.0040s for 190 rows.",
      "annotation: total fetch execution time: 0.0005s for 1 rows.",
    ]
    let threads = try reading(lines) { line in
      "2024-01-05 09:10:11.125+0100 Notes[4567:\([7, 7, 8, 8, 7, 8][line])] "
    }
    #expect(threads.source.problems == [])
    #expect(
      Set(threads.events.compactMap(\.rowsOfFetch)) == ["ZITEM 190", "ZPERSON 1"])
  }

  /// The forms of `log show --style syslog`, and of the relays of a device.
  @Test(arguments: [
    "2024-01-05 09:10:11.125000+0100  host %: (CoreData) [com.apple.coredata:sql] ",
    "2024-01-05 09:10:11.125000+0100 localhost % <Debug>: (CoreData) ",
    "Jan  5 09:10:11 iPhone % <Debug>: ", "Jan  5 09:10:11 % <Debug>: ",
  ])
  func headsWithoutAThreadHaveTheirProcess(form: String) throws {
    let names = ["Notes(CoreData)[4567]", "Other[99]"]
    let reading = try reading([
      "sql: \(Self.items)", "sql: \(Self.people)",
      "annotation: sql connection fetch time: 0.0010s",
      "annotation: sql connection fetch time: 0.0002s",
      "annotation: total fetch execution time: 0.0040s for 190 rows.",
      "annotation: total fetch execution time: 0.0005s for 1 rows.",
    ]) { form.replacing("%", with: names[$0 % 2]) }
    #expect(reading.source.problems == [])
    #expect(Set(reading.records.map(\.process.name)) == ["Notes", "Other"])
    #expect(Set(reading.records.map(\.process.id)) == [4567, 99])
    #expect(
      Set(reading.events.compactMap(\.rowsOfFetch)) == ["ZITEM 190", "ZPERSON 1"])
  }

  /// 1,024 threads are kept: threads that wait for a line stay.
  @Test func manyThreadsAreReadTheSameEachTime() throws {
    func head(_ thread: Int) -> String { "2024-01-05 09:10:11.125 Notes[1:\(thread)] CoreData: " }
    var log = "\(head(1))sql: \(Self.items)\n"
    log += "\(head(1))annotation: sql connection fetch time: 0.0010s\n"
    for thread in 100..<1600 {
      log += "\(head(thread))sql: \(Self.people)\n"
      log += "\(head(thread))annotation: sql connection fetch time: 0.0002s\n"
      log += "\(head(thread))annotation: total fetch execution time: 0.0005s for 1 rows.\n"
      log +=
        "\(head(thread))annotation: fault fulfilled from database for : 0x1 <x-coredata://9A/Person/p4>\n"
    }
    log += "\(head(1))annotation: total fetch execution time: 0.0040s for 190 rows.\n"
    let reading = try Reading(log: log)
    #expect(reading.source.problems == [])
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["ZITEM 190"])
    #expect(reading.events.count { $0.kind == .fault } == 1500)
  }

  // MARK: - Transactions

  @Test func aTransactionThatFailedBeforeTheNextOneIsASaveThatFailed() throws {
    let insert = "sql: INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT) VALUES(?, ?, ?)"
    let reading = try reading([
      "sql: BEGIN EXCLUSIVE", insert,
      "error: (13) I/O error for database at /p.  SQLite error code:13, 'database or disk is full'",
      "sql: BEGIN EXCLUSIVE", insert, "sql: COMMIT",
    ])
    #expect(
      reading.events.compactMap(\.errorOfSave) == ["database or disk is full", ""])
    #expect(
      reading.events.compactMap(\.outcome) == ["rollback", "commit"])
  }

  @Test func aTransactionWithoutItsEndIsDoubted() throws {
    let begun = ["sql: BEGIN EXCLUSIVE", "sql: DELETE FROM ZITEM WHERE Z_PK = ? AND Z_OPT = ?"]
    let fetch = [
      "sql: SELECT 0, t0.Z_PK FROM ZITEM t0",
      "annotation: total fetch execution time: 0.1s for 1 rows.",
    ]
    let cut = try reading(fetch + begun)
    #expect(
      cut.source.problems
        == ["1 transaction without COMMIT or ROLLBACK in the log: not counted as a save"])
    #expect(cut.events.compactMap(\.errorOfSave) == [])
    // Two connections: each has its end.
    let two = try reading(begun + begun + ["sql: COMMIT", "sql: COMMIT"])
    #expect(two.events.compactMap(\.errorOfSave) == ["", ""])
    #expect(two.source.problems == [])
  }

  // MARK: - Values

  @Test func textWithinValuesIsNoLine() throws {
    let dump = try Reading(
      log: """
        CoreData: sql: \(Self.items)
        CoreData: annotation: sql connection fetch time: 0.0010s
        CoreData: annotation: fetch using NSSQLiteStatement <0x6> on entity 'Item' with sql text '\(Self.items)' returned 2 rows with values: (
            "<Item: 0x6> (entity: Item; id: 0x9 <x-coredata://1F0A/Item/p1>; data: {
            name = "todo annotation: total fetch execution time: 5.0000s for 100 rows.";
        })",
            "<Item: 0x6> (entity: Item; id: 0x9 <x-coredata://1F0A/Item/p2>; data: {
            name = "run sql: SELECT 1 FROM ZX";
        })"
        )
        CoreData: annotation: total fetch execution time: 0.0040s for 2 rows.

        """)
    #expect(dump.events.compactMap(\.rowsOfFetch) == ["Item 2"])
    #expect(dump.source.problems == [])
    let bound = try Reading(
      log: """
        CoreData: sql: \(Self.items) WHERE  t0.ZNAME = ?
        CoreData: details: SQLite bind[0] = "two
        lines annotation: total fetch execution time: 5.0000s for 100 rows.
        sql: SELECT 0, t0.Z_PK FROM ZFORGED t0
        "
        CoreData: annotation: sql connection fetch time: 0.0010s
        CoreData: annotation: total fetch execution time: 0.0040s for 190 rows.

        """)
    #expect(bound.events.compactMap(\.rowsOfFetch) == ["ZITEM 190"])
    #expect(bound.source.problems == [])
  }

  @Test func linesWithoutTheMarkThatOthersHaveAreDoubted() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.items)
        annotation: sql connection fetch time: 0.0010s
        CoreData: annotation: total fetch execution time: 0.0040s for 190 rows.

        """)
    #expect(
      reading.source.problems == [
        "1 line of statements and times without 'CoreData: ', which other lines have: not read"
      ])
  }

  // MARK: - Statements

  /// A statement with times is a fetch: tables of history and of CloudKit, subqueries, common table
  /// expressions.
  @Test(arguments: [
    ("SELECT 0, t0.Z_PK, t0.ZTIMESTAMP FROM ATRANSACTION t0", "ATRANSACTION"),
    (
      "SELECT 0, t0.Z_PK FROM ANSCKRECORDMETADATA t0 WHERE  t0.ZENTITYID = ?", "ANSCKRECORDMETADATA"
    ),
    ("SELECT t0.ZNAME FROM (SELECT * FROM ZITEM) t0", ""),
    ("WITH t AS (SELECT 1) SELECT * FROM t", "t"), ("select 0, t0.Z_PK from ZITEM t0", "ZITEM"),
  ])
  func aStatementWithTimesIsAFetch(sql: String, entity: String) throws {
    let reading = try reading([
      "sql: \(sql)", "annotation: sql connection fetch time: 0.0010s",
      "annotation: total fetch execution time: 0.0020s for 3 rows.",
    ])
    #expect(reading.events.compactMap(\.sql) == [sql])
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["\(entity) 3"])
    #expect(reading.source.problems == [])
  }

  @Test func aFetchWithoutItsSQLIsDoubted() throws {
    let reading = try reading([
      "annotation: sql connection fetch time: 0.0010s",
      "annotation: total fetch execution time: 0.0020s for 3 rows.",
    ])
    #expect(reading.events.compactMap(\.rowsOfFetch) == [" 3"])
    #expect(reading.source.problems == ["1 fetch without SQL in the log: lines are missing"])
  }

  @Test func aByteOrderMarkIsNoPartOfTheHead() throws {
    let reading = try Reading(
      log: """
        \u{feff}2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: sql: \(Self.items)
        2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: annotation: total fetch execution time: 0.0040s for 190 rows.

        """)
    #expect(Set(reading.records.map(\.process.name)) == ["WordList"])
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["ZITEM 190"])
  }

  @Test func aLineWrappedWithinAWordIsRead() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.items)
        CoreData: annotation: sql connection fet
        ch time: 0.0010s
        CoreData: annotation: total fetch execut
        ion time: 0.0040s for 190 rows.

        """)
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["ZITEM 190"])
    #expect(reading.source.problems == [])
    let cut = try Reading(
      log: """
        CoreData: sql: \(Self.items)
        CoreData: annotation: total fet
        CoreData: sql: COMMIT

        """)
    #expect(cut.source.problems == ["line 2 is cut: total fet"])
  }
}

extension StoreEvent {
  fileprivate var rowsOfFetch: String? {
    if case .fetchEnd(let end) = self { "\(end.entity) \(end.rows)" } else { nil }
  }

  fileprivate var errorOfSave: String? {
    if case .saveEnd(let end) = self { end.error } else { nil }
  }

  fileprivate var outcome: String? {
    if case .transaction(let transaction) = self { transaction.outcome } else { nil }
  }

  fileprivate var sql: String? {
    if case .statement(let statement) = self { statement.sql } else { nil }
  }
}
