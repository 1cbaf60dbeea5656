// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Bytes of log text, kept from one line to the next: nothing is allocated once it has grown.
struct LogBuffer {
  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(8_192) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Takes text that is known to be safe, such as a number's.
  mutating func append(verbatim text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(contentsOf other: [UInt8]) { bytes.append(contentsOf: other) }

  mutating func append(byte: UInt8) { bytes.append(byte) }

  mutating func append(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    append(value.magnitude)
  }

  mutating func append(_ value: UInt64) {
    guard value > 9 else { return bytes.append(UInt8(ascii: "0") + UInt8(value)) }
    append(value, digits: 1)
  }

  /// Appends a number with at least so many digits, up to 20.
  mutating func append(_ value: UInt64, digits: Int) {
    // In one piece: an array checks its storage at each byte that is appended.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
      var start = 20
      var rest = value
      while rest > 0 || 20 - start < digits {
        start -= 1
        text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }
  }

  /// Appends a span of time as `0.001304s`, to the nearest microsecond.
  mutating func append(seconds time: Nanoseconds) {
    let microseconds = (UInt64(max(time, 0)) + 500) / 1_000
    append(microseconds / 1_000_000)
    bytes.append(UInt8(ascii: "."))
    append(microseconds % 1_000_000, digits: 6)
    bytes.append(UInt8(ascii: "s"))
  }

  /// Appends text from data, escaped as ``LogText`` does it.
  mutating func append(escaping text: String) {
    append(text, isQuoted: false)
  }

  /// Appends text from data between double quotes.
  mutating func append(quoting text: String) {
    append(text, isQuoted: true)
  }

  private mutating func append(_ text: String, isQuoted: Bool) {
    let start = bytes.count
    if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    let isPlain = text.utf8.withContiguousStorageIfAvailable { utf8 in
      guard utf8.allSatisfy(Self.isPlain) else { return false }
      bytes.append(contentsOf: utf8)
      return true
    }
    if isPlain == true {
      if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    } else {
      bytes.removeSubrange(start...)
      bytes.append(contentsOf: (isQuoted ? LogText.quoted(text) : LogText.escaped(text)).utf8)
    }
  }

  /// Whether a byte needs no second look: printable ASCII but for `"` and `\`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte &- 0x20 < 0x5f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
