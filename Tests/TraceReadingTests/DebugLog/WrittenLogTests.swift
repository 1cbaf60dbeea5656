// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import StoreInstruments
import TestSupport
import Testing
import TraceReading

/// The log as the store writes it, read back.
struct WrittenLogTests {
  @Test(arguments: DebugLog.Level.allCases)
  func returnsEveryEventBackAsItWas(level: DebugLog.Level) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store.log")
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    var samples = EventSamples(seed: 40)
    // The last one is no beginning of a fetch, which is written with the next line.
    let records = samples.records(121)
    do {
      let log = DebugLog(level: level, descriptor: file.fileDescriptor)
      for record in records {
        if case .statement(let statement) = record.event {
          log.willRun(
            sql: statement.sql, bindings: [.text("a\nb"), .null], contextID: record.contextID)
          log.didReturn(
            ["x-coredata:///Stop/p1"], entity: "Stop", sql: statement.sql, contextID: 1)
          log.didExplain(
            sql: statement.sql,
            plan: [PlanLine(id: 2, parent: 0, detail: "SCAN t0", isTableScan: true)], contextID: 1)
          log.annotate("Prefetching with key 'stopTimes'.  Got 15 rows.", contextID: 1)
          log.warn("the fetch at f:9 has a batch size of 10", contextID: 1)
        }
        log.record(record.event, contextID: record.contextID)
      }
    }
    let reading = try Reading(path)
    #expect(reading.events == expected(of: records.map(\.event), level))
    func isBound(_ record: EventRecord) -> Bool {
      if case .values(let values) = record.event { values.values == Self.values } else { false }
    }
    #expect(
      reading.records.filter { $0.event.kind != .statement && !isBound($0) }.map(\.contextID)
        == records.filter { $0.event.kind != .statement }.map(\.contextID))
    #expect(Set(reading.records.map(\.process.id)) == [Int64(getpid())])
    #expect(reading.source.unrecognizedSamples == [])
    #expect(reading.source.problems == [])
  }

  /// Each of two logs in one file has its own lines and its own end.
  @Test func aWrittenLogShowsThatItIsWhole() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store.log")
    for _ in 1...2 {
      let log = try DebugLog(level: .statements, path: path)
      log.record(
        .busy(BusyWaited(storeID: 1, attempts: 3, waitTime: 2000, gaveUp: 0)), contextID: 1)
      for index in 1...3 { log.annotate("remark \(index)", contextID: 1) }
    }
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    #expect(try Reading(log: whole).source.problems == [])
    #expect(try Reading(log: whole).source.unended == nil)
    let lines = whole.split(separator: "\n").map { $0 + "\n" }
    #expect(lines.count == 14)
    for count in 1..<lines.count where count != 7 {
      guard let cut = try? Reading(log: lines.prefix(count).joined()).source else {
        // The first line alone holds no event.
        #expect(count <= 2)
        continue
      }
      #expect(cut.problems.count + (cut.unended?.count ?? 0) == 1, "\(count) lines")
    }
    for index in lines.indices {
      let lacking = try Reading(log: (lines[..<index] + lines[(index + 1)...]).joined()).source
      #expect(!lacking.problems.isEmpty || lacking.unended != nil, "without line \(index)")
    }
    let changed = try Reading(log: whole.replacing("remark 2", with: "remark 7")).source
    #expect(changed.problems.count == 1)
    #expect(changed.problems[0].contains("lines of its log were changed"))
  }

  private static let values = "'a\nb', NULL"

  /// Each statement once, and from level 2 on the values of each of its runs.
  private func expected(of events: [StoreEvent], _ level: DebugLog.Level) -> [StoreEvent] {
    var announced: Set<StoreEvent> = []
    return events.flatMap { event -> [StoreEvent] in
      guard case .statement(let statement) = event else { return [event] }
      let isNew = announced.insert(event).inserted
      let values = ValuesBound(
        storeID: 0, statementID: statement.statementID, values: Self.values)
      return (isNew ? [event] : []) + (level >= .bindings ? [.values(values)] : [])
    }
  }

  @Test func valuesOfALevel2LogAreReadAsTheyWereBound() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store.log")
    let long = String(repeating: "é\"", count: 3000)
    do {
      let log = try DebugLog(level: .bindings, path: path)
      log.willRun(
        sql: "SELECT ?1",
        bindings: [
          .integer(.min), .real(0.1), .text("it's \"a\"\n(cut; 9 bytes)"), .text(long),
          .timestamp(-1.5), .blob(prefix: [0, 255], count: 2),
          .blob(prefix: [UInt8](repeating: 7, count: 64), count: 9000), .null, .text(""),
        ], contextID: 1)
    }
    let reading = try Reading(path)
    guard case .values(let event)? = reading.events.last else {
      Issue.record("no values: \(reading.events)")
      return
    }
    let values = try #require(RecordedValues(text: event.values))
    #expect(event.statementID == StatementID(sql: "SELECT ?1"))
    #expect(
      values.values == [
        .integer(.min), .real(0.1),
        .text("it's \"a\"\n(cut; 9 bytes)", byteCount: 23),
        .text(String(repeating: "é\"", count: 85) + "", byteCount: 9000),
        .real(-1.5), .blob([0, 255], byteCount: 2),
        .blob([UInt8](repeating: 7, count: 32), byteCount: 9000), .null,
        .text("", byteCount: 0),
      ])
  }
}
