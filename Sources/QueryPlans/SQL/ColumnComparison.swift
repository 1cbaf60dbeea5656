// SPDX-License-Identifier: Apache-2.0

/// A term of the form `column operator …` or `… operator column`.
struct ColumnComparison: Hashable {
  enum Kind { case equality, lowerBound, upperBound, between, pattern, other }

  var alias: String?
  var column: String
  var kind: Kind
  /// The tokens of the other side.
  var value: Range<Int>

  /// Whether an index on the column can find the rows.
  var isIndexable: Bool { kind != .pattern && kind != .other }

  /// Parses the term from the left, then from the right: in `a.x = b.y` either side may be the
  /// column.
  static func all(in term: Range<Int>, of tokens: [SQLToken]) -> [ColumnComparison] {
    let term = TermTree.unwrapped(term, tokens)
    return [leading(term, tokens), trailing(term, tokens)].compactMap { $0 }
  }

  /// The column on the other side, if it is only a column.
  func otherColumn(in tokens: [SQLToken]) -> (alias: String?, column: String)? {
    guard let name = Self.name(at: value.lowerBound, value.upperBound, tokens),
      name.end == value.upperBound, name.alias != nil
    else { return nil }
    return (name.alias, name.column)
  }

  private static func leading(_ term: Range<Int>, _ tokens: [SQLToken]) -> ColumnComparison? {
    var index = term.lowerBound
    guard let (alias, column, end) = name(at: index, term.upperBound, tokens) else { return nil }
    index = end
    guard index < term.upperBound, var kind = Kind(tokens[index]) else { return nil }
    if index + 1 < term.upperBound, tokens[index + 1].isWord("NOT") { kind = .other }
    return .init(alias: alias, column: column, kind: kind, value: index + 1..<term.upperBound)
  }

  private static func trailing(_ term: Range<Int>, _ tokens: [SQLToken]) -> ColumnComparison? {
    for start in [term.upperBound - 3, term.upperBound - 1] where start > term.lowerBound {
      guard let (alias, column, end) = name(at: start, term.upperBound, tokens),
        end == term.upperBound, let kind = Kind(tokens[start - 1])
      else { continue }
      return .init(
        alias: alias, column: column, kind: kind.mirrored, value: term.lowerBound..<start - 1)
    }
    return nil
  }

  private static func name(
    at start: Int, _ end: Int, _ tokens: [SQLToken]
  ) -> (alias: String?, column: String, end: Int)? {
    func isName(_ index: Int) -> Bool {
      index < end && (tokens[index].kind == .word || tokens[index].kind == .quotedName)
    }
    guard isName(start), !tokens[start].isWord("NULL"), let first = tokens[start].name else {
      return nil
    }
    if isName(start + 2), tokens[start + 1].isSymbol("."), let column = tokens[start + 2].name {
      return (first, column, start + 3)
    }
    return start > 0 && tokens[start - 1].isSymbol(".") ? nil : (nil, first, start + 1)
  }
}

extension ColumnComparison.Kind {
  init?(_ token: SQLToken) {
    switch token.text.uppercased() {
    case "=", "==", "IS", "IN": self = .equality
    case ">", ">=": self = .lowerBound
    case "<", "<=": self = .upperBound
    case "BETWEEN": self = .between
    case "LIKE", "GLOB", "MATCH", "REGEXP": self = .pattern
    case "<>", "!=", "NOT", "ISNULL", "NOTNULL": self = .other
    default: return nil
    }
  }

  /// `? <= a` is `a >= ?`.
  var mirrored: Self {
    switch self {
    case .lowerBound: .upperBound
    case .upperBound: .lowerBound
    default: self
    }
  }
}
