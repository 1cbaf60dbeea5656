// SPDX-License-Identifier: Apache-2.0

/// The terms of an ORDER BY that an index may have: columns, and expressions of them.
///
///     SELECT id, lower(name) AS n FROM t ORDER BY n DESC      // lower(name)
///     SELECT id, made FROM t ORDER BY 2                       // made
///     SELECT * FROM t ORDER BY CASE state WHEN 'a' THEN 0 ELSE 1 END, id DESC
struct SortedExpressions {
  struct Term {
    var tokens: Range<Int>
    var isDescending: Bool
  }

  var terms: [Term]
  private let tokens: [SQLToken]

  /// - Returns: nil where NULLs are in an order that no index has.
  init?(of scope: SelectScope, _ tokens: [SQLToken]) {
    guard let order = scope.order else { return nil }
    self.tokens = tokens
    let results = Self.results(of: scope, tokens)
    terms = []
    for var range in Self.split(order.dropFirst(), tokens) {
      if let last = range.last, tokens[last].isSymbol(";") { range = range.dropLast() }
      guard !range.contains(where: { tokens[$0].isWord("NULLS") }) else { return nil }
      var isDescending = false
      if let last = range.last, tokens[last].isWord("ASC") || tokens[last].isWord("DESC") {
        isDescending = tokens[last].isWord("DESC")
        range = range.dropLast()
      }
      guard let first = range.first else { return nil }
      if range.count == 1 {
        let word = tokens[first]
        if let number = Int(word.text), results.indices.contains(number - 1) {
          range = results[number - 1].tokens
        } else if let name = word.name?.lowercased(),
          let result = results.first(where: { $0.name == name })
        {
          range = result.tokens
        }
      }
      terms.append(Term(tokens: range, isDescending: isDescending))
    }
  }

  /// The index on the terms of one table behind columns that are equal; nil where SQLite has no such index.
  func index(on table: String, equal: [String], _ scope: SelectScope) -> IndexCandidate? {
    var (columns, words) = (equal, equal.map(SQLName.quotedIfNeeded))
    let isMixed = Set(terms.map(\.isDescending)).count > 1
    for term in terms {
      let names = ComparedExpression.names(in: term.tokens, tokens)
      guard !names.isEmpty, ComparedExpression.table(of: names, scope) == table,
        ComparedExpression.isIndexable(term.tokens, tokens, ComparedExpression.functions)
      else { return nil }
      columns += names.map(\.column).filter { !columns.contains($0) }
      words.append(
        ComparedExpression.text(term.tokens, tokens) + (isMixed && term.isDescending ? " DESC" : "")
      )
    }
    return IndexCandidate(table: table, columns: columns, expression: words.joined(separator: ", "))
  }

  private static func results(
    of scope: SelectScope, _ tokens: [SQLToken]
  ) -> [(tokens: Range<Int>, name: String?)] {
    guard let columns = scope.columns else { return [] }
    let isDistinct = columns.first.map { tokens[$0].isWord("DISTINCT") } ?? false
    return split(isDistinct ? columns.dropFirst() : columns, tokens).map { range in
      guard range.count > 2, tokens[range.upperBound - 2].isWord("AS") else { return (range, nil) }
      return (range.dropLast(2), tokens[range.upperBound - 1].name?.lowercased())
    }
  }

  /// The parts between commas that are in no parenthesis.
  private static func split(_ range: Range<Int>, _ tokens: [SQLToken]) -> [Range<Int>] {
    var level = 0
    return range.split(omittingEmptySubsequences: false) { index in
      if tokens[index].isSymbol("(") { level += 1 }
      if tokens[index].isSymbol(")") { level -= 1 }
      return level == 0 && tokens[index].isSymbol(",")
    }
  }
}
