// SPDX-License-Identifier: Apache-2.0

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

  /// The clauses, those that are too wide broken at their terms and in their parentheses.
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

  /// Breaks before keywords outside parentheses and quotes.
  private static func pieces(of sql: Substring, before words: [String]) -> [Substring] {
    var pieces: [Substring] = []
    var start = sql.startIndex
    var scanner = SQLLayoutScanner(sql)
    while let word = scanner.next(of: words) {
      pieces.append(sql[start..<word])
      start = word
    }
    return pieces + [sql[start...]]
  }

  /// The text within the widest parentheses, if it can be broken.
  private static func widestGroup(in sql: Substring) -> Range<String.Index>? {
    var scanner = SQLLayoutScanner(sql)
    var widest: Range<String.Index>?
    while let group = scanner.nextGroup() {
      let width = sql[group].utf8.count
      // 30 is arbitrary: less is easier to read on one line.
      if width > 30, width > widest.map({ sql[$0].utf8.count }) ?? 0 { widest = group }
    }
    return widest
  }
}

/// Finds the text outside parentheses and quotes.
private struct SQLLayoutScanner {
  private let sql: Substring
  private var index: String.Index
  private var level = 0
  /// Whether the next AND belongs to a BETWEEN.
  private var isBetween = false

  init(_ sql: Substring) {
    self.sql = sql
    index = sql.startIndex
  }

  /// The space before the next of some words.
  mutating func next(of words: [String]) -> String.Index? {
    while let (here, character) = step() {
      guard level == 0, character == " " || character == "\n" || character == "\t" else { continue }
      let rest = sql[index...]
      if rest.hasPrefix("BETWEEN ") { isBetween = true }
      guard let word = words.first(where: { rest.hasPrefix($0 + " ") }) else { continue }
      if word == "AND", isBetween {
        isBetween = false
        continue
      }
      return here
    }
    return nil
  }

  /// The text between the next parentheses.
  mutating func nextGroup() -> Range<String.Index>? {
    var start: String.Index?
    while let (here, character) = step() {
      if character == "(", level == 1 { start = index }
      if character == ")", level == 0, let start { return start..<here }
    }
    return nil
  }

  private mutating func step() -> (String.Index, Character)? {
    guard index < sql.endIndex else { return nil }
    let here = index
    let character = sql[here]
    index = sql.index(after: here)
    switch character {
    case "(": level += 1
    case ")": level -= 1
    case "'", "\"", "`":
      index = sql[index...].firstIndex(of: character).map(sql.index(after:)) ?? sql.endIndex
    default: break
    }
    return (here, character)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let front = drop(while: \.isWhitespace)
    return front[
      ..<(front.lastIndex { !$0.isWhitespace }.map(front.index(after:)) ?? front.startIndex)]
  }
}
