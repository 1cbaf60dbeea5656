// SPDX-License-Identifier: Apache-2.0

/// The rows of a VALUES clause, of which equal ones are kept once.
struct ValueRows {
  /// The number of open parentheses around VALUES; nil outside the clause.
  private var depth: Int?
  /// The place of the row's `(` among the words.
  private var start: Int?
  private var rows: Set<[Substring]> = []

  /// Removes the last row, with the comma before it, if an equal one is before it.
  ///
  /// - Parameters:
  ///   - words: the words of the form, up to a token.
  ///   - token: that token.
  ///   - depth: the number of parentheses that are open after it.
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
