// SPDX-License-Identifier: Apache-2.0

/// A column of an ORDER BY.
///
///     ORDER BY status, created COLLATE NOCASE DESC
public struct SortTerm: Hashable, Sendable {
  public var column: String
  public var collation: String?
  public var isDescending = false

  public init(column: String, collation: String? = nil, isDescending: Bool = false) {
    (self.column, self.collation, self.isDescending) = (column, collation, isDescending)
  }

  /// The terms of an ORDER BY; empty if one of them is not a column of the source, or if NULLs are in an
  /// order that no index has.
  static func all(
    in order: Range<Int>, of source: SelectScope.Source, _ scope: SelectScope, _ tokens: [SQLToken]
  ) -> [SortTerm] {
    let words = tokens[order.dropFirst()]
    var terms: [SortTerm] = []
    for words in words.split(omittingEmptySubsequences: false, whereSeparator: { $0.isSymbol(",") })
    {
      guard let term = SortTerm(Array(words), of: source, scope, tokens) else { return [] }
      terms.append(term)
    }
    return terms
  }

  private init?(
    _ words: [SQLToken], of source: SelectScope.Source, _ scope: SelectScope, _ tokens: [SQLToken]
  ) {
    var words = words
    if words.last?.isSymbol(";") == true { words.removeLast() }
    if words.last?.isWord("ASC") == true { words.removeLast() }
    if words.last?.isWord("DESC") == true {
      isDescending = true
      words.removeLast()
    }
    if words.count > 2, words[words.count - 2].isWord("COLLATE") {
      collation = words[words.count - 1].name
      words.removeLast(2)
    }
    guard let last = words.last, last.kind == .word || last.kind == .quotedName,
      let name = last.name
    else { return nil }
    column = name
    if words.count == 3, words[1].isSymbol(".") {
      guard words[0].name?.lowercased() == source.alias.lowercased() else { return nil }
    } else {
      guard words.count == 1, scope.sources.count == 1, !scope.hasResult(name, tokens) else {
        return nil
      }
    }
  }
}

extension IndexCandidate {
  /// An index with columns that are equal, then those of an order.
  ///
  /// An index is read backwards as well, so that `DESC` is needed only beside terms that ascend.
  public init(table: String, equal: [String], order: [SortTerm]) {
    let order = order.filter { term in
      !equal.contains { $0.lowercased() == term.column.lowercased() }
    }
    self.init(table: table, columns: equal + order.map(\.column))
    let isMixed = Set(order.map(\.isDescending)).count > 1
    for term in order {
      let words = [
        term.collation.map { "COLLATE \($0)" }, isMixed && term.isDescending ? "DESC" : nil,
      ].compactMap(\.self)
      if !words.isEmpty { modifiers[term.column] = words.joined(separator: " ") }
    }
  }
}
