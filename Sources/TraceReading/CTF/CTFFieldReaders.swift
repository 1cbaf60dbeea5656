// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// Reads the members of a payload one after the other, without a look at their names: their order
/// and types were checked once for the class.
struct InOrderFieldReader: EventFieldReader {
  private(set) var position: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private let strings: StringCache
  /// Whether a field extended beyond the end of the packet, which makes the values unusable.
  private(set) var isCut = false

  init(_ position: UnsafeRawPointer, to end: UnsafeRawPointer, strings: StringCache) {
    self.position = position
    self.end = end
    self.strings = strings
  }

  @inline(__always)
  mutating func uint64(_ name: StaticString) -> UInt64 {
    guard end - position >= 8 else {
      isCut = true
      return 0
    }
    defer { position += 8 }
    return position.loadUnaligned(as: UInt64.self)
  }

  @inline(__always)
  mutating func int64(_ name: StaticString) -> Int64 { Int64(bitPattern: uint64(name)) }

  mutating func string(_ name: StaticString) -> String {
    guard let next = position.afterString(to: end) else {
      isCut = true
      return ""
    }
    defer { position = next }
    return strings.string(UnsafeRawBufferPointer(start: position, count: next - position - 1))
  }
}

/// Finds each member by its name, and records the order in which the names were requested.
struct ByNameFieldReader: EventFieldReader {
  fileprivate enum Requested { case signed, unsigned, string }

  private let members: [FieldMember]
  /// The start of each member, and the end of the last one.
  private var positions: [UnsafeRawPointer]
  private let strings: StringCache
  /// Whether all requests so far were for the members in their order, in LTTng's own types.
  private(set) var isInOrder = true
  private(set) var requestCount = 0

  /// `nil` if the members extend beyond the end.
  init?(
    _ payload: FieldLayout, at position: UnsafeRawPointer, to end: UnsafeRawPointer,
    strings: StringCache
  ) {
    members = payload.members
    self.strings = strings
    positions = [position]
    var length: UInt64 = 0
    for member in members {
      guard let next = member.step.end(from: positions[positions.count - 1], to: end, &length)
      else {
        return nil
      }
      positions.append(next)
    }
  }

  /// The end of the payload.
  var end: UnsafeRawPointer { positions[positions.count - 1] }

  mutating func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    let (isSigned, word) = try integer(name, as: .signed)
    if isSigned { return Int64(bitPattern: word) }
    guard let value = Int64(exactly: word) else {
      throw .malformed(field: "\(name)", value: "\(word)")
    }
    return value
  }

  mutating func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    let (isSigned, word) = try integer(name, as: .unsigned)
    let value = Int64(bitPattern: word)
    guard !isSigned || value >= 0 else { throw .malformed(field: "\(name)", value: "\(value)") }
    return word
  }

  mutating func string(_ name: StaticString) throws(EventFieldError) -> String {
    let index = try find(name, as: .string)
    let bytes = UnsafeRawBufferPointer(
      start: positions[index], count: positions[index + 1] - positions[index])
    switch members[index].kind {
    case .string: return strings.string(UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
    case .text: return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    default: throw .malformed(field: "\(name)", value: "not a string")
    }
  }

  private mutating func integer(
    _ name: StaticString, as requested: Requested
  ) throws(EventFieldError) -> (isSigned: Bool, word: UInt64) {
    let index = try find(name, as: requested)
    guard let integer = members[index].integer else {
      throw .malformed(field: "\(name)", value: "not an integer")
    }
    return (integer.isSigned, integer.value(positions[index]))
  }

  private mutating func find(
    _ name: StaticString, as requested: Requested
  ) throws(EventFieldError) -> Int {
    let name = "\(name)"
    let index = members.firstIndex { $0.name == name }
    if index != requestCount || !members[requestCount].fits(requested) { isInOrder = false }
    requestCount += 1
    guard let index else { throw .missing(field: name) }
    return index
  }
}

extension FieldMember {
  fileprivate func fits(_ requested: ByNameFieldReader.Requested) -> Bool {
    switch (kind, requested) {
    case (.string, .string): true
    case (.signed, .signed), (.unsigned, .unsigned): integer?.isPlainWord == true
    default: false
    }
  }
}

extension IntegerLayout {
  /// Whether it is 64 bits in the byte order of this machine.
  fileprivate var isPlainWord: Bool { bytes == 8 && !isBigEndian }
}
