// SPDX-License-Identifier: Apache-2.0

/// Bytes as digits in lower case, two a byte.
package enum Hexadecimal {
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Reads digits, of which there is an even number; a last one without a pair is left out.
  package static func bytes(of digits: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits.utf8 {
      let value = digit < 58 ? digit &- 48 : (digit | 0x20) &- 87
      if let first = high {
        bytes.append(first << 4 | value & 15)
        high = nil
      } else {
        high = value & 15
      }
    }
    return bytes
  }
}
