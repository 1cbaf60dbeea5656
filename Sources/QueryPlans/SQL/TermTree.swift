// SPDX-License-Identifier: Apache-2.0

/// A condition as the terms that AND and OR join, as ranges of tokens.
///
///     WHERE ((a = 1 AND  b BETWEEN 2 AND 3) AND  (c OR  d))
///     // and: a = 1, b BETWEEN 2 AND 3, or: c, d
///
/// Parentheses around a whole term are ignored, and nested ANDs are one level.
struct TermTree: Hashable {
  enum Kind: Hashable { case term, and, or }

  var kind: Kind
  /// Including the parentheses around it.
  var range: Range<Int>
  /// Two or more of AND and OR; none of a term.
  var parts: [TermTree] = []

  init(_ range: Range<Int>, of tokens: [SQLToken]) {
    self.range = range
    let inner = Self.unwrapped(range, tokens)
    // OR binds less tightly than AND: if there is one, it is the top level.
    for (kind, word) in [(Kind.or, "OR"), (.and, "AND")] {
      let pieces = Self.split(inner, by: word, tokens)
      guard pieces.count > 1 else { continue }
      self.kind = kind
      parts = pieces.filter { !$0.isEmpty }.map { TermTree($0, of: tokens) }
        .flatMap { $0.kind == kind ? $0.parts : [$0] }
      return
    }
    kind = .term
  }

  /// The terms that AND joins at the top; the whole where OR does.
  var conjuncts: [Range<Int>] { kind == .and ? parts.map(\.range) : [range] }

  /// All terms, as written.
  var terms: [Range<Int>] { kind == .term ? [range] : parts.flatMap(\.terms) }

  var holdsAlternatives: Bool { kind == .or || parts.contains { $0.holdsAlternatives } }

  private static func split(
    _ range: Range<Int>, by word: String, _ tokens: [SQLToken]
  ) -> [Range<Int>] {
    var level = 0
    var openBetweens = 0
    var start = range.lowerBound
    var pieces: [Range<Int>] = []
    for index in range {
      let token = tokens[index]
      // CASE … END holds conditions of its own, as a parenthesis does.
      if token.isSymbol("(") || token.isWord("CASE") { level += 1 }
      if token.isSymbol(")") || token.isWord("END") { level -= 1 }
      guard level == 0 else { continue }
      if token.isWord("BETWEEN") { openBetweens += 1 }
      if token.isWord("AND"), openBetweens > 0 {
        openBetweens -= 1
      } else if token.isWord(word) {
        pieces.append(start..<index)
        start = index + 1
      }
    }
    return pieces + [start..<range.upperBound]
  }

  /// Removes parentheses around the whole term, but not a subquery's.
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

/// A token as two texts of SQL are compared: names without quotes and in lower case.
enum SchemaWord {
  static func text(of token: SQLToken) -> String {
    token.kind == .text ? String(token.text) : (token.name ?? String(token.text)).lowercased()
  }

  /// The words of each term that AND joins in a condition.
  static func terms(of condition: Range<Int>, _ tokens: [SQLToken]) -> Set<[String]> {
    Set(
      TermTree(condition, of: tokens).conjuncts.map {
        TermTree.unwrapped($0, tokens).map { text(of: tokens[$0]) }
      })
  }
}
