// SPDX-License-Identifier: Apache-2.0

/// A 64-bit hash by which a reader finds that bytes were changed; it is no signature.
///
/// The change of a single word of eight bytes always changes the hash. The probe has the same
/// function in C: `line_hash` in Sources/CSQLiteProbe/log-check.c.
public struct ContentHash: Hashable, Sendable {
  public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  public init() {}

  /// Adds a piece; the same bytes in other pieces have another hash.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var hash = Self.mixed(value ^ UInt64(bytes.count))
    var offset = 0
    while bytes.count - offset >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = Self.mixed(hash ^ UInt64(littleEndian: word))
      offset += 8
    }
    value = Self.mixed(hash ^ Self.rest(of: bytes, from: offset))
  }

  /// Returns the last bytes, at most seven, as the low bytes of a word.
  private static func rest(of bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
    let count = bytes.count - offset
    if count > 0, bytes.count >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      return UInt64(littleEndian: word) >> UInt64(8 * (8 - count))
    }
    return (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  /// Adds a text as one piece.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Sixteen hexadecimal digits.
  public var text: String { Self.text(value) }

  /// A number as sixteen hexadecimal digits.
  public static func text(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    let product = value &* 0x9e37_79b9_7f4a_7c15
    return product ^ product >> 32
  }
}
