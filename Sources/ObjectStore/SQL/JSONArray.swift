// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

/// Many values as one bound value, which `json_each` takes apart again.
struct JSONArray {
  let text: String
  /// Whether `NSCoreDataValue` has to decode the elements, since JSON cannot carry the values.
  let isEncoded: Bool

  /// Encodes values that JSON would change: SQLite reads its numbers with rounding, ends its
  /// strings at a NUL, and it has no blobs.
  ///
  /// If there are any, all strings are encoded.
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
      default: text += EncodedValue(value.functionValue).json
      }
    }
    self.text = text + "]"
  }

  private static func needsEncoding(_ value: StoreValue) -> Bool {
    switch value {
    case .null, .bool, .integer, .object, .external: false
    case .string(let string): string.utf8.contains(0)
    case .double, .decimal, .date, .data, .uuid, .url: true
    }
  }

  /// Keys, of which JSON changes none.
  init(keys: some Sequence<Int64>) {
    // Bytes: to interpolate and append a string for each key takes four times as long.
    var text: [UInt8] = [UInt8(ascii: "[")]
    text.reserveCapacity(8 * keys.underestimatedCount + 2)
    for key in keys {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      if key < 0 { text.append(UInt8(ascii: "-")) }
      let start = text.count
      var rest = key.magnitude
      repeat {
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
      } while rest > 0
      // Not as a slice, which would copy the digits.
      var (low, high) = (start, text.count - 1)
      while low < high {
        text.swapAt(low, high)
        (low, high) = (low + 1, high - 1)
      }
    }
    text.append(UInt8(ascii: "]"))
    self.text = String(decoding: text, as: UTF8.self)
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
