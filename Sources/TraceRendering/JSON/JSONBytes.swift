// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreEvents

/// Writes JSON as `JSONEncoder` does without spaces: for a million numbers, each of which takes an
/// encoder 1,000 instructions.
///
///     var json = JSONBytes()
///     json.object { json in
///       json.array("busy", [1, 2]) { $0.number($1) }
///     }
///     json.text     // {"busy":[1,2]}
struct JSONBytes: ~Copyable {
  // No array, which is checked for room and for other owners at each byte.
  private var bytes: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var capacity = 1 << 16

  init() { bytes = .allocate(capacity: capacity) }

  deinit { bytes.deallocate() }

  var text: String {
    String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  mutating func object(_ write: (inout Self) throws -> Void) rethrows {
    separate()
    append(UInt8(ascii: "{"))
    try write(&self)
    append(UInt8(ascii: "}"))
  }

  mutating func array(_ write: (inout Self) throws -> Void) rethrows {
    separate()
    append(UInt8(ascii: "["))
    try write(&self)
    append(UInt8(ascii: "]"))
  }

  mutating func array<Elements: Sequence>(
    _ name: StaticString, _ elements: Elements,
    _ write: (inout Self, Elements.Element) throws -> Void
  ) rethrows {
    key(name)
    try array { json in for element in elements { try write(&json, element) } }
  }

  mutating func key(_ name: StaticString) {
    separate()
    for byte in "\"\(name)\":".utf8 { append(byte) }
  }

  mutating func number(_ value: some FixedWidthInteger) {
    separate()
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = UInt64(value.magnitude)
    // The largest has 20 digits.
    reserve(20)
    count += rest.decimalDigits
    var cursor = bytes + count
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      cursor -= 1
      cursor.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
  }

  /// Writes a value that is short, with its strings: `<`, `>` and `&` are escaped, so that it may
  /// be in a script element.
  mutating func value(_ value: some Encodable) throws {
    separate()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for byte in try encoder.encode(value) {
      switch byte {
      case UInt8(ascii: "<"): for byte in #"\u003c"#.utf8 { append(byte) }
      case UInt8(ascii: ">"): for byte in #"\u003e"#.utf8 { append(byte) }
      case UInt8(ascii: "&"): for byte in #"\u0026"#.utf8 { append(byte) }
      default: append(byte)
      }
    }
  }

  /// Writes the comma before all but the first of an object or an array.
  @inline(__always)
  private mutating func separate() {
    guard count > 0 else { return }
    switch bytes[count - 1] {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: append(UInt8(ascii: ","))
    }
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    reserve(1)
    bytes[count] = byte
    count += 1
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if capacity - count < more { grow() }
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    (bytes, capacity) = (larger, 2 * capacity)
  }
}
