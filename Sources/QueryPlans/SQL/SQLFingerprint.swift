// SPDX-License-Identifier: Apache-2.0

/// A statement without its values, by which runs of different programs and days are matched.
///
/// The arguments of a function are not a list, and its numbers are part of the query: Core Data's
/// `NSCoreDataStringSearch(x, ?, 8, 0)` is a different search from
/// `NSCoreDataStringSearch(x, ?, 137, 0)`.
///
///     SELECT 0, t0.Z_PK FROM ZSTOP t0  WHERE t0.ZNAME IN ('a', 'b')  LIMIT 100
///     SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME IN (?) LIMIT ?
///
/// Equal rows of VALUES are one row, and the name of a savepoint is a value: programs number them.
///
///     INSERT INTO book(id, title) VALUES (?, ?), (?, ?), (?, ?)
///     INSERT INTO book(id, title) VALUES (?)
public struct SQLFingerprint: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The SQL, values and lists of values folded to `?`, one space between words.
  public let description: String
  /// The same without quotes around names, in lower case, by which forms are compared.
  private let key: String

  /// Folds a statement.
  public init(sql: String) { self.init(sql: sql, keepsNumbers: true) }

  /// - Parameter keepsNumbers: whether to keep numbers that distinguish queries, although they may
  ///   be values.
  init(sql: String, keepsNumbers: Bool) {
    var words: [Substring] = []
    var rows = ValueRows()
    var previous: SQLToken?
    var calls: [Bool] = []
    let tokens = SQLTokenizer.tokens(of: sql)
    let savepoint = Self.savepointName(in: tokens)
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") {
        calls.append(previous.map { $0.kind == .word && !Self.isOperator($0.text) } ?? false)
      } else if token.isSymbol(")") {
        _ = calls.popLast()
      }
      let isArgument = calls.last == true && Self.stands(alone: index, in: tokens)
      let word =
        if index == savepoint {
          "?" as Substring
        } else if keepsNumbers && isArgument && token.kind == .number {
          token.text
        } else {
          Self.folded(token, after: previous, keepsNumbers: keepsNumbers)
        }
      // `?, ?` in parentheses is one list, whatever its length.
      if word == "?", calls.last != true, words.count >= 2, words[words.count - 1] == ",",
        words[words.count - 2] == "?"
      {
        words.removeLast()
      } else {
        words.append(word)
      }
      rows.fold(&words, after: token, depth: calls.count)
      previous = token
    }
    description = Self.joined(words)
    key = SQLTokenizer.tokens(of: description).map(SchemaWord.text).joined(separator: " ")
  }

  public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
  public static func < (a: Self, b: Self) -> Bool { a.key < b.key }
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// The place of the name in `SAVEPOINT x`, `RELEASE SAVEPOINT x` and `ROLLBACK TRANSACTION TO SAVEPOINT x`.
  private static func savepointName(in tokens: [SQLToken]) -> Int? {
    var place = 1
    func skip(_ word: String) {
      // A savepoint may have the name of the word: then nothing follows.
      if place + 1 < tokens.count, tokens[place].isWord(word) { place += 1 }
    }
    guard let first = tokens.first else { return nil }
    if first.isWord("RELEASE") {
      skip("SAVEPOINT")
    } else if first.isWord("ROLLBACK") {
      skip("TRANSACTION")
      guard place < tokens.count, tokens[place].isWord("TO") else { return nil }
      place += 1
      skip("SAVEPOINT")
    } else if !first.isWord("SAVEPOINT") {
      return nil
    }
    return place < tokens.count && !tokens[place].isSymbol(";") ? place : nil
  }

  /// Whether a token is a whole argument, between parentheses and commas.
  private static func stands(alone index: Int, in tokens: [SQLToken]) -> Bool {
    guard index > 0, index + 1 < tokens.count else { return false }
    let (before, after) = (tokens[index - 1], tokens[index + 1])
    return (before.isSymbol("(") || before.isSymbol(","))
      && (after.isSymbol(")") || after.isSymbol(","))
  }

  private static func folded(
    _ token: SQLToken, after previous: SQLToken?, keepsNumbers: Bool
  ) -> Substring {
    switch token.kind {
    case .parameter, .text: "?"
    // `SELECT 0` and `SELECT 1` are Core Data's marks for whole and partial objects.
    case .number:
      previous?.isWord("SELECT") == true && (keepsNumbers || ["0", "1"].contains(token.text))
        ? token.text : "?"
    // The number distinguishes several lists; it is not part of the query.
    case .word where token.isName(from: "_Z_intarray"): "_Z_intarray"
    case .word, .quotedName, .symbol: token.text
    }
  }

  /// SQL with one space between words.
  static func joined(_ words: [Substring]) -> String {
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
