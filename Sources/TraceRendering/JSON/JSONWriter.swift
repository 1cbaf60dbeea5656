// SPDX-License-Identifier: Apache-2.0

/// Writes one JSON object into a text, for streams too long to be encoded as a whole.
///
///     var object = JSONWriter()
///     object.field("name", "fetch Stop")
///     object.field("ts", microseconds: 1_234_567)
///     object.text     // {"name":"fetch Stop","ts":1234.567
struct JSONWriter {
  private(set) var text = "{"
  private var isEmpty = true

  mutating func field(_ name: StaticString, _ value: String) {
    key(name)
    text += Self.quoted(value)
  }

  mutating func field(_ name: StaticString, _ value: some FixedWidthInteger) {
    key(name)
    text += String(value)
  }

  /// Nanoseconds as microseconds with three decimals, exactly.
  mutating func field(_ name: StaticString, microseconds nanoseconds: Int64) {
    key(name)
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let digits = String(rest)
    text += (nanoseconds < 0 ? "-" : "") + String(whole) + "."
    text += String(repeating: "0", count: 3 - digits.count) + digits
  }

  mutating func field(_ name: StaticString, object write: (inout JSONWriter) -> Void) {
    key(name)
    var inner = JSONWriter()
    write(&inner)
    text += inner.finished
  }

  /// The whole object.
  var finished: String { text + "}" }

  private mutating func key(_ name: StaticString) {
    if !isEmpty { text += "," }
    isEmpty = false
    text += "\"\(name)\":"
  }

  /// A string of JSON; what a script or a terminal could trip over is escaped as well.
  static func quoted(_ value: String) -> String {
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}", "<", ">":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
