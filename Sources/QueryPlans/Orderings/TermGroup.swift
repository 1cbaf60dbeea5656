// SPDX-License-Identifier: Apache-2.0

/// A part of a condition that can be written in several orders.
indirect enum TermGroup: Hashable {
  /// A term, by its number, and the conditions of subqueries within it.
  case term(Int, Range<Int>, inner: [TermGroup])
  /// Parts that AND or OR joins, by the number of the group.
  case group(Int, word: String, [TermGroup], Range<Int>)

  private var range: Range<Int> {
    switch self {
    case .term(_, let range, _), .group(_, _, _, let range): range
    }
  }

  /// The numbers of its terms, without terms of subqueries.
  var ownTerms: [Int] {
    switch self {
    case .term(let number, _, _): [number]
    case .group(_, _, let parts, _): parts.flatMap(\.ownTerms)
    }
  }

  /// The numbers of the terms, in the order that a choice sets for each group.
  func order(_ choice: [[Int]]) -> [Int] {
    switch self {
    case .term(let number, _, let inner): [number] + inner.flatMap { $0.order(choice) }
    case .group(let id, _, let parts, _): choice[id].flatMap { parts[$0].order(choice) }
    }
  }

  /// The SQL; groups get parentheses of their own.
  func text(_ choice: [[Int]], _ outline: StatementOutline, _ sql: String) -> String {
    switch self {
    case .group(let id, let word, let parts, _):
      return "("
        + choice[id].map { parts[$0].text(choice, outline, sql) }.joined(separator: " \(word) ")
        + ")"
    case .term(_, let range, let inner):
      let whole = outline.textRange(of: range)
      var text = ""
      var end = whole.lowerBound
      for condition in inner {
        let inside = outline.textRange(of: condition.range)
        text += sql[end..<inside.lowerBound] + condition.text(choice, outline, sql)
        end = inside.upperBound
      }
      return text + sql[end..<whole.upperBound]
    }
  }
}

/// Numbers the terms and groups of a condition, and of the subqueries within it.
struct TermGroupReader {
  let outline: StatementOutline
  private(set) var terms: [Range<Int>] = []
  private(set) var groups: [[[Int]]] = []

  init(outline: StatementOutline) { self.outline = outline }

  mutating func group(_ tree: TermTree) -> TermGroup {
    guard tree.kind != .term else {
      let number = terms.count
      terms.append(tree.range)
      let inner = conditions(within: tree.range).map { TermTree($0, of: outline.tokens) }
        .filter { $0.kind != .term }
      return .term(number, tree.range, inner: inner.map { group($0) })
    }
    let id = groups.count
    groups.append([])
    let parts = tree.parts.map { group($0) }
    groups[id] = parts.map(\.ownTerms)
    return .group(id, word: tree.kind == .and ? "AND" : "OR", parts, tree.range)
  }

  /// The WHERE clauses of the subqueries in a term, without nested subqueries.
  private func conditions(within term: Range<Int>) -> [Range<Int>] {
    let filters = outline.scopes.compactMap(\.filter).filter {
      !$0.isEmpty && term.lowerBound < $0.lowerBound && $0.upperBound <= term.upperBound
    }
    return filters.filter { inner in
      !filters.contains {
        $0 != inner && $0.lowerBound <= inner.lowerBound
          && inner.upperBound <= $0.upperBound
      }
    }
  }
}
