// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

/// A line that begins as the one before is not taken apart again.
struct LogLineTests {
  private func line(
    _ time: String, _ process: String = "transit[2367", _ thread: Int = 2367, store: Int
  ) -> String {
    "2026-11-21 \(time) \(process):\(thread)] ObjectStore: annotation: busy store_id=\(store)\n"
  }

  @Test func linesOfSeveralSecondsProcessesAndThreads() throws {
    // date -u -d '2026-11-21 14:12:28' +%s
    let second: Int64 = 1_795_270_348_000_000_000
    let reading = try Reading(
      log: line("14:12:28.000001", store: 1) + line("14:12:28.999999", store: 2)
        + line("14:12:29.000000", store: 3)
        + line("14:12:29.000001", "transit[2367", 2370, store: 4)
        + line("14:12:29.000001", "transit[2368", 2370, store: 5)
        + line("14:12:29.000002", "transit[2367", 2370, store: 6)
        + line("15:12:29.000002", "transit[2367", 2370, store: 7))
    let records = reading.records
    #expect(
      records.map { $0.timestamp - second } == [
        1_000, 999_999_000, 1_000_000_000, 1_000_001_000, 1_000_001_000, 1_000_002_000,
        3_601_000_002_000,
      ])
    #expect(records.map(\.process.id) == [2367, 2367, 2367, 2367, 2368, 2367, 2367])
    #expect(records.map(\.threadID) == [2367, 2367, 2367, 2370, 2370, 2370, 2370])
    let stores = reading.events.compactMap { event -> UInt64? in
      if case .busy(let busy) = event { busy.storeID } else { nil }
    }
    #expect(stores == [1, 2, 3, 4, 5, 6, 7])
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test(arguments: ["14:12:28.00000x", "14:12:28,000001", "14:12:28.00001", "14:12:28."])
  func microsecondsAreSixDigits(time: String) throws {
    let reading = try Reading(log: line("14:12:28.000001", store: 1) + line(time, store: 2))
    #expect(reading.events.count == 1)
    #expect(reading.source.unrecognizedLines == 1)
  }

  @Test func aLineIsNotReadBeyondItsEnd() throws {
    let first = line("14:12:28.000001", store: 1)
    // Each beginning of the line, as a line of its own.
    let cut = first.indices.dropFirst().map { first[..<$0] + "\n" }.joined()
    let reading = try Reading(log: first + cut)
    let isBusy = reading.events.allSatisfy { $0.kind == .busy }
    #expect(isBusy)
    #expect(reading.events.count + Int(reading.source.unrecognizedLines) >= 60)
  }

  @Test func statementsOfOneLengthKeepTheirIDs() throws {
    let texts = (0..<300).map {
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = \(100 + $0 % 150)"
    }
    let log = texts.map {
      "2026-11-21 14:12:28.000001 transit[2367:2367] ObjectStore: sql: \($0)\n"
    }
    let reading = try Reading(log: log.joined())
    let statements = reading.events.compactMap { event in
      if case .statement(let statement) = event { statement } else { nil }
    }
    #expect(statements.map(\.sql) == Array(texts.prefix(150)))
    #expect(statements.map(\.statementID) == texts.prefix(150).map { StatementID(sql: $0) })
  }
}
