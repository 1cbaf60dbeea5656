// SPDX-License-Identifier: Apache-2.0

/// A SELECT with AND and OR terms that can be written in another order: terms of its WHERE, of
/// groups within it, and of the WHERE of subqueries.
///
/// Parameters are numbered first, so that each keeps its value wherever its term goes:
///
///     … WHERE (a > ? AND  b = ?)  LIMIT ?      // as written
///     … WHERE (b = ?2 AND a > ?1)  LIMIT ?3    // order [1, 0]
struct OrderedStatement {
  /// One way to write it.
  struct Variant: Hashable {
    /// The terms in order; the terms of a subquery follow the term that contains it.
    var order: [Int]
    /// For each group, the order of its parts.
    fileprivate var choice: [[Int]]
  }

  /// The terms as written, their parameters numbered; a term with a subquery, then the subquery's.
  let terms: [String]
  /// The tokens of each term, in ``outline``.
  let termTokens: [Range<Int>]
  /// For each group its parts, as the numbers of their terms.
  let groups: [[[Int]]]
  let outline: StatementOutline
  let scope: SelectScope
  let parameterCount: Int
  private let root: TermGroup
  var groupSizes: [Int] { groups.map(\.count) }
  /// The SQL; its parameters are numbered.
  let sql: String
  private let filterRange: Range<String.Index>
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
    var reader = TermGroupReader(outline: outline)
    root = reader.group(TermTree(filter, of: outline.tokens))
    termTokens = reader.terms
    groups = reader.groups
    terms = termTokens.map { outline.text(of: $0, in: sql) }
    guard groups.contains(where: { $0.count > 1 }) else { throw .oneTerm(terms.first ?? "") }
    let filterRange = outline.textRange(of: filter)
    suffixWithoutLimit =
      scope.limit.flatMap {
        $0.isEmpty ? nil : outline.tokens[$0.lowerBound - 1].range.lowerBound
      }.map { String(sql[filterRange.upperBound..<$0]) } ?? String(sql[filterRange.upperBound...])
    self.filterRange = filterRange
    self.sql = sql
    self.outline = outline
    self.scope = scope
    parameterCount = numbered.count
  }

  func sql(_ variant: Variant, withLimit: Bool = true) -> String {
    sql[..<filterRange.lowerBound] + root.text(variant.choice, outline, sql)
      + (withLimit ? sql[filterRange.upperBound...] : suffixWithoutLimit[...])
  }

  // 24 is four terms in every order; the more variants, the more rounds each comparison takes.
  private static let maxVariants = 24

  /// The original order, then others: all orders of a single group if they are few; for several
  /// groups, all combinations, or the orders of each group separately.
  var variants: [Variant] {
    let written = groupSizes.map { Array(0..<$0) }
    let orders = groupSizes.map(Self.orders)
    let all = orders.reduce(1) { min($0 * $1.count, Self.maxVariants + 1) }
    var choices = [[[Int]]]()
    if all <= Self.maxVariants {
      choices = orders.reduce([[]]) { rest, orders in
        rest.flatMap { head in orders.map { head + [$0] } }
      }
    } else {
      choices = [written]
      for (group, orders) in orders.enumerated() {
        for order in orders.dropFirst() {
          var choice = written
          choice[group] = order
          choices.append(choice)
        }
      }
      choices = Array(choices.prefix(Self.maxVariants))
    }
    choices.append(contentsOf: [cheapFirst].filter { !choices.contains($0) })
    return choices.map { Variant(order: root.order($0), choice: $0) }
  }

  var written: Variant {
    let choice = groupSizes.map { Array(0..<$0) }
    return Variant(order: root.order(choice), choice: choice)
  }

  /// For each group, the parts that compare columns first, then the parts that call functions.
  private var cheapFirst: [[Int]] {
    groups.map { parts in
      let isCostly = parts.map { $0.contains(where: isCostly(term:)) }
      return parts.indices.filter { !isCostly[$0] } + parts.indices.filter { isCostly[$0] }
    }
  }

  /// Whether evaluating a term takes far longer than a comparison of a column: it calls a function
  /// or holds a SELECT.
  func isCostly(term: Int) -> Bool {
    let range = termTokens[term]
    return range.contains { position in
      let token = outline.tokens[position]
      if ["LIKE", "GLOB", "REGEXP", "MATCH", "SELECT"].contains(where: token.isWord) {
        return true
      }
      return position + 1 < range.upperBound && outline.tokens[position + 1].isSymbol("(")
        && token.kind == .word && !["AND", "OR", "NOT", "IN"].contains(where: token.isWord)
    }
  }

  /// Whether a term calls a function that returns another value at each call.
  var isRandom: Bool {
    termTokens.joined().contains { position in
      ["RANDOM", "RANDOMBLOB"].contains(where: outline.tokens[position].isWord)
        && position + 1 < outline.tokens.count && outline.tokens[position + 1].isSymbol("(")
    }
  }

  /// Every order of up to four parts; of more, each part first in turn.
  private static func orders(of count: Int) -> [[Int]] {
    let written = Array(0..<count)
    guard count <= 4 else {
      return written.map { first in [first] + written.filter { $0 != first } }
    }
    return permutations(written)
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in
      permutations(items.filter { $0 != first }).map { [first] + $0 }
    }
  }
}

extension StatementOutline {
  func textRange(of range: Range<Int>) -> Range<String.Index> {
    tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
  }

  func text(of range: Range<Int>, in sql: String) -> String { String(sql[textRange(of: range)]) }
}

/// SQL with all parameters of the form `?1`, numbered as SQLite does.
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
