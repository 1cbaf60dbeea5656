// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

struct CTFEventSourceTests {
  private let directory: TemporaryDirectory
  private var folder: URL { directory.url.appending(path: "ust/uid/0/64-bit") }

  init() throws { directory = try TemporaryDirectory() }

  private func write(
    _ records: [EventRecord], _ change: (inout TraceBuilder.Options) -> Void = { _ in }
  ) throws {
    var options = TraceBuilder.Options()
    change(&options)
    var trace = TraceBuilder(options: options)
    for (index, record) in records.enumerated() { trace.add(record, stream: index % 3) }
    try trace.write(to: folder)
  }

  @Test func returnsEveryEventBackAsItWas() throws {
    var samples = EventSamples(seed: 3)
    let records = samples.records(3000)
    try write(records)
    let reading = try Reading(directory.url.path)
    #expect(reading.records == records.map { $0.on(host: "berlin") })
    let native = records.count {
      guard case .caller(let caller) = $0.event else { return false }
      return caller.file.isEmpty && !caller.frames.isEmpty
    }
    try #require(native > 1)
    var expected = SourceReport(path: directory.url.path, kind: .ctf, eventsRead: 3000)
    expected.unended = [
      "it has no recording.json: trace-report record did not write it, or was killed"
    ]
    expected.identity = reading.source.identity
    expected.remarks = [
      "The lines of \(native) native callers are not known: they ran on the host berlin. Read the trace there."
    ]
    #expect(reading.source == expected)
    let times = records.map(\.timestamp)
    #expect(reading.source.identity?.first == times.min())
    #expect(reading.source.identity?.last == times.max())
    #expect(try Reading(directory.url.path).source.identity == reading.source.identity)
  }

  @Test func reportsAClockThatGoesBack() throws {
    var samples = EventSamples(seed: 6)
    let records = samples.records(4)
    var trace = TraceBuilder()
    for index in [0, 2, 1, 3] { trace.add(records[index]) }
    try trace.write(to: folder)
    let reading = try Reading(directory.url.path)
    #expect(reading.events.count == 4)
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems.first?.contains("the clock goes back at byte ") == true)
  }

  @Test(arguments: [
    ("stream_id = 0;", "stream_id = 0; stream_id = 0;", "'stream_id' is there twice"),
    ("fields := ", "fields := struct { string a; }; fields := ", "'fields' is there twice"),
    (
      "/* CTF 1.8 */", "/* CTF 1.8 */ typealias integer { size = 8; } := int32_t;",
      "'int32_t' is there twice"
    ),
    ("objectstore:fault\"", "objectstore:fa\\qult\"", "an unknown escape in a text"),
    ("objectstore:fault\"", "objectstore:fa\0ult\"", "a NUL byte in a text"),
    ("minor = 8;", "minor = 9;", "not of CTF 1.8"),
    ("freq = 1000000000;", "freq = hertz;", "'freq' cannot be \"hertz\""),
    ("freq = 1000000000;", "freq = 1000000000l;", "not a number of 64 bits"),
    ("/* CTF 1.8 */", "/* CTF 18 */", "does not begin with /* CTF 1.8 */"),
    ("freq =", "freq\u{b}=", "an unexpected byte 11"),
    ("id = 0;", "id = -1;", "'id' cannot be -1"),
    ("align = 8;", "align = 3;", "'align' cannot be 3"),
    ("signed = true;", "signed = yes;", "'signed' cannot be \"yes\""),
    ("signed = true;", "signed = true; base = 3;", "'base' cannot be 3"),
    ("signed = true;", "signed = true; encoding = UTF88;", "'encoding' cannot be \"UTF88\""),
    ("clock.monotonic.value", "clock.m.value", "a known clock is expected"),
    ("name = \"objectstore:fault\";", "", "without a name"),
    ("uint64_t packet_seq_num;", "uint64_t event;", "a member's name is expected"),
    ("uint64_t packet_seq_num;", "uint64_t a, uint32_t;", "a member's name is expected"),
  ])
  func refusesMetadataThatBabeltraceRefuses(text: String, other: String, reason: String) throws {
    var samples = EventSamples(seed: 7)
    try write(samples.records(3))
    try changeMetadata { $0.replacing(text, with: other, maxReplacements: 1) }
    let error = #expect(throws: TraceReadingError.self) { try Reading(directory.url.path) }
    #expect(error?.description.contains(reason) == true)
  }

  private func changeMetadata(_ change: (String) -> String) throws {
    let file = folder.appending(path: "metadata")
    let metadata = try String(contentsOf: file, encoding: .utf8)
    try Data(change(metadata).utf8).write(to: file)
  }

  /// CTF 1.8 that LTTng-UST does not write: nothing of it is read, and the feature is named.
  @Test(arguments: [
    (
      "int32_t _vtid;", "integer { size = 12; align = 1; } _vtid;",
      "an integer of 12 bits, aligned to 1"
    ),
    ("freq = 1000000000;", "freq = 1000;", "its clock does not count nanoseconds"),
    ("uint32_t stream_id;", "uint32_t other;", "packets do not have the id of their stream"),
  ])
  func namesALayoutThatIsNotRead(text: String, other: String, reason: String) throws {
    var samples = EventSamples(seed: 7)
    try write(samples.records(3))
    try changeMetadata { $0.replacing(text, with: other) }
    let error = #expect(throws: TraceReadingError.self) { try Reading(directory.url.path) }
    #expect(error?.description.contains("has a layout that is not read: \(reason)") == true)
  }

  /// Tools that print metadata leave its first line, a comment, out.
  @Test func metadataWithoutItsFirstLineIsReadWithARemark() throws {
    var samples = EventSamples(seed: 7)
    let records = samples.records(3)
    try write(records)
    let file = folder.appending(path: "metadata")
    let metadata = try String(contentsOf: file, encoding: .utf8)
    try Data(metadata.replacing("/* CTF 1.8 */\n", with: "").utf8).write(to: file)
    let reading = try Reading(directory.url.path)
    #expect(reading.events == records.map(\.event))
    #expect(reading.source.remarks.contains { $0.contains("lacks its line /* CTF 1.8 */") })
  }

  @Test func anUnknownTypeOfABlockMayBeThereTwice() throws {
    var samples = EventSamples(seed: 7)
    let records = samples.records(3)
    try write(records)
    let unknown = "fiellds := struct { string a; }; fiellds := struct { string a; }; fields := "
    try changeMetadata { $0.replacing("fields := ", with: unknown) }
    #expect(try Reading(directory.url.path).events == records.map(\.event))
  }

  @Test func readsFieldsOfAnotherVersionByName() throws {
    var samples = EventSamples(seed: 4)
    let records = samples.records(60)
    try write(records) {
      $0.reversesFields = true
      $0.extraField = "weather"
    }
    #expect(try Reading(directory.url.path).events == records.map(\.event))
  }

  @Test func countsEventsThatLackAField() throws {
    var samples = EventSamples(seed: 5)
    let kinds = StoreEvent.Kind.allCases.count
    try write(samples.records(2 * kinds)) { $0.droppedField = "entity" }
    let reading = try Reading(directory.url.path)
    // fetch_begin, fetch_end, fault and cache_miss have an entity.
    #expect(reading.source.unrecognizedLines == 8)
    #expect(reading.source.eventsRead == UInt64(2 * kinds - 8))
    #expect(reading.source.unrecognizedSamples[0] == "fetch_begin: field 'entity' is missing")
  }

  @Test func readsTracesFromBeforeProcessNames() throws {
    var samples = EventSamples(seed: 15)
    let records = samples.records(12)
    try write(records) { $0.droppedField = "process_name" }
    let reading = try Reading(directory.url.path)
    #expect(Array(reading.events.dropFirst()) == records.dropFirst().map(\.event))
    guard case .storeOpened(var opened) = reading.events[0] else {
      Issue.record("\(reading.events[0])")
      return
    }
    #expect(opened.processName == "")
    opened.processName = "transit"
    #expect(.storeOpened(opened) == records[0].event)
  }

  @Test func namesAProcessAsItsStoreDoes() throws {
    var samples = EventSamples(seed: 16)
    let kinds = StoreEvent.Kind.allCases.count
    // A connection names its process as well; that one is left out.
    let records = samples.records(2 * kinds).filter { $0.event.kind != .connectionOpened }
    // The first event is a store_opened, the fourth the first of the main thread after another.
    try write(Array(records[1...])) {
      $0.threadNames = [2367: "main", 2368: "oot.default-qos", 2369: "oot.default-qos"]
    }
    let names = try Reading(directory.url.path).records.map(\.process.name)
    #expect(names.prefix(2) == ["oot.default-qos", "oot.default-qos"])
    #expect(names[2..<(kinds - 2)].allSatisfy { $0 == "main" })
    #expect(names[(kinds - 2)...].allSatisfy { $0 == "transit" })
  }

  @Test func countsEventsOfOtherProviders() throws {
    var samples = EventSamples(seed: 5)
    try write(samples.records(12)) { $0.provider = "nginx" }
    let reading = try Reading(directory.url.path)
    #expect(reading.source.eventsRead == 0)
    #expect(reading.source.unrecognizedLines == 12)
    #expect(reading.source.unrecognizedSamples[0].hasPrefix("nginx:store_opened"))
  }

  @Test func takesTheProcessFromTheEnvironment() throws {
    var samples = EventSamples(seed: 6)
    let records = samples.records(12)
    try write(records) { $0.hasContexts = false }
    let reading = try Reading(directory.url.path)
    #expect(reading.records.map(\.process) == records.map { $0.on(host: "berlin").process })
    #expect(Set(reading.records.map(\.threadID)) == [transit.id])
  }

  @Test func countsEventsThatTheTracerDiscarded() throws {
    var samples = EventSamples(seed: 8)
    let records = samples.records(30)
    var trace = TraceBuilder()
    for (index, record) in records.enumerated() {
      trace.add(record)
      if index == 9 { trace.endPacket(discarding: 5) }
      if index == 19 { trace.endPacket(discarding: 7) }
    }
    try trace.write(to: folder)
    let reading = try Reading(directory.url.path)
    #expect(reading.source.eventsLost == 12)
    #expect(reading.source.eventsRead == 30)
  }

  @Test func keepsTheEventsBeforeTheDamage() throws {
    var samples = EventSamples(seed: 9)
    let records = samples.records(300)
    var trace = TraceBuilder()
    for record in records { trace.add(record) }
    try trace.write(to: folder)
    let channel = folder.appending(path: "channel_0")
    let bytes = try Data(contentsOf: channel)
    try bytes.prefix(bytes.count - 700).write(to: channel)
    let reading = try Reading(directory.url.path)
    #expect((100..<300).contains(reading.records.count))
    #expect(reading.events == records.prefix(reading.records.count).map(\.event))
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].contains("is damaged"))
  }

  @Test func oneDamagedTraceDoesNotHideAnother() throws {
    var samples = EventSamples(seed: 10)
    try write(samples.records(12))
    let broken = directory.url.appending(path: "ust/uid/1/64-bit")
    try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
    try Data("trace { major = ".utf8).write(to: broken.appending(path: "metadata"))
    let reading = try Reading(directory.url.path)
    #expect(reading.source.eventsRead == 12)
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].contains("uid/1"))
  }

  /// Of 0, and less than its head, a reader that believed it would never reach the end.
  @Test(.endsWhenStuck, arguments: [0, 8, 64, 1 << 40, 4097] as [UInt64])
  func aPacketOfAFalseLengthIsTheDamage(bits: UInt64) throws {
    var samples = EventSamples(seed: 12)
    let records = samples.records(300)
    try write(records) { $0.packetSize = 2048 }
    let file = folder.appending(path: "channel_1")
    var bytes = Array(try Data(contentsOf: file))
    func size(at packet: Int) -> Int {
      bytes[(packet + 48)..<(packet + 56)].reversed().reduce(0) { $0 << 8 | Int($1) } / 8
    }
    let second = size(at: 0)
    // Content and packet size of the second packet.
    withUnsafeBytes(of: bits.littleEndian) { word in
      bytes.replaceSubrange((second + 40)..<(second + 48), with: word)
      bytes.replaceSubrange((second + 48)..<(second + 56), with: word)
    }
    try Data(bytes).write(to: file)
    let reading = try Reading(directory.url.path)
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].contains("packets the first 1 could be read"))
    // The two other streams are whole.
    #expect(reading.records.count > 200)
    #expect(reading.records.count < 300)
  }

  @Test func anEmptyTraceIsAnError() throws {
    try write([])
    #expect(throws: TraceReadingError.empty(directory.url.path)) {
      try Reading(directory.url.path)
    }
  }

  @Test func anEmptyMetadataFileIsAnError() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: folder.appending(path: "metadata"))
    let error = #expect(throws: TraceReadingError.self) { try Reading(directory.url.path) }
    guard case .unreadable(let path, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == directory.url.path)
    #expect(reason.hasSuffix("is damaged: its metadata is empty"))
  }

  @Test func readsMetadataInPackets() throws {
    var samples = EventSamples(seed: 12)
    let records = samples.records(24)
    try write(records) { $0.packetizesMetadata = true }
    #expect(try Reading(directory.url.path).events == records.map(\.event))
  }

  @Test(.endsWhenStuck, arguments: [4, 20, 36, 37, 60, 100, 3000, 4095, 4100, 5000])
  func cutMetadataIsAnError(size: Int) throws {
    var samples = EventSamples(seed: 13)
    try write(samples.records(12)) { $0.packetizesMetadata = true }
    let metadata = folder.appending(path: "metadata")
    try Data(contentsOf: metadata).prefix(size).write(to: metadata)
    let error = #expect(throws: TraceReadingError.self) { try Reading(directory.url.path) }
    let place = size < 4096 ? 0 : 4096
    #expect("\(try #require(error))".contains("cut or damaged in the packet at byte \(place)"))
    #expect("\(try #require(error))".contains("64-bit/metadata"))
  }

  @Test func aTraceWithCutMetadataDoesNotHideAnother() throws {
    var samples = EventSamples(seed: 14)
    try write(samples.records(12)) { $0.packetizesMetadata = true }
    let broken = directory.url.appending(path: "ust/uid/1/64-bit")
    try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
    try Data(contentsOf: folder.appending(path: "metadata")).prefix(3000)
      .write(to: broken.appending(path: "metadata"))
    let reading = try Reading(directory.url.path)
    #expect(reading.source.eventsRead == 12)
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems[0].contains("uid/1"))
  }

  @Test func anErrorOfTheCallerStopsTheReading() throws {
    struct Enough: Error {}
    var samples = EventSamples(seed: 11)
    try write(samples.records(60))
    var count = 0
    #expect(throws: Enough.self) {
      _ = try TraceReader.read([directory.url.path]) { _ in
        count += 1
        if count == 5 { throw Enough() }
      }
    }
    #expect(count == 5)
  }
}
