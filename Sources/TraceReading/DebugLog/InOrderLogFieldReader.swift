// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// Reads `fetch_id=12 entity="Stop" rows=4` in the order in which it was written.
///
/// A field that is left out is 0 or "". After the event, ``isAtEnd`` states whether every field was
/// one that the payload has, at the position where it has it.
struct InOrderLogFieldReader: EventFieldReader {
  private var position: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private let strings: StringCache

  /// `nil` if there are no fields.
  init?(_ fields: UnsafeRawBufferPointer, strings: StringCache) {
    guard let base = fields.baseAddress else { return nil }
    position = base
    end = base + fields.count
    self.strings = strings
  }

  var isAtEnd: Bool { position == end }

  // Inlined, so that names are compared by words, not byte by byte.
  @inline(__always)
  mutating func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    consumeName(name) ? try signed(name) : 0
  }

  @inline(__always)
  mutating func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    consumeName(name) ? try unsigned(name) : 0
  }

  @inline(__always)
  mutating func string(_ name: StaticString) throws(EventFieldError) -> String {
    consumeName(name) ? try text(name) : ""
  }

  @inline(__always)
  private mutating func consumeName(_ name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard end - position > count, memcmp(position, name.utf8Start, count) == 0,
      position.load(fromByteOffset: count, as: UInt8.self) == UInt8(ascii: "=")
    else { return false }
    position += count + 1
    return true
  }

  /// Consumes the space behind a field; false if something else stands there.
  @inline(__always)
  private mutating func consumeSeparator() -> Bool {
    if position == end { return true }
    guard position.load(as: UInt8.self) == UInt8(ascii: " ") else { return false }
    position += 1
    return true
  }

  // MARK: - Numbers

  @inline(never)
  private mutating func unsigned(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    let start = position
    if let value = consumeNumber(), consumeSeparator() { return value }
    position = start
    return try checked(name)
  }

  @inline(never)
  private mutating func signed(_ name: StaticString) throws(EventFieldError) -> Int64 {
    let start = position
    if let value = consumeNumber(), value <= Int64.max, consumeSeparator() { return Int64(value) }
    position = start
    return try checked(name)
  }

  /// Consumes up to nineteen digits, which fit, or twenty if they do; moves in any case.
  @inline(__always)
  private mutating func consumeNumber() -> UInt64? {
    let start = position
    var value: UInt64 = 0
    while end - position >= 8, position - start < 16,
      let digits = Self.eightDigits(position.loadUnaligned(as: UInt64.self))
    {
      value = value &* 100_000_000 &+ digits
      position += 8
    }
    while position < end {
      let digit = position.load(as: UInt8.self) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      if position - start >= 19 {
        guard position - start == 19, value <= (UInt64.max - UInt64(digit)) / 10 else { return nil }
      }
      value = value &* 10 &+ UInt64(digit)
      position += 1
    }
    return position > start ? value : nil
  }

  /// Parses eight ASCII digits; the first one is in the lowest byte.
  ///
  /// See <https://lemire.me/blog/2022/01/21/swar-explained-parsing-eight-digits/>.
  @inline(__always)
  private static func eightDigits(_ bytes: UInt64) -> UInt64? {
    let highs: UInt64 = 0xf0f0_f0f0_f0f0_f0f0
    let isDecimal =
      (bytes & highs) | (((bytes &+ 0x0606_0606_0606_0606) & highs) >> 4) == 0x3333_3333_3333_3333
    guard isDecimal else { return nil }
    var value = UInt64(littleEndian: bytes) &- 0x3030_3030_3030_3030
    value = value &* 10 &+ value >> 8
    return
      ((value & 0x0000_00ff_0000_00ff) &* 0x000f_4240_0000_0064
      &+ (value >> 16 & 0x0000_00ff_0000_00ff) &* 0x0000_2710_0000_0001) >> 32
  }

  /// Reads a number that is negative or not written as this version writes it.
  private mutating func checked<Value: FixedWidthInteger>(
    _ name: StaticString
  ) throws(EventFieldError) -> Value {
    let start = position
    while position < end, position.load(as: UInt8.self) != UInt8(ascii: " ") { position += 1 }
    let text = UnsafeRawBufferPointer(start: start, count: position - start)
    guard let value = Value(decimal: text), consumeSeparator() else {
      throw .malformed(field: "\(name)", value: String(decoding: text, as: UTF8.self))
    }
    return value
  }

  // MARK: - Texts

  @inline(never)
  private mutating func text(_ name: StaticString) throws(EventFieldError) -> String {
    guard let (text, isEscaped) = consumeQuoted(), consumeSeparator() else {
      throw .malformed(field: "\(name)", value: "a text without its quotes")
    }
    return strings.string(text, isEscaped: isEscaped)
  }

  /// Consumes a text between double quotes, in which a backslash escapes the byte after it.
  @inline(__always)
  private mutating func consumeQuoted() -> (text: UnsafeRawBufferPointer, isEscaped: Bool)? {
    guard position < end, position.load(as: UInt8.self) == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    var next = start
    var isEscaped = false
    while next < end {
      if end - next >= 8, !Self.hasMark(next.loadUnaligned(as: UInt64.self)) {
        next += 8
        continue
      }
      // One of these eight bytes, or the last few.
      let last = end - next >= 8 ? next + 8 : end
      while next < last {
        switch next.load(as: UInt8.self) {
        case UInt8(ascii: "\""):
          position = next + 1
          return (UnsafeRawBufferPointer(start: start, count: next - start), isEscaped)
        case UInt8(ascii: "\\"):
          isEscaped = true
          next += 2
        default: next += 1
        }
      }
    }
    return nil
  }

  @inline(__always)
  private static func hasMark(_ bytes: UInt64) -> Bool {
    bytes.hasByte(UInt8(ascii: "\"")) || bytes.hasByte(UInt8(ascii: "\\"))
  }
}
