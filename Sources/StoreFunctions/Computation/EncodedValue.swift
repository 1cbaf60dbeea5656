// SPDX-License-Identifier: Apache-2.0

/// A value that JSON cannot carry, as a string of hexadecimal digits behind the letter of its kind.
///
///     d3ff0000000000000    the double 1.0, its bits
///     b00ff                a blob of two bytes
///     t6100                the text "a" with a NUL
package struct EncodedValue {
  package let text: String

  package init(_ value: FunctionValue) {
    switch value {
    case .double(let number): text = "d" + String(number.bitPattern, radix: 16)
    case .blob(let bytes): text = "b" + Self.hexadecimal(bytes)
    case .string(let string): text = "t" + Self.hexadecimal(string.utf8)
    case .null, .integer: text = ""
    }
  }

  init(text: String) { self.text = text }

  package var json: String { text.isEmpty ? "null" : "\"" + text + "\"" }

  /// What was encoded; nil for what is no such text.
  var value: FunctionValue {
    let digits = text.dropFirst()
    switch text.first {
    case "d":
      return UInt64(digits, radix: 16).map { .double(Double(bitPattern: $0)) } ?? .null
    case "b": return .blob(Self.bytes(digits))
    case "t": return .string(String(decoding: Self.bytes(digits), as: UTF8.self))
    default: return .null
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func bytes(_ digits: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits.utf8 {
      let value = digit < 58 ? digit &- 48 : digit &- 87
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
