// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The layout of the data before the context of each packet of a trace.
///
///     packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; … };
struct PacketHeadLayout {
  let size: Int
  private let magic: IntegerLayout?
  private let uuid: (offset: Int, bytes: [UInt8])?
  private let streamID: IntegerLayout?
  private let instanceID: IntegerLayout?

  // LTTng's head has 84 bytes; 64 KiB is arbitrary.
  static let maxSize = 64 << 10

  init(_ trace: TSDLBlock, isBigEndian: Bool) throws(TSDLError) {
    let layout = try FieldLayout(trace.types["packet.header"], isBigEndian: isBigEndian)
    guard let fixed = layout.fixed, fixed.size <= Self.maxSize else {
      throw .foreign("the size of packet headers varies")
    }
    size = fixed.size
    magic = try fixed.unsigned("magic")
    streamID = try fixed.unsigned("stream_id")
    instanceID = try fixed.unsigned("stream_instance_id")
    if let offset = fixed.offsets["uuid"], let text = trace.texts["uuid"],
      let value = UUID(uuidString: text)
    {
      guard case .structure(let members) = trace.types["packet.header"],
        members.contains(where: { $0.name == "uuid" && $0.type.isUUID })
      else { throw .foreign("the UUID of packets is not an array of 16 bytes") }
      uuid = (offset, withUnsafeBytes(of: value.uuid) { Array($0) })
    } else {
      uuid = nil
    }
  }

  var hasStreamID: Bool { streamID != nil }

  /// The kind of stream, and which one of its kind, if that is known.
  ///
  /// - Returns: `nil` if the bytes are not a packet of the trace.
  func stream(of head: UnsafeRawPointer) -> (id: UInt64, instance: UInt64?)? {
    if let magic, magic.value(head) != 0xc1fc_1fc1 { return nil }
    if let uuid, memcmp(head + uuid.offset, uuid.bytes, 16) != 0 { return nil }
    return (streamID?.value(head) ?? 0, instanceID?.value(head))
  }
}

/// The context of each packet of a stream.
///
///     packet.context := struct { uint64_clock_t timestamp_begin; …; uint64_t packet_size; … };
struct PacketContextLayout {
  let size: Int
  private let content: IntegerLayout
  private let packet: IntegerLayout
  private let begin: IntegerLayout?
  private let end: IntegerLayout?
  private let sequence: IntegerLayout?
  private let discarded: IntegerLayout?

  init(_ type: TSDLType?, isBigEndian: Bool) throws(TSDLError) {
    guard let fixed = try FieldLayout(type, isBigEndian: isBigEndian).fixed,
      fixed.size <= PacketHeadLayout.maxSize, let content = try fixed.unsigned("content_size"),
      let packet = try fixed.unsigned("packet_size")
    else { throw .foreign("packets do not have their lengths in them") }
    size = fixed.size
    self.content = content
    self.packet = packet
    begin = try fixed.unsigned("timestamp_begin")
    end = try fixed.unsigned("timestamp_end")
    sequence = try fixed.unsigned("packet_seq_num")
    discarded = try fixed.unsigned("events_discarded")
  }

  var hasBegin: Bool { begin != nil }

  /// Reads the context of a packet; `nil` if its lengths cannot be right.
  ///
  /// - Parameter room: from the packet's beginning to the end of its file.
  func packet(
    _ context: UnsafeRawPointer, at offset: UInt64, headSize: Int, room: UInt64
  ) -> StreamPacket? {
    let contentBits = content.value(context)
    let bits = packet.value(context)
    guard bits % 8 == 0, contentBits % 8 == 0, contentBits <= bits,
      contentBits / 8 >= UInt64(headSize), bits / 8 <= room
    else { return nil }
    return StreamPacket(
      offset: offset, headSize: headSize, contentSize: Int(contentBits / 8), size: Int(bits / 8),
      begin: begin?.value(context) ?? 0, end: end?.value(context) ?? 0,
      sequence: sequence?.value(context), discarded: discarded?.value(context))
  }
}

/// The position of a packet, and its context.
struct StreamPacket: Equatable {
  var file = 0
  var offset: UInt64
  let headSize: Int
  /// In bytes, with the head.
  let contentSize: Int
  let size: Int
  /// In cycles of the clock.
  let begin: UInt64
  let end: UInt64
  let sequence: UInt64?
  /// The counts of the stream up to the packet's end.
  let discarded: UInt64?

  /// Whether both are copies of one packet, as of two snapshots.
  func isCopy(of other: Self) -> Bool {
    size == other.size && begin == other.begin && end == other.end && sequence == other.sequence
  }
}

extension TSDLType {
  fileprivate var isUUID: Bool {
    guard case .array(.integer(let byte), count: 16) = self else { return false }
    return byte.bits == 8 && byte.align == 8 && !byte.isSigned
  }
}
