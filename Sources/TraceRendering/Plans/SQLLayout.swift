// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// SQL with its clauses on lines of their own.
///
///     SELECT 0, t0.Z_PK
///     FROM ZSTOP t0
///     WHERE ( t0.ZNAME = ?)
///     LIMIT 100
enum SQLLayout {
  private static let clauses = [
    "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "UNION",
  ]

  static func lines(of sql: String) -> [String] {
    pieces(of: SQLText.onOneLine(sql)[...], before: clauses).map(String.init)
      .filter { $0.contains { !$0.isWhitespace } }
  }

  /// The clauses; clauses that are too wide are broken at their terms and in their parentheses.
  ///
  ///     WHERE t0.ZNAME = ?
  ///       AND (SELECT COUNT(t1.Z_PK)
  ///         FROM ZSTOPTIME t1
  ///         …
  ///       ) > ?
  static func indentedLines(of sql: String, width: Int = 80) -> [String] {
    indented(sql[...], by: 0, width: width)
  }

  private static func indented(_ sql: Substring, by indent: Int, width: Int) -> [String] {
    let text = sql.trimmed
    let line = String(repeating: " ", count: indent) + text
    // Deeper than 40 nothing would be left of the width.
    guard line.utf8.count > width, indent < 40 else { return text.isEmpty ? [] : [line] }
    for words in [clauses, ["AND", "OR"]] {
      let pieces = pieces(of: text, before: words)
      guard pieces.count > 1 else { continue }
      let hang = words == clauses ? indent : indent + 2
      return indented(pieces[0], by: indent, width: width)
        + pieces.dropFirst().flatMap { indented($0, by: hang, width: width) }
    }
    guard let group = widestGroup(in: text) else { return [line] }
    let head = String(repeating: " ", count: indent) + text[..<group.lowerBound]
    return [head] + indented(text[group], by: indent + 2, width: width)
      + indented(text[group.upperBound...], by: indent, width: width)
  }

  /// Breaks before keywords outside parentheses.
  private static func pieces(of sql: Substring, before words: [String]) -> [Substring] {
    let tokens = SQLTokenizer.tokens(of: sql)
    var pieces: [Substring] = []
    var (start, level, isBetween) = (sql.startIndex, 0, false)
    for (index, token) in tokens.enumerated() {
      level += token.nesting
      guard level == 0, index > 0, token.kind == .word else { continue }
      if token.isWord("BETWEEN") { isBetween = true }
      guard words.contains(where: { tokens[index...].starts(with: $0) }) else { continue }
      if token.isWord("AND"), isBetween {
        isBetween = false
        continue
      }
      let before = sql.index(before: token.range.lowerBound)
      let end = sql[before].isWhitespace ? before : token.range.lowerBound
      pieces.append(sql[start..<end])
      start = end
    }
    return pieces + [sql[start...]]
  }

  /// The text within the widest parentheses, if it can be broken.
  private static func widestGroup(in sql: Substring) -> Range<String.Index>? {
    var (level, widest): (Int, Range<String.Index>?) = (0, nil)
    var start: String.Index?
    for token in SQLTokenizer.tokens(of: sql) {
      level += token.nesting
      if token.isSymbol("("), level == 1 { start = token.range.upperBound }
      guard token.isSymbol(")"), level == 0, let first = start else { continue }
      let group = first..<token.range.lowerBound
      let width = sql[group].utf8.count
      // 30 is arbitrary: less is easier to read on one line.
      if width > 30, width > widest.map({ sql[$0].utf8.count }) ?? 0 { widest = group }
    }
    return widest
  }
}

extension SQLToken {
  /// How many parentheses it opens, less the number that it closes.
  var nesting: Int { isSymbol("(") ? 1 : isSymbol(")") ? -1 : 0 }
}

extension ArraySlice<SQLToken> {
  /// Whether the first tokens are some words: `ORDER BY`.
  fileprivate func starts(with words: String) -> Bool {
    let words = words.split(separator: " ")
    return count >= words.count && zip(self, words).allSatisfy { $0.isWord(String($1)) }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let front = drop(while: \.isWhitespace)
    return front[
      ..<(front.lastIndex { !$0.isWhitespace }.map(front.index(after:)) ?? front.startIndex)]
  }
}
