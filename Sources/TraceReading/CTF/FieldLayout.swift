// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The position of an integer in a structure after members of fixed size.
struct IntegerLayout {
  var offset = 0
  let bytes: Int
  let isSigned: Bool
  let isBigEndian: Bool

  func moved(by count: Int) -> Self {
    var layout = self
    layout.offset += count
    return layout
  }

  /// The value, with its sign copied to all upper bits.
  @inline(__always)
  func value(_ base: UnsafeRawPointer) -> UInt64 {
    let address = base + offset
    var word: UInt64 =
      switch bytes {
      case 8: address.loadUnaligned(as: UInt64.self)
      case 4: UInt64(address.loadUnaligned(as: UInt32.self))
      case 2: UInt64(address.loadUnaligned(as: UInt16.self))
      default: UInt64(address.load(as: UInt8.self))
      }
    let rest = UInt64(64 - 8 * bytes)
    if isBigEndian { word = word.byteSwapped >> rest }
    return isSigned ? UInt64(bitPattern: Int64(bitPattern: word << rest) >> Int64(rest)) : word
  }
}

/// One step over the bytes of a structure.
enum FieldStep {
  case bytes(Int)
  /// Up to its NUL byte.
  case string
  /// The length of the next sequence.
  case length(IntegerLayout)
  /// Elements of this many bytes.
  case sequence(Int)
}

/// A member of a structure, and the step over it.
struct FieldMember {
  enum Kind {
    case signed, unsigned, string
    /// So many bytes, in which a NUL byte ends the text.
    case text(Int)
    case other
  }

  let name: String
  let kind: Kind
  /// The offset of an integer from the start of the member.
  let integer: IntegerLayout?
  let step: FieldStep
}

/// A structure of byte-aligned fields as steps that are taken for each event.
struct FieldLayout {
  let members: [FieldMember]

  /// - Throws: ``TSDLError`` for a type that is not laid out in whole bytes.
  init(_ type: TSDLType?, isBigEndian: Bool) throws(TSDLError) {
    guard let type else {
      members = []
      return
    }
    guard case .structure(let described) = type else { throw .foreign("fields are no structure") }
    var members: [FieldMember] = []
    for (index, member) in described.enumerated() {
      var length: String?
      if index + 1 < described.count, case .sequence(_, let name) = described[index + 1].type {
        length = name
      }
      let before = index > 0 ? described[index - 1].name : nil
      members.append(
        try FieldMember(
          member, isBigEndian: isBigEndian, isLength: length == member.name, before: before))
    }
    self.members = members
  }

  /// The steps over all members from one on, of which neighbours of a fixed size are one.
  func steps(from first: Int = 0) -> [FieldStep] {
    var result: [FieldStep] = []
    for member in members.dropFirst(first) {
      if case .bytes(let more) = member.step, case .bytes(let count)? = result.last {
        result[result.count - 1] = .bytes(count + more)
      } else {
        result.append(member.step)
      }
    }
    return result
  }

  /// The positions of the members of a structure of fixed size.
  struct Fixed {
    fileprivate(set) var offsets: [String: Int] = [:]
    fileprivate var integers: [String: IntegerLayout] = [:]
    fileprivate(set) var size = 0

    /// A member of the head of packets or events.
    func unsigned(_ name: String) throws(TSDLError) -> IntegerLayout? {
      let layout = integers[name]
      if layout?.isSigned == true { throw .foreign("'\(name)' is signed") }
      return layout
    }
  }

  /// `nil` for a structure of varying size.
  var fixed: Fixed? {
    var fixed = Fixed()
    for member in members {
      fixed.offsets[member.name] = fixed.size
      fixed.integers[member.name] = member.integer?.moved(by: fixed.size)
      guard case .bytes(let count) = member.step, fixed.size < 1 << 40 else { return nil }
      fixed.size += count
    }
    return fixed
  }
}

extension FieldMember {
  /// - Parameters:
  ///   - isLength: whether the member after it is a sequence of its length.
  ///   - before: the name of the member before it, which is the length of a sequence.
  fileprivate init(
    _ member: TSDLMember, isBigEndian: Bool, isLength: Bool, before: String?
  ) throws(TSDLError) {
    name = member.name
    var integer: IntegerLayout?
    switch member.type {
    case .string: (kind, step) = (.string, .string)
    case .sequence(let element, let length):
      guard length == before else {
        throw .foreign("the length '\(length)' does not stand before its sequence")
      }
      (kind, step) = (.other, .sequence(try element.byteCount))
    case .integer(let type):
      let bytes = try member.type.byteCount
      let layout = IntegerLayout(
        bytes: bytes, isSigned: type.isSigned, isBigEndian: type.isBigEndian ?? isBigEndian)
      integer = layout
      (kind, step) = (
        type.isSigned ? .signed : .unsigned, isLength ? .length(layout) : .bytes(bytes)
      )
    case .array(.integer(let type), let count) where type.isText && type.bits == 8:
      (kind, step) = (.text(count), .bytes(try member.type.byteCount))
    default: (kind, step) = (.other, .bytes(try member.type.byteCount))
    }
    self.integer = integer
  }
}

extension TSDLType {
  /// The size of a type that always has the same, aligned to bytes.
  fileprivate var byteCount: Int {
    get throws(TSDLError) {
      switch self {
      case .integer(let integer):
        guard [8, 16, 32, 64].contains(integer.bits), integer.align <= 8 else {
          throw .foreign("an integer of \(integer.bits) bits, aligned to \(integer.align)")
        }
        return integer.bits / 8
      case .opaque(let bits, let align):
        guard bits % 8 == 0, align <= 8 else { throw .foreign("a number is not of whole bytes") }
        return bits / 8
      case .structure(let members):
        var sum = 0
        for member in members { sum += try member.type.byteCount }
        return sum
      case .array(let element, let count):
        let (bytes, overflow) = try element.byteCount.multipliedReportingOverflow(by: count)
        guard !overflow, bytes < 1 << 40 else { throw TSDLError(reason: "an array is too long") }
        return bytes
      case .string, .sequence: throw .foreign("texts or sequences within a field")
      case .variant: throw .foreign("a variant")
      }
    }
  }
}

extension FieldStep {
  /// Skips a field; `nil` if it extends beyond the end.
  ///
  /// - Parameter length: that of the next sequence.
  @inline(__always)
  func end(
    from position: UnsafeRawPointer, to end: UnsafeRawPointer, _ length: inout UInt64
  ) -> UnsafeRawPointer? {
    switch self {
    case .bytes(let count): return count <= end - position ? position + count : nil
    case .string: return position.afterString(to: end)
    case .length(let integer):
      guard integer.bytes <= end - position else { return nil }
      length = integer.value(position)
      return position + integer.bytes
    case .sequence(let size):
      let (bytes, overflow) = UInt64(size).multipliedReportingOverflow(by: length)
      return overflow || bytes > UInt64(end - position) ? nil : position + Int(bytes)
    }
  }
}

extension [FieldStep] {
  /// Skips the fields; `nil` if they extend beyond the end.
  @inline(__always)
  func end(from start: UnsafeRawPointer, to end: UnsafeRawPointer) -> UnsafeRawPointer? {
    var length: UInt64 = 0
    var position = start
    for step in self {
      guard let next = step.end(from: position, to: end, &length) else { return nil }
      position = next
    }
    return position
  }
}

extension UnsafeRawPointer {
  /// The byte after the next NUL; `nil` if there is no NUL before the end.
  @inline(__always)
  func afterString(to end: UnsafeRawPointer) -> UnsafeRawPointer? {
    memchr(self, 0, end - self).map { UnsafeRawPointer($0) + 1 }
  }
}
