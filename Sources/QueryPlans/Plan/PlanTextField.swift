// SPDX-License-Identifier: Apache-2.0

/// A column of a plan's row with its name, as JSON, `.mode line` and the dumps of programs have it.
///
///     "id": 3, "parent": 0, "notused": 0, "detail": "SCAN t0"
///      detail = SCAN t0
///     [detail] => SCAN t0
struct PlanTextField {
  var name: String
  var text: String

  static let names: Set = ["id", "selectid", "parent", "order", "notused", "from", "detail"]

  /// The fields of a line; nil if it has anything else.
  static func all(in line: Substring) -> [PlanTextField]? {
    var fields: [PlanTextField] = []
    var rest = line
    while true {
      rest = rest.drop { " \t{}[](),;\"'".contains($0) }
      guard !rest.isEmpty else { return fields.isEmpty ? nil : fields }
      let name = rest.prefix(while: \.isLetter)
      guard names.contains(name.lowercased()),
        let mark = rest.dropFirst(name.count).prefixMatch(of: #/["'\]]?\s*(=>|:|=)\s*/#)
      else { return nil }
      rest = rest[mark.range.upperBound...]
      let text = value(&rest)
      guard !text.isEmpty else { return nil }
      fields.append(.init(name: name.lowercased(), text: text))
    }
  }

  /// Takes a number, a text in quotes, or the rest of the line.
  private static func value(_ rest: inout Substring) -> String {
    if let quote = rest.first, quote == "\"" || quote == "'" {
      rest = rest.dropFirst()
      var end = rest.startIndex
      while end < rest.endIndex, rest[end] != quote {
        if rest[end] == "\\" { end = rest.index(after: end) }
        if end < rest.endIndex { end = rest.index(after: end) }
      }
      defer { rest = rest[end...].dropFirst() }
      return unescaped(rest[..<end], quote: quote)
    }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let isNumber = !digits.isEmpty
    let text = isNumber ? digits : rest
    rest = rest.dropFirst(text.count)
    return text.split(separator: " ").joined(separator: " ")
  }

  /// Undoes the escapes of JSON, and the doubled quotes of CSV and SQL.
  static func unescaped(_ text: Substring, quote: Character) -> String {
    var result = text.split(separator: "\(quote)\(quote)", omittingEmptySubsequences: false)
      .joined(separator: "\(quote)")
    result.replace(#/\\u([0-9a-fA-F]{4})/#) { match in
      UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? "\u{fffd}"
    }
    result.replace(#/\\(["'\\\/])/#) { String($0.1) }
    return result
  }
}
