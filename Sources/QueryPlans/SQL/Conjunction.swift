// SPDX-License-Identifier: Apache-2.0

/// The terms that AND joins at the top of a WHERE clause, as ranges of tokens.
///
/// Parentheses around the whole and around conjunctions within it are looked through:
///
///     WHERE (( a = 1 AND  b BETWEEN 2 AND 3) AND  c)      // a = 1, b BETWEEN 2 AND 3, c
struct Conjunction {
  let terms: [Range<Int>]

  init(_ range: Range<Int>, of tokens: [SQLToken]) { terms = Self.terms(range, tokens) }

  private static func terms(_ range: Range<Int>, _ tokens: [SQLToken]) -> [Range<Int>] {
    let inner = unwrapped(range, tokens)
    var level = 0
    var caseLevel = 0
    var openBetweens = 0
    var start = inner.lowerBound
    var terms: [Range<Int>] = []
    for index in inner {
      let token = tokens[index]
      if token.isSymbol("(") { level += 1 } else if token.isSymbol(")") { level -= 1 }
      guard level == 0 else { continue }
      if token.isWord("CASE") { caseLevel += 1 } else if token.isWord("END") { caseLevel -= 1 }
      guard caseLevel <= 0 else { continue }
      if token.isWord("OR") { return [range] }
      if token.isWord("BETWEEN") { openBetweens += 1 }
      guard token.isWord("AND") else { continue }
      if openBetweens > 0 {
        openBetweens -= 1
      } else {
        terms.append(start..<index)
        start = index + 1
      }
    }
    guard !terms.isEmpty else { return [range] }
    terms.append(start..<inner.upperBound)
    return terms.flatMap { $0.isEmpty ? [] : Self.terms($0, tokens) }
  }

  /// Leaves out parentheses around the whole, but not those of a subquery.
  static func unwrapped(_ range: Range<Int>, _ tokens: [SQLToken]) -> Range<Int> {
    var range = range
    while range.count > 2, tokens[range.lowerBound].isSymbol("("),
      closing(range.lowerBound, tokens) == range.upperBound - 1,
      !["SELECT", "WITH", "VALUES"].contains(where: tokens[range.lowerBound + 1].isWord)
    {
      range = range.lowerBound + 1..<range.upperBound - 1
    }
    return range
  }

  private static func closing(_ opening: Int, _ tokens: [SQLToken]) -> Int? {
    var level = 0
    for index in opening..<tokens.count {
      if tokens[index].isSymbol("(") { level += 1 }
      if tokens[index].isSymbol(")") { level -= 1 }
      if level == 0 { return index }
    }
    return nil
  }
}
