// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// Reads `fetch_id=12 entity="Stop" rows=4` in the order in which it was written.
///
/// A field that is left out is 0 or "". After the event, ``isAtEnd`` states whether every field was
/// one that the payload has, at the place where it has it.
struct InOrderLogFieldReader: EventFieldReader {
  private var place: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private let strings: StringCache

  /// `nil` if there are no fields.
  init?(_ fields: UnsafeRawBufferPointer, strings: StringCache) {
    guard let base = fields.baseAddress else { return nil }
    place = base
    end = base + fields.count
    self.strings = strings
  }

  var isAtEnd: Bool { place == end }

  // Inlined, so that names are compared by words, not byte by byte.
  @inline(__always)
  mutating func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    takeName(name) ? try signed(name) : 0
  }

  @inline(__always)
  mutating func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    takeName(name) ? try unsigned(name) : 0
  }

  @inline(__always)
  mutating func string(_ name: StaticString) throws(EventFieldError) -> String {
    takeName(name) ? try text(name) : ""
  }

  @inline(__always)
  private mutating func takeName(_ name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard end - place > count, memcmp(place, name.utf8Start, count) == 0,
      place.load(fromByteOffset: count, as: UInt8.self) == UInt8(ascii: "=")
    else { return false }
    place += count + 1
    return true
  }

  /// Takes the space behind a field; false if something else stands there.
  @inline(__always)
  private mutating func takeSeparator() -> Bool {
    if place == end { return true }
    guard place.load(as: UInt8.self) == UInt8(ascii: " ") else { return false }
    place += 1
    return true
  }

  // MARK: - Numbers

  @inline(never)
  private mutating func unsigned(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    let start = place
    if let value = takeNumber(), takeSeparator() { return value }
    place = start
    return try checked(name)
  }

  @inline(never)
  private mutating func signed(_ name: StaticString) throws(EventFieldError) -> Int64 {
    let start = place
    if let value = takeNumber(), value <= Int64.max, takeSeparator() { return Int64(value) }
    place = start
    return try checked(name)
  }

  /// Takes up to nineteen digits, which fit, or twenty if they do; moves the place in any case.
  @inline(__always)
  private mutating func takeNumber() -> UInt64? {
    let start = place
    var value: UInt64 = 0
    while end - place >= 8, place - start < 16,
      let digits = Self.eightDigits(place.loadUnaligned(as: UInt64.self))
    {
      value = value &* 100_000_000 &+ digits
      place += 8
    }
    while place < end {
      let digit = place.load(as: UInt8.self) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      if place - start >= 19 {
        guard place - start == 19, value <= (UInt64.max - UInt64(digit)) / 10 else { return nil }
      }
      value = value &* 10 &+ UInt64(digit)
      place += 1
    }
    return place > start ? value : nil
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
    let start = place
    while place < end, place.load(as: UInt8.self) != UInt8(ascii: " ") { place += 1 }
    let text = UnsafeRawBufferPointer(start: start, count: place - start)
    guard let value = Value(decimal: text), takeSeparator() else {
      throw .malformed(field: "\(name)", value: String(decoding: text, as: UTF8.self))
    }
    return value
  }

  // MARK: - Texts

  @inline(never)
  private mutating func text(_ name: StaticString) throws(EventFieldError) -> String {
    guard let (text, isEscaped) = takeQuoted(), takeSeparator() else {
      throw .malformed(field: "\(name)", value: "a text without its quotes")
    }
    return strings.string(text, isEscaped: isEscaped)
  }

  /// Takes a text between double quotes, in which a backslash escapes the byte after it.
  @inline(__always)
  private mutating func takeQuoted() -> (text: UnsafeRawBufferPointer, isEscaped: Bool)? {
    guard place < end, place.load(as: UInt8.self) == UInt8(ascii: "\"") else { return nil }
    let start = place + 1
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
          place = next + 1
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
