// SPDX-License-Identifier: Apache-2.0

/// A statement without its values, by which runs of different programs and days are matched.
///
/// The arguments of a function are not a list, and the numbers of Core Data's functions are part of the
/// query: `NSCoreDataStringSearch(x, ?, 8, 0)` is a different search from
/// `NSCoreDataStringSearch(x, ?, 137, 0)`. All other numbers and texts are values, also a text in double
/// quotes where SQLite takes it for one.
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
  public init(sql: String) {
    var words: [Substring] = []
    var rows = ValueRows()
    var previous: SQLToken?
    var calls: [Bool] = []
    let tokens = SQLTokenizer.tokens(of: sql)
    let values = SQLValues.positions(in: tokens)
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") {
        calls.append(previous.map { $0.kind == .word && !Self.isOperator($0.text) } ?? false)
      } else if token.isSymbol(")") {
        _ = calls.popLast()
      }
      let isValue = values.contains(index) || token.kind == .parameter
      // The number distinguishes several lists; it is not part of the query.
      let word =
        isValue ? "?" : token.isName(from: "_Z_intarray") ? "_Z_intarray" : token.text
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

  /// The words before the first FROM: a query and its columns.
  public var columns: String {
    let words = SQLTokenizer.tokens(of: description).prefix { !$0.isWord("FROM") }
    return Self.joined(words.map(\.text))
  }

  public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
  public static func < (a: Self, b: Self) -> Bool { a.key < b.key }
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

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

/// The rows of a VALUES clause, of which equal ones are kept once.
struct ValueRows {
  /// The number of open parentheses around VALUES; nil outside the clause.
  private var depth: Int?
  /// The position of the row's `(` among the words.
  private var start: Int?
  private var rows: Set<[Substring]> = []

  /// Removes the last row, with the comma before it, if an equal one is before it.
  mutating func fold(_ words: inout [Substring], after token: SQLToken, depth: Int) {
    if start == nil, token.isWord("VALUES") {
      (self.depth, rows) = (depth, [])
      return
    }
    guard let level = self.depth else { return }
    if token.isSymbol("("), depth == level + 1 {
      start = words.count - 1
    } else if token.isSymbol(")"), depth == level, let first = start {
      if !rows.insert(Array(words[first...])).inserted { words.removeSubrange((first - 1)...) }
      start = nil
    } else if start == nil, !token.isSymbol(",") {
      self.depth = nil
    }
  }
}
