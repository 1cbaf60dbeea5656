// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import StoreEvents

/// Writes a CTF 1.8 trace as LTTng-UST lays it out, without LTTng.
///
///     metadata     the layout, as text, in packets if the options request that
///     channel_N    packets: header, context, then events: id, time, vpid, vtid, procname, fields
///
/// See <https://diamon.org/ctf/v1.8.3/>.
public struct TraceBuilder {
  /// The differences of the trace from this vocabulary's output.
  public struct Options: Sendable {
    public var host = "berlin"
    public var uuid = "0c6b5b1e-6d1c-4f0e-9c7a-000000000001"
    /// Whether each event carries `vpid vtid procname`; if not, the environment does.
    public var hasContexts = true
    /// Puts the fields of each event in reverse order, as another version might.
    public var reversesFields = false
    /// A field that no event has, as of an older version.
    public var droppedField: String?
    /// A field that each event has in addition to this version's.
    public var extraField: String?
    public var provider = StoreEvent.provider
    /// In bytes; a packet ends with the event that reaches it.
    public var packetSize = 4096
    /// Puts the metadata into packets of 4096 bytes, as LTTng does.
    public var packetizesMetadata = false
    /// The `procname` of a thread, if it is not the process's name.
    public var threadNames: [Int64: String] = [:]

    public init() {}
  }

  private let options: Options
  private var layout: TraceLayout
  private var streams: [Int: Stream] = [:]
  private let process: ProcessIdentity

  private struct Stream {
    var closed: [UInt8] = []
    var events: [UInt8] = []
    var begin: Nanoseconds = 0
    var end: Nanoseconds = 0
    var sequence: UInt64 = 0
    var discarded: UInt64 = 0
  }

  public init(
    process: ProcessIdentity = ProcessIdentity(id: 2367, name: "transit", host: ""),
    options: Options = Options()
  ) {
    self.options = options
    self.process = process
    layout = TraceLayout(options, process: process)
  }

  /// Adds an event to a stream; a stream's events must be in order.
  public mutating func add(_ record: EventRecord, stream number: Int = 0) {
    var fields = layout.fields(of: record)
    if options.reversesFields { fields.reverse() }
    var stream = streams[number, default: Stream()]
    if stream.events.isEmpty { stream.begin = record.timestamp }
    stream.end = record.timestamp
    stream.events.append(littleEndian: UInt32(layout.id(of: record.event.kind)))
    stream.events.append(littleEndian: record.timestamp - TraceLayout.clockOffset)
    if options.hasContexts {
      stream.events.append(littleEndian: Int32(truncatingIfNeeded: record.process.id))
      stream.events.append(littleEndian: Int32(truncatingIfNeeded: record.threadID))
      let name = (options.threadNames[record.threadID] ?? record.process.name).utf8.prefix(16)
      stream.events += Array(name) + [UInt8](repeating: 0, count: 17 - name.count)
    }
    for field in fields { stream.events += field.bytes }
    streams[number] = stream
    if stream.events.count >= options.packetSize { endPacket(stream: number) }
  }

  /// Ends a stream's packet, after the tracer had to discard events.
  public mutating func endPacket(stream number: Int = 0, discarding count: UInt64 = 0) {
    var stream = streams[number, default: Stream()]
    stream.discarded += count
    guard !stream.events.isEmpty else {
      // The packet ended by its size: the next one has the count.
      streams[number] = stream
      return
    }
    stream.closed += packet(stream)
    stream.sequence += 1
    stream.events.removeAll(keepingCapacity: true)
    streams[number] = stream
  }

  /// Writes the trace's files into a folder, which is made.
  public mutating func write(to folder: URL) throws {
    for number in streams.keys { endPacket(stream: number) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = Array(layout.metadata.utf8)
    try Data(options.packetizesMetadata ? metadataPackets(text) : text)
      .write(to: folder.appending(path: "metadata"))
    for (number, stream) in streams {
      try Data(stream.closed).write(to: folder.appending(path: "channel_\(number)"))
    }
  }

  private func metadataPackets(_ text: [UInt8]) -> [UInt8] {
    let (size, headSize) = (4096, 37)
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: size - headSize) {
      let content = text[start...].prefix(size - headSize)
      bytes.append(littleEndian: UInt32(0x75d1_1d57))
      bytes += TraceLayout.bytes(ofUUID: options.uuid)
      bytes.append(littleEndian: UInt32(0))
      bytes.append(littleEndian: UInt32(headSize + content.count) * 8)
      bytes.append(littleEndian: UInt32(size) * 8)
      bytes += [0, 0, 0, 1, 8]
      bytes += content
      bytes += [UInt8](repeating: 0, count: size - headSize - content.count)
    }
    return bytes
  }

  private func packet(_ stream: Stream) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(0xc1fc_1fc1))
    bytes += TraceLayout.bytes(ofUUID: options.uuid)
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: stream.begin - TraceLayout.clockOffset)
    bytes.append(littleEndian: stream.end - TraceLayout.clockOffset)
    let bits = UInt64(TraceLayout.packetHeadSize + stream.events.count) * 8
    bytes.append(littleEndian: bits)
    bytes.append(littleEndian: bits)
    bytes.append(littleEndian: stream.sequence)
    bytes.append(littleEndian: stream.discarded)
    bytes.append(littleEndian: UInt32(0))
    return bytes + stream.events
  }
}

extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
