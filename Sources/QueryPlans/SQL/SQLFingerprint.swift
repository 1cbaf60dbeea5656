// SPDX-License-Identifier: Apache-2.0

/// A statement without its values, by which runs of different programs and days are matched.
///
///     SELECT 0, t0.Z_PK FROM ZSTOP t0  WHERE t0.ZNAME IN ('a', 'b')  LIMIT 100
///     SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME IN (?) LIMIT ?
public struct SQLFingerprint: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The SQL, values and lists of values folded to `?`, one space between words.
  public let description: String

  /// Folds a statement.
  public init(sql: String) {
    var words: [Substring] = []
    var previous: SQLToken?
    for token in SQLTokenizer.tokens(of: sql) {
      let word = Self.folded(token, after: previous)
      // `?, ?` in parentheses is one list, however long.
      if word == "?", words.count >= 2, words[words.count - 1] == ",",
        words[words.count - 2] == "?"
      {
        words.removeLast()
      } else {
        words.append(word)
      }
      previous = token
    }
    description = Self.joined(words)
  }

  public static func < (a: Self, b: Self) -> Bool { a.description < b.description }

  private static func folded(_ token: SQLToken, after previous: SQLToken?) -> Substring {
    switch token.kind {
    case .parameter, .text: "?"
    // `SELECT 0` and `SELECT 1` are Core Data's marks for whole and partial objects.
    case .number: previous?.isWord("SELECT") == true ? token.text : "?"
    // The number says which of several lists it is, not what is asked.
    case .word where token.text.hasPrefix("_Z_intarray"): "_Z_intarray"
    case .word, .quotedName, .symbol: token.text
    }
  }

  private static func joined(_ words: [Substring]) -> String {
    var result = ""
    var previous: Substring = ""
    for word in words {
      let isTight =
        previous.isEmpty || previous == "(" || previous == "." || word == "." || word == ","
        || word == ")" || word == ";"
        || (word == "(" && previous.last.map { $0.isLetter } == true && !isOperator(previous))
      if !isTight { result += " " }
      result += word
      previous = word
    }
    return result
  }

  private static func isOperator(_ word: Substring) -> Bool {
    [
      "IN", "AND", "OR", "NOT", "WHERE", "FROM", "ON", "AS", "EXISTS", "VALUES", "THEN", "WHEN",
      "ELSE", "BY", "JOIN", "HAVING", "UNION", "ALL", "BETWEEN", "IS", "LIKE",
    ]
    .contains(word.uppercased())
  }
}
