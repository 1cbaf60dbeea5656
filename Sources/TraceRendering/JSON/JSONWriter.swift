// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Writes one JSON object into a text, for streams too long to be encoded as a whole.
///
///     var object = JSONWriter()
///     object.field("name", "fetch Stop")
///     object.field("ts", microseconds: 1_234_567)
///     object.text     // {"name":"fetch Stop","ts":1234.567
struct JSONWriter {
  private(set) var text = "{"
  private var isEmpty = true

  mutating func field(_ name: String, _ value: String) {
    key(name)
    text += Self.quoted(value)
  }

  mutating func field(_ name: String, _ value: some FixedWidthInteger) {
    key(name)
    text += String(value)
  }

  /// Writes no field for a number that the input does not have.
  mutating func field(_ name: String, known value: (some FixedWidthInteger)?) {
    if let value { field(name, value) }
  }

  /// Nanoseconds as microseconds with three decimals, exactly.
  mutating func field(_ name: String, microseconds nanoseconds: Int64) {
    key(name)
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let digits = String(rest)
    text += (nanoseconds < 0 ? "-" : "") + String(whole) + "."
    text += String(repeating: "0", count: 3 - digits.count) + digits
  }

  mutating func field(_ name: String, object write: (inout JSONWriter) -> Void) {
    key(name)
    var inner = JSONWriter()
    write(&inner)
    text += inner.finished
  }

  /// The whole object.
  var finished: String { text + "}" }

  private mutating func key(_ name: String) {
    if !isEmpty { text += "," }
    isEmpty = false
    text += "\"\(name)\":"
  }

  /// A string of JSON; characters that are unsafe in a script or a terminal are escaped as well.
  static func quoted(_ value: String) -> String {
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "<", ">": result += scalar.jsonEscape
      case _ where scalar.isUnsafeInText: result += scalar.jsonEscape
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension Unicode.Scalar {
  /// `\u001b`, or two of them for a scalar beyond the first 65,536.
  fileprivate var jsonEscape: String {
    UTF16.encode(self)?.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined() ?? ""
  }
}

extension String {
  /// A text of JSON with unsafe characters of strings as `\u001b`; the values are the same.
  ///
  /// Outside of strings, JSON contains no control characters except line feeds, carriage returns
  /// and tabs.
  var withEscapedControls: String {
    func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
      scalar.value >= 0x7f && scalar.isUnsafeInText
    }
    guard unicodeScalars.contains(where: isEscaped) else { return self }
    var result = ""
    result.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      if isEscaped(scalar) {
        result += scalar.jsonEscape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
