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
    case .blob(let bytes): text = "b" + Hexadecimal.text(of: bytes)
    case .string(let string): text = "t" + Hexadecimal.text(of: string.utf8)
    case .null, .integer: text = ""
    }
  }

  init(text: String) { self.text = text }

  package var json: String { text.isEmpty ? "null" : "\"" + text + "\"" }

  /// The decoded value; nil if the text is not an encoded value.
  var value: FunctionValue {
    let digits = text.dropFirst()
    switch text.first {
    case "d":
      return UInt64(digits, radix: 16).map { .double(Double(bitPattern: $0)) } ?? .null
    case "b": return .blob(Hexadecimal.bytes(of: digits))
    case "t": return .string(String(decoding: Hexadecimal.bytes(of: digits), as: UTF8.self))
    default: return .null
    }
  }
}
