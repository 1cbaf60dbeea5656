// SPDX-License-Identifier: Apache-2.0

/// The first word of a statement.
enum SQLKeyword {
  /// Statements that read, and change nothing of their connection.
  static let queries: Set<String> = ["SELECT", "VALUES", "WITH", "EXPLAIN"]

  /// In upper case, after spaces, comments and empty statements; "" if there is none.
  static func first(of sql: String) -> String {
    var rest = sql.utf8[...]
    while let byte = rest.first {
      if " \t\n\r\u{0C};".utf8.contains(byte) {
        rest.removeFirst()
      } else if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = behindComment(rest.dropFirst(2))
      } else {
        break
      }
    }
    let word = rest.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
    return String(decoding: word, as: UTF8.self).uppercased()
  }

  private static func behindComment(_ text: Substring.UTF8View) -> Substring.UTF8View {
    var rest = text
    while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
    return rest.dropFirst(2)
  }
}
