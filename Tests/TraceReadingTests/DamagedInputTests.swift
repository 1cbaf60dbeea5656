// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Damaged at random, an input returns events, a report or an error: never a trap, never a hang.
///
/// `DAMAGE_ROUNDS=100000` looks longer.
@Suite(.endsWhenStuck)
struct DamagedInputTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["DAMAGE_ROUNDS"].flatMap(Int.init) ?? 2000

  @Test func damagedLogsAreReadOrRefused() throws {
    let directory = try TemporaryDirectory()
    let url = directory.url.appending(path: "store.log")
    var samples = EventSamples(seed: 30)
    var log = LogBuilder(utcOffset: 3_600_000_000_000)
    log.open(transit, at: noon)
    for record in samples.records(24) where record.event.kind != .statement { log.add(record) }
    let text = Array(log.text.utf8)
    var events: UInt64 = 0
    for round in 0..<Self.rounds {
      var damage = Damage(seed: UInt64(round))
      try Data(damage.damaged(text)).write(to: url)
      events += Self.eventsRead(directory.path("store.log"))
    }
    // Most lines stay whole, so a reader that stops at the first damage fails here.
    #expect(events > UInt64(Self.rounds) * 12)
  }

  @Test func damagedLogsOfCoreDataAreReadOrRefused() throws {
    let directory = try TemporaryDirectory()
    let url = directory.url.appending(path: "core.log")
    let fetch = """
      2022-01-05 10:00:00.000 Notes[1:7] CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0
      2022-01-05 10:00:00.001 Notes[1:7] CoreData: annotation: sql connection fetch time: 0.0001s
      2022-01-05 10:00:00.002 Notes[1:7] CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.

      """
    let text = Array(String(repeating: fetch, count: 6).utf8)
    var events: UInt64 = 0
    for round in 0..<Self.rounds {
      var damage = Damage(seed: UInt64(round))
      try Data(damage.damaged(text)).write(to: url)
      events += Self.eventsRead(directory.path("core.log"))
    }
    #expect(events > UInt64(Self.rounds) * 6)
  }

  @Test(arguments: [false, true])
  func damagedTracesAreReadOrRefused(packetizesMetadata: Bool) throws {
    let directory = try TemporaryDirectory()
    var samples = EventSamples(seed: 31)
    var options = TraceBuilder.Options()
    options.packetSize = 1024
    options.packetizesMetadata = packetizesMetadata
    var trace = TraceBuilder(options: options)
    for (index, record) in samples.records(48).enumerated() {
      trace.add(record, stream: index % 2)
    }
    try trace.write(to: directory.url)
    var events: UInt64 = 0
    for round in 0..<(Self.rounds / 4) {
      var damage = Damage(seed: UInt64(round))
      let file = directory.url.appending(path: ["channel_0", "channel_1", "metadata"][round % 3])
      let whole = try Data(contentsOf: file)
      try Data(damage.damaged(Array(whole))).write(to: file)
      events += Self.eventsRead(directory.url.path)
      try whole.write(to: file)
    }
    #expect(events > UInt64(Self.rounds))
  }

  /// The report counts exactly the events that were given.
  private static func eventsRead(_ path: String) -> UInt64 {
    var given: UInt64 = 0
    do {
      let report = try TraceReader.read([path]) { _ in given += 1 }
      #expect(report.sources.map(\.eventsRead) == [given])
    } catch {
      #expect(given == 0 && error is TraceReadingError)
    }
    return given
  }
}
