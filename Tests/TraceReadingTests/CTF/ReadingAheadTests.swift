// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// A trace is read by one thread and folded by another, with a few batches of some hundred events
/// between them.
@Suite(.endsWhenStuck) struct ReadingAheadTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ records: [EventRecord], to folder: String = "ust", host: String = "berlin")
    throws
  {
    var options = TraceBuilder.Options()
    options.host = host
    options.uuid = "0c6b5b1e-6d1c-4f0e-9c7a-0000000\(String(host.utf8.count + 10_000))"
    var trace = TraceBuilder(options: options)
    for record in records { trace.add(record) }
    try trace.write(to: directory.url.appending(path: folder))
  }

  @Test func returnsAllEventsOfManyBatches() throws {
    var samples = EventSamples(seed: 50)
    let records = samples.records(13 * 500)
    try write(records)
    let reading = try Reading(directory.url.path)
    #expect(reading.events == records.map(\.event))
    #expect(reading.source.eventsRead == 13 * 500)
  }

  @Test func stopsWithTheCallerInTheMiddle() throws {
    struct Enough: Error {}
    var samples = EventSamples(seed: 51)
    try write(samples.records(13 * 500))
    for limit in [1, 700, 3000] {
      var count = 0
      #expect(throws: Enough.self) {
        _ = try TraceReader.read([directory.url.path]) { _ in
          count += 1
          if count == limit { throw Enough() }
        }
      }
      #expect(count == limit)
    }
  }

  @Test func mergesMoreTracesThanAreReadAhead() throws {
    var samples = EventSamples(seed: 52)
    let records = samples.records(13 * 40)
    for number in 0..<10 {
      let host = String(repeating: "h", count: number + 1)
      let part = records.enumerated().filter { $0.offset % 10 == number }.map(\.element)
      try write(part, to: "host\(number)", host: host)
    }
    let reading = try Reading(directory.url.path)
    #expect(reading.events == records.map(\.event))
    #expect(Set(reading.records.map(\.process.host)).count == 10)
  }

  @Test func keepsATextThatIsLongerThanABatch() throws {
    var samples = EventSamples(seed: 53)
    var records = samples.records(39)
    let sql = String(repeating: "SELECT 1 UNION ", count: 80_000)
    records[20].event = .statement(
      StatementAnnounced(storeID: 0, statementID: StatementID(sql: sql), sql: sql))
    try write(records)
    #expect(try Reading(directory.url.path).events == records.map(\.event))
  }

  @Test func returnsEventsBeforeALateDamage() throws {
    var samples = EventSamples(seed: 54)
    let records = samples.records(13 * 300)
    try write(records)
    // An event of a class that does not exist, in a packet with correct lengths.
    let file = directory.url.appending(path: "ust/channel_0")
    var bytes = Array(try Data(contentsOf: file))
    let places = packets(bytes)
    let packet = places[places.count * 2 / 3]
    bytes.replaceSubrange((packet + 76)..<(packet + 80), with: [0xff, 0xff, 0xff, 0x7f])
    try Data(bytes).write(to: file)
    let reading = try Reading(directory.url.path)
    #expect(reading.events == records.prefix(reading.events.count).map(\.event))
    #expect((2000..<3000).contains(reading.events.count))
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].contains("events after that place were not read"))
  }
}

/// Where the packets of a built stream begin.
private func packets(_ bytes: [UInt8]) -> [Int] {
  var places: [Int] = []
  var place = 0
  while place < bytes.count {
    places.append(place)
    place += bytes[(place + 48)..<(place + 56)].reversed().reduce(0) { $0 << 8 | Int($1) } / 8
  }
  return places
}
