// SPDX-License-Identifier: Apache-2.0

/// A long statement made short for a reader: its long lists and the rows of VALUES by their number.
///
///     INSERT INTO book (id, title) VALUES (?, ?), … 499 rows
///     SELECT title FROM book WHERE id IN (?, ?, … 300 values)
public struct FoldedSQL {
  /// A statement up to here is not folded: it fits in a few lines.
  private static let maxLength = 240
  /// The longest list and the most rows that are not folded.
  private static let maxValues = 8
  private static let maxRows = 3

  /// The SQL to print.
  public private(set) var text: String
  private let tokens: [SQLToken]
  /// The position of the other parenthesis of each pair.
  private let partners: [Int: Int]

  /// Folds a statement.
  public init(_ sql: String) {
    text = sql
    guard sql.utf8.count > Self.maxLength else {
      (tokens, partners) = ([], [:])
      return
    }
    tokens = SQLTokenizer.tokens(of: sql)
    partners = Self.pairs(in: tokens)
    var result = ""
    var end = sql.startIndex
    func replace(_ range: Range<String.Index>, _ words: String) {
      result += sql[end..<range.lowerBound] + words
      end = range.upperBound
    }
    var index = 0
    while index < tokens.count {
      defer { index += 1 }
      if let list = list(at: index), list.count > Self.maxValues {
        let isCut = list.end == tokens.count
        let last = isCut ? sql.endIndex : tokens[list.end].range.lowerBound
        replace(
          tokens[list[2]].range.lowerBound..<last,
          "… \(list.count) values\(isCut ? " or more" : "")")
        index = list.end
      }
      guard index < tokens.count, let rows = rows(from: index), rows.count > Self.maxRows
      else { continue }
      replace(
        tokens[index].range.upperBound..<tokens[rows.end].range.upperBound,
        ", … \(rows.count) rows")
      index = rows.end
    }
    text = result + sql[end...]
  }

  /// The parameters in a statement's text, which may have been cut.
  public static func parameterCount(of sql: String) -> Int {
    SQLTokenizer.tokens(of: sql).count { $0.kind == .parameter }
  }

  /// The values of a list, by their first tokens.
  private struct List {
    var starts: [Int] = []
    /// The position of its `)`; behind the last token where the text was cut within the list.
    var end: Int
    var count: Int { starts.count }
    subscript(index: Int) -> Int { starts[index] }
  }

  /// The list that begins with `(` at a position; nil if something in it is no value.
  private func list(at position: Int) -> List? {
    guard tokens[position].isSymbol("(") else { return nil }
    var list = List(end: position)
    var isExpected = true
    for index in tokens.indices[(position + 1)...] {
      let token = tokens[index]
      if token.isSymbol(")"), !isExpected {
        list.end = index
        return list
      }
      if token.isSymbol(","), !isExpected {
        isExpected = true
        continue
      }
      let isSign = token.isSymbol("-") && isExpected
      guard isExpected,
        isSign || [.parameter, .number, .text].contains(token.kind) || token.isWord("NULL")
      else { return nil }
      if list.starts.last != index - 1 || !tokens[index - 1].isSymbol("-") {
        list.starts.append(index)
      }
      isExpected = isSign
    }
    list.end = tokens.count
    return list
  }

  /// The rows of VALUES, if the first one ends with the `)` at an index; nil if it is no such row.
  private func rows(from position: Int) -> (count: Int, end: Int)? {
    guard tokens[position].isSymbol(")"), let start = partners[position], start > 0,
      tokens[start - 1].isWord("VALUES")
    else { return nil }
    var (count, end) = (1, position)
    while end + 2 < tokens.count, tokens[end + 1].isSymbol(","), tokens[end + 2].isSymbol("("),
      let next = partners[end + 2]
    {
      (count, end) = (count + 1, next)
    }
    return (count, end)
  }

  /// Each `(` and its `)`, both ways, in one pass: a search from each would take the square of a
  /// long statement's length.
  private static func pairs(in tokens: [SQLToken]) -> [Int: Int] {
    var pairs: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") { open.append(index) }
      guard token.isSymbol(")"), let start = open.popLast() else { continue }
      (pairs[start], pairs[index]) = (index, start)
    }
    return pairs
  }
}
