// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Parses a line from its start, byte by byte.
struct ByteCursor {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skip() { position += 1 }

  /// Consumes this text if it stands here.
  // Inlined, the length is known, and the text is compared by words: 20 instructions, not 60.
  @inline(__always)
  mutating func consume(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count, let base = bytes.baseAddress,
      memcmp(base + position, text.utf8Start, count) == 0
    else { return false }
    position += count
    return true
  }

  /// Consumes everything up to and including this text.
  mutating func consumeThrough(_ text: StaticString) -> UnsafeRawBufferPointer? {
    guard let base = bytes.baseAddress else { return nil }
    var ahead = self
    while ahead.position < bytes.count,
      let found = memchr(
        base + ahead.position, CInt(text.utf8Start.pointee), bytes.count - ahead.position)
    {
      let end = UnsafeRawPointer(found) - base
      ahead.position = end
      if ahead.consume(text) {
        defer { self = ahead }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<end])
      }
      ahead.position = end + 1
    }
    return nil
  }

  /// Consumes as many decimal digits as requested.
  mutating func consumeDigits(_ count: Int) -> Int64? {
    guard bytes.count - position >= count else { return nil }
    var value: Int64 = 0
    for index in position..<(position + count) {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    position += count
    return value
  }

  /// Consumes bytes while they satisfy a condition.
  @inline(__always)
  mutating func consume(while condition: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
    let start = position
    while position < bytes.count, condition(bytes[position]) { position += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  /// Consumes a text in double quotes, in which a backslash escapes the next byte.
  mutating func consumeQuoted() -> (text: UnsafeRawBufferPointer, isEscaped: Bool)? {
    guard consume("\"") else { return nil }
    let start = position
    var isEscaped = false
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        return (UnsafeRawBufferPointer(rebasing: bytes[start..<position]), isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        position += 2
      default: position += 1
      }
    }
    position = bytes.count
    return nil
  }
}

extension FixedWidthInteger {
  /// Parses a whole text as a decimal number; `nil` if it is not a number or does not fit.
  init?(decimal bytes: UnsafeRawBufferPointer) {
    let isNegative = Self.isSigned && bytes.first == UInt8(ascii: "-")
    guard bytes.count > (isNegative ? 1 : 0) else { return nil }
    var value: Self = 0
    for index in (isNegative ? 1 : 0)..<bytes.count {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      // Towards the sign, so that the smallest number fits.
      let (sum, carry) =
        isNegative
        ? product.subtractingReportingOverflow(Self(truncatingIfNeeded: digit))
        : product.addingReportingOverflow(Self(truncatingIfNeeded: digit))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    self = value
  }
}
