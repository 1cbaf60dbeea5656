// SPDX-License-Identifier: Apache-2.0

/// The id and the time before each event, in one of LTTng's two forms or as plain members.
///
///     compact   5 bits of id, 27 bits of time; id 31: 8 bits, then id and time in full
///     large     16 bits of id, 32 bits of time; id 65535: 16 bits, then id and time in full
///     plain     an id and a time of whole bytes each
enum EventHeaderLayout {
  case compact(isBigEndian: Bool)
  case large(isBigEndian: Bool)
  case plain(id: IntegerLayout, time: IntegerLayout, size: Int)

  struct Header {
    var id: UInt64
    var time: UInt64
    /// The number of bits of the clock in the time.
    var timeBits: Int
    var size: Int
  }

  /// - Throws: ``TSDLError`` for any other form.
  init(_ type: TSDLType?, isBigEndian: Bool) throws(TSDLError) {
    guard case .structure(let members)? = type else { throw .foreign("events have no header") }
    if members.count == 2, case .integer(let id) = members[0].type,
      case .variant(let tag, let forms) = members[1].type, tag == members[0].name
    {
      let order = id.isBigEndian ?? isBigEndian
      switch (id.bits, id.labels) {
      case (5, ["compact": 0, "extended": 31]) where Self.fits(forms, timeBits: 27):
        self = .compact(isBigEndian: order)
      case (16, ["compact": 0, "extended": 65535]) where Self.fits(forms, timeBits: 32):
        self = .large(isBigEndian: order)
      default: throw .foreign("events have a header of their own")
      }
      return
    }
    guard let fixed = try FieldLayout(type, isBigEndian: isBigEndian).fixed,
      let id = try fixed.unsigned("id"), let time = try fixed.unsigned("timestamp"),
      members.contains(where: { $0.name == "timestamp" && $0.isClock })
    else { throw .foreign("events have no id or no time") }
    self = .plain(id: id, time: time, size: fixed.size)
  }

  /// Whether the forms are `{ timestamp }` and `{ uint32 id; uint64 timestamp }`.
  private static func fits(_ forms: [TSDLMember], timeBits: Int) -> Bool {
    guard forms.map(\.name) == ["compact", "extended"],
      case .structure(let compact) = forms[0].type, case .structure(let extended) = forms[1].type
    else { return false }
    return compact.map(\.name) == ["timestamp"] && compact[0].isClock
      && compact[0].bits == timeBits && extended.map(\.name) == ["id", "timestamp"]
      && extended.map(\.bits) == [32, 64] && extended[1].isClock
  }

  /// Reads the header at a position; `nil` if it extends beyond the end.
  @inline(__always)
  func header(at position: UnsafeRawPointer, to end: UnsafeRawPointer) -> Header? {
    let room = end - position
    switch self {
    case .large(let isBigEndian):
      guard room >= 6 else { return nil }
      let id = position.integer(UInt16.self, isBigEndian)
      if id != 65535 {
        let time = (position + 2).integer(UInt32.self, isBigEndian)
        return Header(id: UInt64(id), time: UInt64(time), timeBits: 32, size: 6)
      }
      return extended(at: position, room, 2, isBigEndian)
    case .compact(let isBigEndian):
      guard room >= 4 else { return nil }
      let word = position.integer(UInt32.self, isBigEndian)
      let id = isBigEndian ? word >> 27 : word & 31
      if id != 31 {
        let time = isBigEndian ? word & 0x7ff_ffff : word >> 5
        return Header(id: UInt64(id), time: UInt64(time), timeBits: 27, size: 4)
      }
      return extended(at: position, room, 1, isBigEndian)
    case .plain(let id, let time, let size):
      guard room >= size else { return nil }
      return Header(
        id: id.value(position), time: time.value(position), timeBits: time.bytes * 8, size: size)
    }
  }

  private func extended(
    at position: UnsafeRawPointer, _ room: Int, _ offset: Int, _ isBigEndian: Bool
  ) -> Header? {
    guard room >= offset + 12 else { return nil }
    return Header(
      id: UInt64((position + offset).integer(UInt32.self, isBigEndian)),
      time: (position + offset + 4).integer(UInt64.self, isBigEndian), timeBits: 64,
      size: offset + 12)
  }
}

extension TSDLMember {
  fileprivate var isClock: Bool {
    if case .integer(let type) = type { type.isClock } else { false }
  }
  fileprivate var bits: Int { if case .integer(let type) = type { type.bits } else { 0 } }
}

extension UnsafeRawPointer {
  @inline(__always)
  fileprivate func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type, _ isBigEndian: Bool
  ) -> Value {
    let value = loadUnaligned(as: type)
    return isBigEndian ? value.byteSwapped : value
  }
}
