// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Many values as one bound value, which `json_each` takes apart again.
struct JSONArray {
  let text: String
  /// Whether `NSCoreDataValue` has to make the values of what JSON can carry.
  let isEncoded: Bool

  /// Encodes what JSON would change: SQLite reads its numbers with rounding, ends its strings at a
  /// NUL, and it has no blobs.
  ///
  /// Where there are such, all strings are encoded.
  init(_ values: [StoreValue], _ folding: StringFolding) {
    isEncoded = values.contains(where: Self.needsEncoding)
    var text = "["
    for value in values {
      if text.utf8.count > 1 { text += "," }
      switch value {
      case .integer(let number): text += String(number)
      case .bool(let flag): text += flag ? "1" : "0"
      case .object(let id): text += String(id.primaryKey)
      case .string(let string) where !isEncoded: Self.append(folding.folded(string), to: &text)
      case .string(let string): text += EncodedValue(.string(folding.folded(string))).json
      default: text += EncodedValue(value).json
      }
    }
    self.text = text + "]"
  }

  private static func needsEncoding(_ value: StoreValue) -> Bool {
    switch value {
    case .null, .bool, .integer, .object, .external: false
    case .string(let string): string.utf8.contains(0)
    case .double, .date, .data, .uuid, .url: true
    }
  }

  /// Keys, of which JSON changes none.
  init(keys: some Sequence<Int64>) {
    var text = "["
    for key in keys {
      if text.utf8.count > 1 { text += "," }
      text += String(key)
    }
    self.text = text + "]"
    isEncoded = false
  }

  private static func append(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        text += "\\"
        text.unicodeScalars.append(scalar)
      case "\u{1}"..."\u{1f}":
        text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// A value that JSON cannot carry, as a string of hexadecimal digits behind the letter of its kind.
///
///     d3ff0000000000000    the double 1.0, its bits
///     b00ff                a blob of two bytes
///     t6100                the text "a" with a NUL
struct EncodedValue {
  let text: String

  init(_ value: StoreValue) {
    switch value {
    case .double(let number): text = "d" + String(number.bitPattern, radix: 16)
    case .date(let date):
      text = "d" + String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16)
    case .data(let data): text = "b" + Self.hexadecimal(data)
    case .uuid(let uuid): text = "b" + withUnsafeBytes(of: uuid.uuid) { Self.hexadecimal($0) }
    case .string(let string): text = "t" + Self.hexadecimal(string.utf8)
    case .url(let url): text = "t" + Self.hexadecimal(url.absoluteString.utf8)
    case .null, .bool, .integer, .object, .external: text = ""
    }
  }

  init(text: String) { self.text = text }

  var json: String { text.isEmpty ? "null" : "\"" + text + "\"" }

  /// What was encoded; nil for what is no such text.
  var value: StoreValue {
    let digits = text.dropFirst()
    switch text.first {
    case "d":
      return UInt64(digits, radix: 16).map { .double(Double(bitPattern: $0)) } ?? .null
    case "b": return .data(Data(Self.bytes(digits)))
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
