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
  func givesEveryEventBackAsItWas(level: DebugLog.Level) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store.log")
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    var samples = EventSamples(seed: 40)
    let records = samples.records(120)
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
    var announced: Set<StoreEvent> = []
    #expect(
      reading.events
        == records.map(\.event).filter { $0.kind != .statement || announced.insert($0).inserted })
    #expect(
      reading.records.filter { $0.event.kind != .statement }.map(\.contextID)
        == records.filter { $0.event.kind != .statement }.map(\.contextID))
    #expect(Set(reading.records.map(\.process.id)) == [Int64(getpid())])
    #expect(reading.source.unrecognizedSamples == [])
    #expect(reading.source.problems == [])
  }
}
