// SPDX-License-Identifier: Apache-2.0

import BabeltraceReading
import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Traces that LTTng-UST does not write are read through libbabeltrace2.
@Suite struct ForeignTraceTests {
  private let directory: TemporaryDirectory
  private let records: [EventRecord]

  init() throws {
    directory = try TemporaryDirectory()
    BabeltraceReader.register()
    var samples = EventSamples(seed: 70)
    records = samples.records(200)
  }

  private func write(_ change: (String) -> String) throws {
    var options = TraceBuilder.Options()
    options.packetSize = 1024
    var trace = TraceBuilder(options: options)
    for (index, record) in records.enumerated() { trace.add(record, stream: index % 3) }
    try trace.write(to: directory.url)
    let metadata = directory.url.appending(path: "metadata")
    let text = change(try String(contentsOf: metadata, encoding: .utf8))
    try Data(text.utf8).write(to: metadata)
  }

  private func read() throws -> (events: [EventRecord], source: SourceReport) {
    var events: [EventRecord] = []
    let report = try TraceReader.read([directory.url.path]) { events.append($0) }
    return (events, report.sources[0])
  }

  /// The thread's id as two halves of 16 bits, each of which begins at a bit.
  private func withBitField(_ text: String) -> String {
    text.replacing(
      "int32_t _vtid;",
      with: """
        integer { size = 16; align = 1; signed = 0; } _vtid; \
        integer { size = 12; align = 1; } _bits; integer { size = 4; align = 1; } _more;
        """)
  }

  @Test func bitFieldsAreRead() throws {
    try write(withBitField)
    let (events, source) = try read()
    #expect(source.problems == [])
    #expect(events.map(\.event) == records.map(\.event))
    #expect(events.map(\.threadID) == records.map(\.threadID))
    #expect(events.map(\.process.name) == records.map(\.process.name))
  }

  @Test(arguments: ["", "uint32_t stream_id;"])
  func aDamagedOneIsAnError(withoutField field: String) throws {
    // Another tracer may have one stream, and no id of it.
    try write {
      field.isEmpty
        ? withBitField($0)
        : $0.replacing("lttng-ust", with: "other").replacing(field, with: "uint32_t other;")
          .replacing("id = 0;\n  event.header", with: "event.header")
    }
    let file = directory.url.appending(path: "channel_1")
    var bytes = Array(try Data(contentsOf: file))
    // A packet of no length, of which the library reads without end.
    bytes.replaceSubrange(40..<56, with: [UInt8](repeating: 0, count: 16))
    try Data(bytes).write(to: file)
    let error = #expect(throws: TraceReadingError.self) { try read() }
    #expect("\(try #require(error))".contains("is damaged: its packets do not have the lengths"))
  }

  @Test func lengthsOfOneBitAreAnError() throws {
    try write { $0.replacing(/size = 64;(.*?) := uint64_t;/) { "size = 1;\($0.1) := uint64_t;" } }
    let error = #expect(throws: TraceReadingError.self) { try read() }
    #expect("\(try #require(error))".contains("is damaged: its packets do not have the lengths"))
  }

  @Test func anAbortOfTheLibraryIsAnError() throws {
    // Not LTTng's, so that the library gets it; a member named twice, of which it aborts.
    try write {
      $0.replacing("lttng-ust", with: "other").replacing("_source;", with: "_entity;")
    }
    let error = #expect(throws: TraceReadingError.self) { try read() }
    #expect("\(try #require(error))".contains("libbabeltrace2 aborted on damaged data"))
  }

  /// A clock without a frequency, which the library takes for 0.
  @Test func aDivisionByZeroInTheLibraryIsAnError() throws {
    try write { withBitField($0).replacing("freq = 1000000000; ", with: "") }
    let error = #expect(throws: TraceReadingError.self) { try read() }
    #expect("\(try #require(error))".contains("libbabeltrace2 aborted on damaged data"))
  }

  @Test func aSessionOfNoDaemonIsAnError() throws {
    let error = #expect(throws: TraceReadingError.self) {
      _ = try LiveReader("net://127.0.0.1:1/host/none/none")
    }
    #expect("\(try #require(error))".contains("libbabeltrace2"))
  }
}
