// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The layout of a built trace: its metadata, and the bytes of an event's fields by it.
struct TraceLayout {
  /// A field with its type in TSDL and its bytes.
  struct Field {
    let name: String
    let type: String
    let bytes: [UInt8]
  }

  /// 2024-01-01 00:00 UTC: the clock counts from there.
  static let clockOffset: Nanoseconds = 1_704_067_200_000_000_000
  static let packetHeadSize = 4 + 16 + 4 + 8 * 6 + 4

  private let options: TraceBuilder.Options
  private let process: ProcessIdentity

  init(_ options: TraceBuilder.Options, process: ProcessIdentity) {
    self.options = options
    self.process = process
  }

  func id(of kind: StoreEvent.Kind) -> Int {
    StoreEvent.Kind.allCases.firstIndex(of: kind) ?? 0
  }

  /// The fields of an event, `context_id` first.
  func fields(of record: EventRecord) -> [Field] {
    var writer = TraceFields(droppedField: options.droppedField)
    writer.field("context_id", record.contextID)
    record.event.write(to: &writer)
    if let extra = options.extraField {
      let bytes = [UInt8](repeating: 7, count: 8)
      writer.fields.append(Field(name: extra, type: "uint64_t", bytes: bytes))
    }
    return writer.fields
  }

  var metadata: String { Self.types + trace + stream + events }

  private static let types = """
    /* CTF 1.8 */
    typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
    typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
    typealias integer { size = 32; align = 8; signed = true; } := int32_t;
    typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
    typealias integer { size = 64; align = 8; signed = true; } := int64_t;

    """

  private var trace: String {
    let environment =
      options.hasContexts ? "" : "  vpid = \(process.id);\n  procname = \"\(process.name)\";\n"
    return """
      trace {
        major = 1; minor = 8; uuid = "\(options.uuid)"; byte_order = le;
        packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
      };
      env {
        hostname = "\(options.host)"; domain = "ust"; tracer_name = "lttng-ust";
        tracer_major = 2; tracer_minor = 13;
      \(environment)};
      clock { name = "monotonic"; freq = 1000000000; offset = \(Self.clockOffset); };
      typealias integer {
        size = 64; align = 8; signed = false; map = clock.monotonic.value;
      } := uint64_clock_t;

      """
  }

  private var stream: String {
    let contexts = """
        event.context := struct {
          int32_t _vpid; int32_t _vtid;
          integer { size = 8; align = 8; signed = false; encoding = UTF8; } _procname[17];
        };

      """
    return """
      stream {
        id = 0;
        event.header := struct { uint32_t id; uint64_clock_t timestamp; };
        packet.context := struct {
          uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;
          uint64_t content_size; uint64_t packet_size;
          uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id;
        };
      \(options.hasContexts ? contexts : "")};

      """
  }

  private var events: String {
    var samples = EventSamples(seed: 1)
    let process = ProcessIdentity(id: 0, name: "")
    return StoreEvent.Kind.allCases.map { kind in
      var fields = fields(
        of: EventRecord(
          timestamp: 0, process: process, threadID: 0, contextID: 0, event: samples.event(kind)))
      if options.reversesFields { fields.reverse() }
      let members = fields.map { "\($0.type) _\($0.name);" }.joined(separator: " ")
      return """
        event {
          name = "\(options.provider):\(kind.rawValue)"; id = \(id(of: kind)); stream_id = 0;
          fields := struct { \(members) };
        };

        """
    }.joined()
  }

  static func bytes(ofUUID text: String) -> [UInt8] {
    let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") })
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16) ?? 0
    }
  }
}

private struct TraceFields: EventFieldWriter {
  var fields: [TraceLayout.Field] = []
  let droppedField: String?

  init(droppedField: String?) { self.droppedField = droppedField }

  private mutating func add(_ name: StaticString, _ type: String, _ bytes: [UInt8]) {
    if "\(name)" != droppedField { fields.append(.init(name: "\(name)", type: type, bytes: bytes)) }
  }
  mutating func field(_ name: StaticString, _ value: Int64) {
    add(name, "int64_t", withUnsafeBytes(of: value.littleEndian) { Array($0) })
  }
  mutating func field(_ name: StaticString, _ value: UInt64) {
    add(name, "uint64_t", withUnsafeBytes(of: value.littleEndian) { Array($0) })
  }
  mutating func field(_ name: StaticString, _ value: String) {
    add(name, "string", value.utf8 + [0])
  }
}
