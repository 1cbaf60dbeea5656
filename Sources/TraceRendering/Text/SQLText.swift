// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// SQL made short for a reader.
enum SQLText {
  /// Removes the column list of a SELECT that is too long.
  ///
  ///     SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZSTOP t0 WHERE t0.ZNAME = ?
  ///     SELECT … FROM ZSTOP t0 WHERE t0.ZNAME = ?
  static func abridged(_ sql: String, to width: Int) -> String {
    // The SQL of the second side of a comparison follows an arrow.
    let sql = FoldedSQL(onOneLine(sql)).text
    let mark = sql.hasPrefix("→ ") ? "→ " : ""
    guard TerminalText.width(sql) > width,
      let from = startOfFrom(in: SQLTokenizer.tokens(of: sql[...].dropFirst(mark.count)), of: sql)
    else { return sql }
    return mark + "SELECT …" + sql[from...]
  }

  // A thousand characters are a query with some joins.
  private static let maxLength = 1000

  /// The SQL on one line, its lists folded, the rest of a long one by its length.
  static func shortened(_ sql: String) -> String {
    let text = FoldedSQL(onOneLine(sql)).text
    guard text.count > maxLength else { return text }
    return text.prefix(maxLength) + rest(text.count - maxLength)
  }

  /// The placeholder for the rest of a text: `… 1,204 more characters`.
  static func rest(_ characters: Int) -> String {
    "… \(UInt64(characters).grouped) more characters"
  }

  /// Replaces each run of white space outside quotes by one space.
  static func onOneLine(_ sql: String) -> String {
    guard sql.utf8.contains(where: { $0 == 0x0a || $0 == 0x09 || $0 == 0x0d }) else { return sql }
    var result = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    for scalar in sql.unicodeScalars {
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == "'" || scalar == "\"" {
        quote = scalar
      } else if scalar.properties.isWhitespace {
        if result.last != " " { result.append(" ") }
        continue
      }
      result.append(scalar)
    }
    return String(result)
  }

  /// The space before the FROM of a SELECT, outside all parentheses.
  private static func startOfFrom(in tokens: [SQLToken], of sql: String) -> String.Index? {
    guard tokens.first?.isWord("SELECT") == true else { return nil }
    var level = 0
    for token in tokens {
      level += token.nesting
      if level == 0, token.isWord("FROM") { return sql.index(before: token.range.lowerBound) }
    }
    return nil
  }
}
