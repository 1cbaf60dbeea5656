// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The metadata of a trace, with its layouts compiled.
struct CTFMetadata {
  let environment: TraceEnvironment
  let streams: [UInt64: StreamClass]
  let head: PacketHeadLayout
  let eventClassCount: Int

  /// Whether LTTng-UST wrote it, so that text that cannot be parsed is damaged and not foreign.
  static func isFromLTTng(_ text: [UInt8]) -> Bool {
    String(decoding: text, as: UTF8.self).contains("tracer_name = \"lttng-ust\"")
  }

  /// - Throws: ``TSDLError`` for metadata that is damaged, or that LTTng-UST does not write.
  init(_ text: [UInt8]) throws(TSDLError) {
    let blocks = try TSDLParser.blocks(text)
    let traces = blocks.filter { $0.kind == "trace" }
    guard traces.count == 1, let trace = traces.first else {
      throw TSDLError(reason: "its metadata describes \(traces.count.counted("trace"))")
    }
    guard trace.numbers["major"] == 1, trace.numbers["minor"] == 8 else {
      throw TSDLError(reason: "its metadata is not of CTF 1.8")
    }
    guard let order = trace.texts["byte_order"], ["le", "be"].contains(order) else {
      throw .foreign("a byte order other than le or be")
    }
    let isBigEndian = order == "be"
    let variables = blocks.first { $0.kind == "env" } ?? TSDLBlock(kind: "env")
    environment = TraceEnvironment(variables)
    let version = (variables.numbers["tracer_major"] ?? 0, variables.numbers["tracer_minor"] ?? 0)
    head = try PacketHeadLayout(trace, isBigEndian: isBigEndian)
    guard head.hasStreamID else {
      throw .foreign("packets do not have the id of their stream in them")
    }
    let offset = try Self.clockOffset(blocks)
    var streams: [UInt64: StreamClass] = [:]
    for block in blocks where block.kind == "stream" {
      let stream = try StreamClass(
        block, clockOffset: offset, isBigEndian: isBigEndian)
      // Before 2.11, LTTng could write events later than the end of their packet. See
      // is_tracer_affected_by_lttng_event_after_packet_bug in the source of babeltrace2.
      stream.hasExactPacketEnds = version >= (2, 11)
      guard streams.updateValue(stream, forKey: stream.id) == nil else {
        throw TSDLError(reason: "its metadata describes stream \(stream.id) twice")
      }
    }
    var count = 0
    for block in blocks where block.kind == "event" {
      guard let stream = streams[UInt64(bitPattern: Int64(block.numbers["stream_id"] ?? 0))] else {
        throw TSDLError(reason: "its metadata describes an event of an unknown stream")
      }
      try stream.addEvent(block)
      count += 1
    }
    self.streams = streams
    eventClassCount = count
  }

  /// Since the Unix epoch, in nanoseconds.
  private static func clockOffset(_ blocks: [TSDLBlock]) throws(TSDLError) -> Int64 {
    let clocks = blocks.filter { $0.kind == "clock" }
    guard clocks.count == 1, let clock = clocks.first else {
      throw .foreign("it has not one clock")
    }
    guard clock.numbers["freq"] ?? 1_000_000_000 == 1_000_000_000 else {
      throw .foreign("its clock does not count nanoseconds")
    }
    let (seconds, overflow) = Int64(clock.numbers["offset_s"] ?? 0)
      .multipliedReportingOverflow(by: 1_000_000_000)
    let (offset, isBeyond) = seconds.addingReportingOverflow(Int64(clock.numbers["offset"] ?? 0))
    guard !overflow, !isBeyond else { throw TSDLError(reason: "its clock begins in no year") }
    return offset
  }
}

/// The environment of a trace; with LTTng's buffers per process, also the process.
struct TraceEnvironment: Sendable {
  let host: String
  let processID: Int64
  let processName: String?

  fileprivate init(_ block: TSDLBlock) {
    host = block.texts["hostname"] ?? ""
    processID = Int64(block.numbers["vpid"] ?? 0)
    processName = block.texts["procname"]
  }
}

/// One kind of stream, LTTng's channel, with the events that it may hold.
final class StreamClass {
  let id: UInt64
  let header: EventHeaderLayout
  let clockOffset: Int64
  let packetContext: PacketContextLayout
  fileprivate(set) var hasExactPacketEnds = true
  private(set) var events: [EventClass?] = []
  private let context: FieldLayout
  private let isBigEndian: Bool

  // 65,536 is arbitrary: LTTng numbers the events of a channel from 0.
  private static let maxEvents = 65_536

  init(
    _ block: TSDLBlock, clockOffset: Int64, isBigEndian: Bool
  ) throws(TSDLError) {
    id = UInt64(bitPattern: Int64(block.numbers["id"] ?? 0))
    self.clockOffset = clockOffset
    self.isBigEndian = isBigEndian
    header = try EventHeaderLayout(block.types["event.header"], isBigEndian: isBigEndian)
    packetContext = try PacketContextLayout(
      block.types["packet.context"], isBigEndian: isBigEndian)
    guard packetContext.hasBegin else {
      throw .foreign("packets do not have their times in them")
    }
    context = try FieldLayout(
      block.types["event.context"], isBigEndian: isBigEndian)
  }

  func addEvent(_ block: TSDLBlock) throws(TSDLError) {
    guard let id = block.numbers["id"] ?? (events.isEmpty ? 0 : nil),
      (0..<Self.maxEvents).contains(id)
    else { throw .foreign("an event has no id of LTTng's") }
    guard let name = block.texts["name"] else {
      throw TSDLError(reason: "its metadata describes event \(id) without a name")
    }
    while events.count <= id { events.append(nil) }
    guard events[id] == nil else {
      throw TSDLError(reason: "its metadata describes event \(id) of a stream twice")
    }
    events[id] = EventClass(
      name: name,
      contexts: ContextFields(
        common: context,
        specific: try FieldLayout(block.types["context"], isBigEndian: isBigEndian)),
      payload: try FieldLayout(block.types["fields"], isBigEndian: isBigEndian),
      hasPayload: block.types["fields"] != nil)
  }
}

/// One kind of event.
final class EventClass {
  /// Without the provider, such as `fetch_end`; of another provider in full.
  let name: String
  /// `nil` if the class is not of this vocabulary.
  let kind: StoreEvent.Kind?
  let contexts: ContextFields
  let payload: FieldLayout
  /// The readers of the whole payload.
  let steps: [FieldStep]
  let hasPayload: Bool
  /// The readers that skip members unknown to the vocabulary, if all others are in its order.
  @exclusivity(unchecked) var stepsBehindKnown: [FieldStep]?

  init(name fullName: String, contexts: ContextFields, payload: FieldLayout, hasPayload: Bool) {
    let prefix = StoreEvent.providers.lazy.map { $0 + ":" }.first(where: fullName.hasPrefix)
    name = String(fullName.dropFirst(prefix?.count ?? 0))
    kind = prefix == nil ? nil : StoreEvent.Kind(rawValue: name)
    self.contexts = contexts
    self.payload = payload
    steps = payload.steps()
    self.hasPayload = hasPayload
  }
}
