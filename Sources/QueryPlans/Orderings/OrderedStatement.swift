// SPDX-License-Identifier: Apache-2.0

/// A SELECT whose top AND terms can be written in another order.
///
/// Parameters are numbered first, so that each keeps its value wherever its term goes:
///
///     … WHERE (a > ? AND  b = ?)  LIMIT ?      // as written
///     … WHERE (b = ?2 AND a > ?1)  LIMIT ?3    // order [1, 0]
struct OrderedStatement {
  /// The terms as written, their parameters numbered.
  let terms: [String]
  /// The tokens of each term, in ``outline``.
  let termTokens: [Range<Int>]
  let outline: StatementOutline
  let scope: SelectScope
  /// How many values it takes.
  let parameterCount: Int
  private let prefix: String
  private let suffix: String
  private let suffixWithoutLimit: String

  init(_ sql: String) throws(OrderingError) {
    let numbered = ParameterNumbering(sql)
    let sql = numbered.sql
    let outline = StatementOutline(sql)
    guard ["SELECT", "WITH"].contains(outline.verb) else { throw .notASelect }
    let scopes = outline.scopes.filter { $0.role == .statement }
    guard let scope = scopes.first else { throw .notASelect }
    guard scopes.count == 1 else { throw .compound }
    guard let filter = scope.filter, !filter.isEmpty else { throw .noWhere }
    func text(_ range: Range<Int>) -> String {
      String(sql[Self.range(range, outline.tokens)])
    }
    termTokens = Conjunction(filter, of: outline.tokens).terms
    terms = termTokens.map(text)
    guard terms.count > 1 else { throw .oneTerm(terms.first ?? "") }
    let place = Self.range(filter, outline.tokens)
    prefix = String(sql[..<place.lowerBound])
    suffix = String(sql[place.upperBound...])
    suffixWithoutLimit =
      scope.limit.flatMap { $0.isEmpty ? nil : outline.tokens[$0.lowerBound - 1].range.lowerBound }
      .map { String(sql[place.upperBound..<$0]) } ?? suffix
    self.outline = outline
    self.scope = scope
    parameterCount = numbered.count
  }

  func sql(order: [Int], withLimit: Bool = true) -> String {
    prefix + "(" + order.map { terms[$0] }.joined(separator: " AND ") + ")"
      + (withLimit ? suffix : suffixWithoutLimit)
  }

  /// Every order of up to four terms; of more, each term first in turn.
  var orders: [[Int]] {
    let written = Array(terms.indices)
    guard terms.count <= 4 else {
      return written.map { first in [first] + written.filter { $0 != first } }
    }
    return Self.permutations(written)
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in
      permutations(items.filter { $0 != first }).map { [first] + $0 }
    }
  }

  private static func range(_ range: Range<Int>, _ tokens: [SQLToken]) -> Range<String.Index> {
    tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
  }
}

/// SQL whose parameters are all of the form `?1`, numbered as SQLite does.
///
/// See <https://www.sqlite.org/lang_expr.html#varparam>.
struct ParameterNumbering {
  private(set) var sql = ""
  private(set) var count = 0

  init(_ original: String) {
    var names: [Substring: Int] = [:]
    var end = original.startIndex
    for token in SQLTokenizer.tokens(of: original) where token.kind == .parameter {
      let number: Int
      if let written = Int(token.text.dropFirst()), token.text.hasPrefix("?") {
        number = written
      } else if token.text == "?" {
        number = count + 1
      } else {
        number = names[token.text] ?? count + 1
        names[token.text] = number
      }
      count = max(count, number)
      sql += original[end..<token.range.lowerBound] + "?\(number)"
      end = token.range.upperBound
    }
    sql += original[end...]
  }
}
