// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Core Data's own log, line by line; the logs are written here, after the forms of each era.
struct CoreDataLogTests {
  private static let notes = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZNOTE t0"

  @Test func aFetchIsItsLines() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes) WHERE  t0.ZTITLE = ?  LIMIT 100
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.

        """)
    #expect(
      reading.events.map(\.brief) == [
        "statement \(Self.notes) WHERE  t0.ZTITLE = ?  LIMIT 100",
        "begin 1 ZNOTE", "end 1 ZNOTE objects 190 rows 100000/400000 limit 100",
      ])
    #expect(reading.source.kind == .coreDataLog)
    #expect(reading.source.eventsRead == 3)
    #expect(reading.source.unrecognizedLines == 0)
    #expect(reading.source.problems.isEmpty)
    #expect(reading.source.remarks.contains { $0.contains("no callers") })
    #expect(reading.records.map(\.timestamp) == reading.records.map(\.timestamp).sorted())
    #expect(reading.records.map(\.timestamp.magnitude).max() ?? 0 >= 400_000)
  }

  /// Each bracket may be that of the process: the square of this line's length would be hours.
  @Test(.endsWhenStuck) func aLineOfBracketsIsReadOnce() throws {
    let brackets = String(repeating: "[", count: 4 << 20)
    let reading = try Reading(
      log: "2011-03-02 09:10:11.125 \(brackets) CoreData: sql: \(Self.notes)\n")
    #expect(reading.source.unrecognizedLines == 0)
    #expect(reading.events.map(\.brief).last == "end 1 ZNOTE objects 0 rows 0/0")
  }

  // MARK: - Eras

  /// 2009 to 2011, 2013, 2014: the heads of NSLog, and their process and thread.
  @Test(arguments: [
    ("2011-03-02 09:10:11.125 Notes[512:207] ", 512 as Int64, 207 as Int64),
    ("2013-06-10 09:10:11.125 Notes[3913:c07] ", 3913, 0xc07),
    ("2014-07-31 09:10:11.125 My Notes[73416:2971038] ", 73416, 2_971_038),
    ("2019-05-10 09:10:11.125678+0200 Notes[4567:89012] [sql] ", 4567, 89012),
    (
      "2024-01-05 09:10:11.125 Df Notes[4567:1a2b] (CoreData) [com.apple.coredata:sql] ", 4567,
      0x1a2b
    ),
    (
      "2024-01-05 09:10:11.125678+0200 0x1a2b     Default     0x0                  4567   0    "
        + "Notes: (CoreData) [com.apple.coredata:sql] ", 4567, 0x1a2b
    ),
  ])
  func headsReportTimeProcessAndThread(head: String, process: Int64, thread: Int64) throws {
    let reading = try Reading(
      log: """
        \(head)CoreData: sql: \(Self.notes)
        \(head)CoreData: annotation: sql connection fetch time: 0.4789s.
        \(head)CoreData: annotation: total fetch execution time: 0.5s for 1 rows.

        """)
    let end = try #require(reading.records.last)
    #expect(end.event.brief == "end 1 ZNOTE objects 1 rows 478900000/500000000")
    #expect(end.process.id == process)
    #expect(end.process.name == (head.contains("My") ? "My Notes" : "Notes"))
    #expect(end.threadID == thread)
    let second = head.contains("+0200") ? 7 : 9
    #expect(end.timestamp / 1_000_000 % 86_400_000 == Int64(second * 3600 + 611) * 1000 + 125)
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func theOldestEraSearchesWithItsFunctions() throws {
    let sql =
      "\(Self.notes) WHERE NSCoreDataStringSearch( t0.ZTITLE, ?, 8, 0) ORDER BY t0.ZTITLE "
      + "COLLATE NSCollateLocaleSensitive "
    let reading = try Reading(
      log: """
        2010-03-02 09:10:11.125 Notes[512:207] CoreData: sql: pragma cache_size=1000
        2010-03-02 09:10:11.125 Notes[512:207] CoreData: annotation: sql execution time: 0.0002s
        2010-03-02 09:10:11.126 Notes[512:207] CoreData: sql: SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA
        2010-03-02 09:10:11.127 Notes[512:207] CoreData: sql: \(sql)
        2010-03-02 09:10:11.130 Notes[512:207] CoreData: annotation: sql connection fetch time: 0.0021s
        2010-03-02 09:10:11.131 Notes[512:207] CoreData: annotation: total fetch execution time: 0.0034s for 12 rows.

        """)
    #expect(
      reading.events.map(\.brief) == [
        "statement \(sql.dropLast())", "begin 1 ZNOTE",
        "end 1 ZNOTE objects 12 rows 2100000/3400000",
      ])
    #expect(reading.records.last.map { $0.timestamp - reading.records[0].timestamp } == 4_000_000)
  }

  @Test func levelTwoNamesTheEntityAndBinds() throws {
    let sql = "SELECT 0, t0.Z_PK FROM ZPERSON t0 WHERE  t0.ZAGE > ?"
    func log(_ bind: String) -> String {
      """
      CoreData: sql: \(sql)
      CoreData: details: SQLite bind[0] = \(bind)
      CoreData: annotation: sql connection fetch time: 0.0010s
      CoreData: annotation: fetch using NSSQLiteStatement <0x60800009f0f0> on entity 'Person' with sql text '\(sql)' returned 7 rows
      CoreData: annotation: total fetch execution time: 0.0030s for 7 rows.

      """
    }
    let reading = try Reading(log: log("18") + log("18") + log("\"s\""))
    let ends = reading.events.compactMap(\.fetchEnd)
    #expect(ends.map(\.entity) == ["Person", "Person", "Person"])
    #expect(ends.map(\.kind) == [.ids, .ids, .ids])
    #expect(ends[0].bindHash == ends[1].bindHash)
    #expect(ends[0].bindHash != ends[2].bindHash)
    #expect(ends[0].bindHash != 0)
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func levelThreeAndFourListObjectsAndPlans() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0010s
        CoreData: annotation: fetch using NSSQLiteStatement <0x6000021c8190> on entity 'Note' with sql text '\(Self.notes)' returned 2 rows with values: (
            "<NSManagedObject: 0x600000c8a2b0> (entity: Note; id: 0x9f0f1c64a0d1 x-coredata://1F0A/Note/p1 ; data: <fault>)",
            "<NSManagedObject: 0x600000c8a300> (entity: Note; id: 0x9f0f1c64a0d3 <x-coredata://1F0A/Note/p2> ; data: <fault>)"
        )
        CoreData: annotation: total fetch execution time: 0.0030s for 2 rows.
        CoreData: details: SQLite: EXPLAIN QUERY PLAN \(Self.notes)
        0|0|0|SCAN TABLE ZNOTE AS t0 (~6944 rows)
        QUERY PLAN
        `--SCAN t0
        CoreData: sql: SELECT COUNT(*) FROM ZNOTE
        CoreData: annotation: total count request execution time: 0.0528s for count of 10456.
        CoreData: annotation: count request <NSFetchRequest: 0x600> (entity: Note; predicate: ((null)); sortDescriptors: ((null)); type: NSCountResultType; ) returned 10456

        """)
    #expect(
      reading.events.map(\.brief).filter { $0.hasPrefix("end") } == [
        "end 1 Note objects 2 rows 1000000/3000000",
        "end 2 Note count 10456 rows 52800000/52800000",
      ])
    #expect(reading.source.unrecognizedSamples == [])
  }

  /// SwiftData, 2023 on: probes of its tables, a store opened, a batch by key.
  @Test func theLatestEraOpensAStore() throws {
    let batch =
      "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZITEM t0 WHERE  t0.Z_PK IN (SELECT * FROM _Z_intarray0)   "
      + "LIMIT 20"
    let reading = try Reading(
      log: """
        CoreData: annotation: Connecting to sqlite database file at "/Users/me/Library/Application Support/default.store"
        CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'Z_METADATA'
        CoreData: sql: pragma recursive_triggers=1
        CoreData: annotation: sql execution time: 0.0000s
        CoreData: sql: pragma journal_mode=wal
        CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'ACHANGE'
        CoreData: annotation: Bound intarray _Z_intarray0
        CoreData: annotation: Bound intarray values.
        CoreData: sql: \(batch)
        CoreData: annotation: sql connection fetch time: 0.0002s
        CoreData: annotation: total fetch execution time: 0.0004s for 20 rows.
        CoreData: sql: SELECT Z_PK, ZPLAYLIST FROM ZCHANNEL WHERE ZPLAYLIST IN (1)
        CoreData: annotation: sql connection fetch time: 0.0002s
        CoreData: annotation: total fetch execution time: 0.0003s for 3 rows.
        CoreData: debug: Remote Change Notification - registered core observer for 1F0A

        """)
    #expect(
      reading.events.map(\.brief).filter { !$0.hasPrefix("statement") } == [
        "open /Users/me/Library/Application Support/default.store wal", "begin 1 ZITEM",
        "end 1 ZITEM batch 20 rows 200000/400000 limit 20", "begin 2 ZCHANNEL",
        "end 2 ZCHANNEL prefetch 3 rows 200000/300000",
      ])
    #expect(reading.source.unrecognizedLines == 0)
  }

  // MARK: - Nesting and faults

  @Test func aPrefetchNestsInTheFetchItServes() throws {
    let inner =
      "SELECT 0, t0.Z_PK, t0.ZNOTE FROM ZATTACHMENT t0 WHERE  t0.ZNOTE IN "
      + "(SELECT * FROM _Z_intarray0) "
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0012s
        CoreData: annotation: Bound intarray _Z_intarray0
        CoreData: annotation: Bound intarray values.
        CoreData: sql: \(inner)
        CoreData: annotation: sql connection fetch time: 0.0014s
        CoreData: annotation: total fetch execution time: 0.0024s for 1581 rows.
        CoreData: annotation: Prefetching with key 'attachments'.  Got 1581 rows.
        CoreData: annotation: total fetch execution time: 0.0053s for 190 rows.

        """)
    #expect(
      reading.events.map(\.brief) == [
        "statement \(Self.notes)", "begin 1 ZNOTE", "statement \(inner.dropLast())",
        "begin 2 ZATTACHMENT in 1", "end 2 ZATTACHMENT prefetch 1581 rows 1400000/2400000",
        "end 1 ZNOTE objects 190 rows 1200000/5300000",
      ])
  }

  @Test func theLineAfterAFetchMakesItAFault() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0002s for 2 rows.
        CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZAUTHOR t0 WHERE  t0.Z_PK = ?
        CoreData: annotation: sql connection fetch time: 0.0003s
        CoreData: annotation: total fetch execution time: 0.0005s for 1 rows.
        CoreData: annotation: fault fulfilled from database for : 0xd000000000100002 <x-coredata://9A1C/Author/p4>
        CoreData: sql: SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE  t0.ZNOTE = ?
        CoreData: annotation: sql connection fetch time: 0.0003s
        CoreData: annotation: total fetch execution time: 0.0006s for 0 rows.
        CoreData: annotation: to-many relationship fault "tags" for objectID 0xd000 <x-coredata://9A1C/Note/p1> fulfilled from database.  Got 0 rows

        """)
    #expect(
      reading.events.map(\.brief).filter { !$0.hasPrefix("statement") } == [
        "begin 1 ZNOTE", "end 1 ZNOTE objects 2 rows 100000/200000",
        "miss Author/4 500000 origin 1", "fault Author/4 1 rows 500000 origin 1",
        "miss Note/1.tags 600000 origin 1", "fault Note/1.tags 0 rows 600000 origin 1",
      ])
    #expect(reading.events.count { $0.kind == .statement } == 3)
  }

  @Test func aSaveIsTwoTransactions() throws {
    let head = "2022-01-05 10:00:00.000 Notes[1:2] CoreData: "
    let late = "2022-01-05 10:00:00.030 Notes[1:2] CoreData: "
    let reading = try Reading(
      log: """
        \(head)sql: BEGIN EXCLUSIVE
        \(head)sql: SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?
        \(head)sql: UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?
        \(head)sql: pragma auto_vacuum
        \(head)annotation: sql execution time: 0.0001s
        \(head)sql: COMMIT
        \(head)sql: BEGIN EXCLUSIVE
        \(head)sql: INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES(?, ?, ?, ?)
        \(head)details: SQLite bind[0] = 1
        \(head)sql: INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES(?, ?, ?, ?)
        \(head)sql: UPDATE ZAUTHOR SET ZNAME = ?, Z_OPT = ? WHERE Z_PK=? AND Z_OPT=?
        \(head)sql: INSERT OR REPLACE INTO Z_1TAGS(Z_1NOTES, Z_2TAGS) VALUES (1, 2)
        \(head)sql: DELETE FROM ZMESSAGE WHERE Z_PK = ? AND Z_OPT = ?
        \(late)sql: COMMIT
        \(late)sql: pragma page_count
        \(late)annotation: sql execution time: 0.0001s
        \(late)sql: pragma freelist_count
        \(late)annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE)\u{20}

        """)
    #expect(
      reading.events.map(\.brief) == [
        "commit 0", "save 1 begins", "commit 1",
        "save 1: 2 inserted, 1 updated, 1 deleted, 12 statements, 30000000",
        "checkpoint truncate",
      ])
    #expect(reading.source.unrecognizedSamples == [])
  }

  @Test func aFailureIsTheStatements() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: SELECT 0, t0.Z_PK FROM ZHABIT t0
        CoreData: error: (1) I/O error for database at /p.  SQLite error code:1, 'no such table: ZHABIT'
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0002s for 2 rows.
        CoreData: sql: BEGIN EXCLUSIVE
        CoreData: sql: DELETE FROM ZNOTE WHERE Z_PK = ? AND Z_OPT = ?
        CoreData: sql: ROLLBACK

        """)
    let ends = reading.events.compactMap(\.fetchEnd)
    #expect(ends.map(\.error) == ["no such table: ZHABIT", ""])
    #expect(reading.source.remarks.contains { $0.contains("line 2: SQLite failed: no such table") })
    guard case .saveEnd(let save) = reading.events.last else {
      Issue.record("no save at the end")
      return
    }
    #expect(save.error == "rolled back")
    #expect(save.deleted == 1)
  }

  /// Some belong to no statement of the log: they are counted, and shown with their text.
  @Test(arguments: ["CoreData: error: ", "error: "])
  func errorsAreCountedAndShown(prefix: String) throws {
    let reading = try Reading(
      log: """
        \(prefix)(1) I/O error for database at /p.  SQLite error code:1, 'no such table: ZHABIT'
        CoreData: error: Failed to load model named Habits
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0002s for 2 rows.

        """)
    #expect(reading.source.unrecognizedLines == 0)
    #expect(
      reading.source.remarks.prefix(2) == [
        "line 1: SQLite failed: no such table: ZHABIT",
        "line 2: Core Data failed: Failed to load model named Habits",
      ])
    #expect(reading.source.failures == ["Core Data logged 2 errors without a statement in the log"])
  }

  @Test func aCountInADictionaryIsAFetch() throws {
    let sql = "SELECT COUNT( t1.Z_PK) FROM ZNOTE t0 LEFT OUTER JOIN ZTAG t1 ON t0.Z_PK = t1.ZNOTE"
    let reading = try Reading(
      log: """
        CoreData: sql: \(sql)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0004s for 1 rows.
        CoreData: sql: SELECT COUNT( DISTINCT t0.Z_PK) FROM ZNOTE t0
        CoreData: annotation: total count request execution time: 0.0002s for count of 99.

        """)
    #expect(
      reading.events.compactMap(\.fetchEnd).map(\.brief) == [
        "dictionaries 1 rows 100000/400000", "count 99 rows 200000/200000",
      ])
  }

  @Test func aLineOfLevelTwoIsAFetchWithItsRows() throws {
    func line(_ entity: String, _ table: String, _ rows: Int) -> String {
      "CoreData: annotation: fetch using NSSQLiteStatement <0x60000> on entity '\(entity)' with sql "
        + "text 'SELECT 0, t0.Z_PK FROM \(table) t0 ' returned \(rows) rows"
    }
    let reading = try Reading(
      log: """
        \(line("Note", "ZNOTE", 190))
        \(line("Tag", "ZTAG", 7))
        CoreData: annotation: total fetch execution time: 0.0004s for 7 rows.
        CoreData: sql: SELECT 0, t0.Z_PK FROM ZTAG t0
        CoreData: annotation: sql connection fetch time: 0.0001s
        \(line("Tag", "ZTAG", 8))
        CoreData: annotation: total fetch execution time: 0.0005s for 8 rows.
        CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0
        CoreData: annotation: sql connection fetch time: 0.0001s
        \(line("Note", "ZNOTE", 191))

        """)
    let ends = reading.events.compactMap(\.fetchEnd)
    #expect(ends.map(\.entity) == ["Note", "Tag", "Tag", "Note"])
    #expect(
      ends.map(\.brief) == [
        "ids 190 rows 0/0", "ids 7 rows 400000/400000", "ids 8 rows 100000/500000",
        "ids 191 rows 100000/100000",
      ])
    #expect(Set(ends.map(\.statementID)).count == 2)
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func aFaultWithACutObjectIsAFault() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes) WHERE  t0.Z_PK = ?
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0002s for 1 rows.
        CoreData: annotation: fault fulfilled from database for : 0xd0000
        CoreData: sql: \(Self.notes) WHERE  t0.Z_PK = ?
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0002s for 1 rows.
        CoreData: annotation: fault fulfilled from database for : 0xd0000
        <x-coredata://9A1C/Note/p4>

        """)
    #expect(
      reading.events.map(\.brief).filter { $0.hasPrefix("fault") } == [
        "fault ZNOTE/0 1 rows 200000 origin 0", "fault Note/4 1 rows 200000 origin 0",
      ])
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func statementsWithoutTimesAreListed() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: sql: SELECT 0, t0.Z_PK FROM ZTAG t0
        CoreData: sql: \(Self.notes)

        """)
    let ends = reading.events.compactMap(\.fetchEnd)
    #expect(ends.map(\.entity) == ["ZNOTE", "ZTAG", "ZNOTE"])
    #expect(reading.source.problems == [])
    let cut = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0002s for 1 rows.
        CoreData: sql: \(Self.notes)

        """)
    #expect(cut.source.problems == ["its last statement lacks its times: the log is cut"])
  }

  @Test func timesWithoutTheirStatementAreKept() throws {
    let reading = try Reading(
      log: """
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.
        CoreData: annotation: total fetch execution time: 0.0003s for 2 rows.
        CoreData: annotation: total count request execution time: 0.0002s for count of 99.

        """)
    #expect(
      reading.events.compactMap(\.fetchEnd).map(\.brief) == [
        "objects 190 rows 100000/400000", "objects 2 rows 300000/300000",
        "count 99 rows 200000/200000",
      ])
    #expect(!reading.events.contains { $0.kind == .statement })
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func threadsAreReadApart() throws {
    func head(_ thread: Int) -> String { "2022-01-05 10:00:00.000 Notes[1:\(thread)] CoreData: " }
    let other = "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZAUTHOR t0"
    let reading = try Reading(
      log: """
        \(head(7))sql: \(Self.notes)
        \(head(8))sql: \(other)
        \(head(7))annotation: sql connection fetch time: 0.0001s
        \(head(8))annotation: sql connection fetch time: 0.0002s
        \(head(7))annotation: total fetch execution time: 0.0003s for 3 rows.
        \(head(8))annotation: total fetch execution time: 0.0004s for 4 rows.
        \(head(7))annotation: fault fulfilled from database for : 0x1 <x-coredata://9A1C/Note/p4>

        """)
    #expect(
      Set(reading.events.map(\.brief)).isSuperset(of: [
        "miss Note/4 300000 origin 0", "end 2 ZAUTHOR objects 4 rows 200000/400000",
      ]))
    #expect(!reading.source.remarks.contains { $0.contains("another one ran") })
    #expect(Set(reading.records.map(\.threadID)) == [7, 8])
  }

  @Test func interleavedThreadsWithoutIdsAreReported() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: sql: SELECT 0, t0.Z_PK, t0.ZNAME FROM ZAUTHOR t0
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0003s for 3 rows.
        CoreData: annotation: sql connection fetch time: 0.0002s
        CoreData: annotation: total fetch execution time: 0.0004s for 4 rows.

        """)
    #expect(reading.events.compactMap(\.fetchEnd).map(\.rows) == [3, 4])
    #expect(reading.source.problems.map { $0.prefix(19) } == ["lines of 1 fetch st"])
  }

  // MARK: - As people paste it

  @Test(arguments: ["CoreData: ", "oreData: ", "ata: ", "", "[Notes] ", "\u{1b}[36mCoreData: "])
  func prefixesMayBeCut(prefix: String) throws {
    let reading = try Reading(
      log: """
        \(prefix)sql: \u{1b}[0;35m\(Self.notes)\u{1b}[0m
        \(prefix)annotation: sql connection fetch time: 0.0001s
        \(prefix)annotation: total fetch execution time: 0.0004s for 190 rows.

        """)
    #expect(reading.events.map(\.brief).last == "end 1 ZNOTE objects 190 rows 100000/400000")
    #expect(reading.source.unrecognizedSamples == [])
  }

  @Test func wrappedLinesAreJoined() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT,
        t0.ZTITLE FROM ZNOTE t0 WHERE ( t0.ZTITLE = ?
        AND  t0.ZDONE = ?) ORDER BY
        t0.ZTITLE
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution
        time: 0.0004s for 190 rows.

        """)
    #expect(
      reading.events.map(\.brief) == [
        "statement SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZNOTE t0 WHERE ( t0.ZTITLE = ? "
          + "AND  t0.ZDONE = ?) ORDER BY t0.ZTITLE",
        "begin 1 ZNOTE", "end 1 ZNOTE objects 190 rows 100000/400000",
      ])
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func unrecognizedLinesAreCountedAndShown() throws {
    let reading = try Reading(
      log: """
        CoreData: annotation: Prefetching with key 'attachments'.  Got 1581 rows.
        CoreData: sql: \(Self.notes)
        Loaded the first page: 20 notes
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.
        CoreData: annotation: moon phase: waxing
        CoreData: details: SQLite phase[0] = 3
        2022-01-05 10:00:00.000 Notes[1:7] network error: timed out

        """)
    #expect(reading.source.unrecognizedLines == 5)
    #expect(
      reading.source.unrecognizedSamples.map { String($0.prefix(7)) }
        == ["line 1:", "line 3:", "line 6:", "line 7:", "line 8:"])
    #expect(reading.source.failures == nil)
    #expect(reading.source.unrecognizedSamples[2].contains("moon phase"))
    #expect(reading.events.compactMap(\.fetchEnd).count == 1)
  }

  @Test func aLogCutInAFetchHasAFetchWithoutAnEnd() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0004s for 1
        """)
    #expect(
      reading.events.map(\.brief).suffix(2)
        == ["end 1 ZNOTE objects 190 rows 100000/400000", "begin 2 ZNOTE"])
    #expect(reading.source.problems.count == 1)
  }

  @Test func aLastLineWithoutItsLineFeedIsReadIfItIsWhole() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: \(Self.notes)
        CoreData: annotation: sql connection fetch time: 0.0001s
        CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.
        """)
    #expect(reading.events.compactMap(\.fetchEnd).map(\.rows) == [190])
    #expect(reading.source.problems == [])
  }

  @Test func statementsWithoutEndsDoNotPileUp() throws {
    let reading = try Reading(
      log: (0..<5000).map { "CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0 LIMIT \($0)\n" }
        .joined())
    #expect(reading.events.count { $0.kind == .fetchBegin } == 5000)
  }
}

extension FetchEnd {
  fileprivate var brief: String { "\(kind.rawValue) \(rows) rows \(connectionTime)/\(totalTime)" }
}

extension StoreEvent {
  fileprivate var fetchEnd: FetchEnd? { if case .fetchEnd(let end) = self { end } else { nil } }

  /// The event in a few words.
  fileprivate var brief: String {
    switch self {
    case .storeOpened(let store): "open \(store.path) \(store.journalMode)"
    case .statement(let statement): "statement \(statement.sql)"
    case .fetchBegin(let fetch):
      "begin \(fetch.fetchID) \(fetch.entity)" + (fetch.parentID > 0 ? " in \(fetch.parentID)" : "")
    case .fetchEnd(let fetch):
      "end \(fetch.fetchID) \(fetch.entity) \(fetch.kind.rawValue) \(fetch.rows) rows "
        + "\(fetch.connectionTime)/\(fetch.totalTime)"
        + (fetch.limit > 0 ? " limit \(fetch.limit)" : "")
    case .fault(let fault):
      "fault \(fault.entity)/\(fault.pk)\(fault.relationship.isEmpty ? "" : "." + fault.relationship)"
        + " \(fault.rows) rows \(fault.duration) origin \(fault.originFetchID)"
    case .cacheMiss(let miss):
      "miss \(miss.entity)/\(miss.pk)\(miss.relationship.isEmpty ? "" : "." + miss.relationship)"
        + " \(miss.duration) origin \(miss.originFetchID)"
    case .saveBegin(let save): "save \(save.saveID) begins"
    case .saveEnd(let save):
      "save \(save.saveID): \(save.inserted) inserted, \(save.updated) updated, "
        + "\(save.deleted) deleted, \(save.statements) statements, \(save.totalTime)"
    case .transaction(let transaction): "\(transaction.outcome) \(transaction.saveID)"
    case .checkpoint(let checkpoint): "checkpoint \(checkpoint.mode)"
    case .values(let values): "values \(values.values)"
    case .contextCreated, .busy, .counters, .statementIO, .commitIO, .connectionOpened,
      .connectionClosed, .copyNotObserved, .databaseFileTouched,
      .caller, .statementRun:
      name
    }
  }
}
