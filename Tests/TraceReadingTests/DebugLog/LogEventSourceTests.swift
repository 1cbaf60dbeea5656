// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

struct LogEventSourceTests {
  private let head = "2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore:"
  private let opened = """
    2026-11-21 14:12:28.000001 transit[2367:2367] ObjectStore: annotation: log opened: \
    vocabulary=1 utc_offset=+01:00 level=1

    """

  @Test(arguments: [0, 3600, -12_600] as [Nanoseconds])
  func returnsEveryEventBackAsItWas(offsetInSeconds: Nanoseconds) throws {
    var samples = EventSamples(seed: 7)
    let records = samples.records(600)
    var log = LogBuilder(utcOffset: offsetInSeconds * 1_000_000_000)
    log.open(transit, at: noon)
    for record in records { log.add(record) }
    let reading = try Reading(log: log.text)
    var announced: Set<StoreEvent> = []
    #expect(
      reading.records
        == records.filter { $0.event.kind != .statement || announced.insert($0.event).inserted })
    #expect(reading.source.unrecognizedLines == 0)
    #expect(reading.source.problems == [])
    #expect(reading.source.kind == .log)
  }

  @Test func aFaultLineOfCoreDataIsARemark() throws {
    var log = LogBuilder()
    log.open(transit, at: noon)
    var samples = EventSamples(seed: 41)
    let record = try #require(samples.records(24).first { $0.event.kind == .fault })
    log.add(record)
    let remark =
      "2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore: annotation: "
      + "fault fulfilled from database for : <x-coredata:///Stop/p12>\n"
    let reading = try Reading(log: log.text + remark)
    #expect(reading.events == [record.event])
    #expect(reading.source.unrecognizedSamples == [])
  }

  @Test func readsTheTimeInTheZoneOfTheLog() throws {
    let reading = try Reading(log: opened + "\(head) annotation: busy store_id=4\n")
    // date -u -d '2026-11-21 13:12:28' +%s
    #expect(reading.records.map(\.timestamp) == [1_795_266_748_633_104_000])
    #expect(reading.records.map(\.threadID) == [2370])
    #expect(reading.source.problems == [])
  }

  @Test func announcesAStatementOnceAProcess() throws {
    let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = 'a\\nb'"
    let lines = """
      \(head) sql: \(sql)
      \(head) sql: \(sql)
      2026-11-21 14:12:29.000000 other[9:9] ObjectStore: sql: \(sql)

      """
    let reading = try Reading(log: opened + lines)
    let text = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = 'a\nb'"
    let statement = StatementAnnounced(storeID: 0, statementID: StatementID(sql: text), sql: text)
    #expect(reading.events == [.statement(statement), .statement(statement)])
    #expect(reading.records.map(\.process.name) == ["transit", "other"])
  }

  @Test func recognizesTheLinesMadeForPeople() throws {
    let lines = """
      \(head) annotation: sql connection fetch time: 0.000812s
      \(head) annotation: total fetch execution time: 0.001304s for 15 rows.
      \(head) annotation: Prefetching with key 'stopTimes'.  Got 15 rows.
      \(head) details: SQLite bind[0] = (double)13.4
      \(head) details: |--SCAN t0
      \(head) warning: reads every row of ZSTOP
      \(head) error: (5) database is locked
      \(head) warning: 12 lines of this log were lost: they could not be written
      \(head) annotation: busy store_id=1 attempts=2

      """
    let reading = try Reading(log: opened + lines)
    #expect(reading.events.map(\.kind) == [.busy])
    #expect(reading.source.unrecognizedLines == 0)
    #expect(reading.source.eventsLost == 12)
  }

  @Test func countsUnknownLines() throws {
    let lines = """
      Listening on port 8080
      \(head) gossip: what is this
      \(head) annotation: cache_trimmed context_id=1 rows=5
      \(head) annotation: fault entity="Stop" source="database" rows=many
      \(head) annotation: fault entity="Stop
      \(head) annotation: fault entity="Stop" rows=18446744073709551616
      \(head) annotation: fetch_end kind="guess"
      \(head) annotation: fault entity="Stop" source="row cache"

      """
    let reading = try Reading(log: opened + lines)
    #expect(reading.source.unrecognizedLines == 7)
    #expect(reading.source.unrecognizedSamples.count == 5)
    #expect(
      reading.source.unrecognizedSamples[0]
        == "line 2: not a log line: Listening on port 8080")
    #expect(
      reading.source.unrecognizedSamples[3].hasPrefix("line 5: field 'rows' cannot be 'many'"))
    #expect(reading.events.map(\.kind) == [.fault])
  }

  @Test func readsFieldsOfAnotherVocabularyByName() throws {
    let line = #"\#(head) annotation: fault rows=3 mood="so=so" entity="Stop" context_id=2 pk=-1"#
    let reading = try Reading(log: opened + line + #" source="database""# + "\n")
    guard case .fault(let fault) = try #require(reading.events.first) else { return }
    #expect(fault.entity == "Stop" && fault.rows == 3 && fault.pk == -1)
    #expect(reading.records.map(\.contextID) == [2])
  }

  @Test func takesARemarkForNoEvent() throws {
    let remark = "\(head) annotation: fault fulfilled from database for : <x-coredata:///Stop/p12>"
    let reading = try Reading(log: opened + remark + "\n\(head) annotation: busy\n")
    #expect(reading.events.map(\.kind) == [.busy])
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func doesNotUseACutLine() throws {
    let line = #"\#(head) annotation: fault entity="Stop" source="database" rows=12"#
    let reading = try Reading(log: opened + line + "34\n" + line)
    #expect(reading.events.count == 1)
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].hasPrefix("line 3, the last one, is cut"))
  }

  @Test func stripsColoursAndCarriageReturns() throws {
    let line = #"\#(head) annotation: \#u{1b}[1;31mbusy\#u{1b}[0m store_id=3"#
    let reading = try Reading(log: "\u{1b}[32m" + opened + line + "\r\n")
    #expect(
      reading.events
        == [.busy(BusyWaited(storeID: 3, attempts: 0, waitTime: 0, gaveUp: 0))])
  }

  @Test func aValueForgesNoLine() throws {
    var log = LogBuilder()
    log.open(transit, at: noon)
    let forged = "x\n\(head) annotation: busy store_id=9\n"
    let begin = FetchBegin(
      fetchID: 1, parentID: 0, entity: forged, location: SourceLocation(file: forged, line: 1))
    log.add(
      EventRecord(
        timestamp: noon, process: transit, threadID: 1, contextID: 1, event: .fetchBegin(begin)))
    let reading = try Reading(log: log.text)
    #expect(reading.events == [.fetchBegin(begin)])
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func readsALineLongerThanABlock() throws {
    let sql = "SELECT '" + String(repeating: "z", count: 3 << 20) + "'"
    let reading = try Reading(log: opened + "\(head) sql: \(sql)\n\(head) annotation: busy\n")
    #expect(reading.events.map(\.kind) == [.statement, .busy])
    guard case .statement(let statement) = reading.events[0] else { return }
    #expect(statement.sql == sql && statement.statementID == StatementID(sql: sql))
  }

  @Test func skipsALineWithoutBounds() throws {
    let endless = String(repeating: "z", count: 40 << 20)
    let reading = try Reading(log: opened + "\(head) sql: \(endless)\n\(head) annotation: busy\n")
    #expect(reading.events.map(\.kind) == [.busy])
    #expect(reading.source.problems == ["line 2 is longer than 16 MiB and was not used"])
  }

  @Test func reportsThatItAssumedUTC() throws {
    let reading = try Reading(log: "\(head) annotation: busy\n\(head) annotation: busy\n")
    #expect(reading.events.count == 2)
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].contains("UTC was assumed"))
  }

  @Test func reportsThatTheLogIsOfANewerVersion() throws {
    let newer = opened.replacing(
      "vocabulary=1", with: "vocabulary=\(StoreEvent.vocabularyVersion + 1)")
    let reading = try Reading(log: newer + "\(head) annotation: busy\n")
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].contains("vocabulary \(StoreEvent.vocabularyVersion + 1)"))
  }
}
