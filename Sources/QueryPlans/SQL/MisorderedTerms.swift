// SPDX-License-Identifier: Apache-2.0

/// A text search that is written before a plain comparison, both evaluated row by row.
///
///     WHERE ( NSCoreDataStringSearch(t0.ZNAME, ?, 129, 0) AND  t0.ZTIMESTAMP >= ?)
///     // costly NSCoreDataStringSearch(t0.ZNAME, ?, 129, 0), cheap t0.ZTIMESTAMP >= ?
public struct MisorderedTerms: Hashable, Sendable {
  public var costly: String
  public var cheap: String

  /// Examines the top-level AND terms of the outer WHERE.
  ///
  /// - Parameter plan: where known, terms that an index serves are left out.
  /// - Returns: nil where the order is as it should be.
  public init?(sql: String, plan: QueryPlan? = nil) {
    guard let statement = try? OrderedStatement(sql), let filter = statement.scope.filter else {
      return nil
    }
    let tokens = statement.outline.tokens
    let roles = plan.map { TermRoles(statement: statement, plan: $0).roles() }
    var costly: String?
    for conjunct in TermTree(filter, of: tokens).conjuncts {
      guard let index = statement.termTokens.firstIndex(of: conjunct),
        roles.map({ $0[index] == .residual }) ?? true
      else { continue }
      if Self.isSearch(conjunct, tokens) {
        costly = costly ?? Self.text(conjunct, tokens)
      } else if let costly, Self.isPlain(conjunct, tokens) {
        self.costly = costly
        cheap = Self.text(conjunct, tokens)
        return
      }
    }
    return nil
  }

  private static func text(_ term: Range<Int>, _ tokens: [SQLToken]) -> String {
    SQLFingerprint.joined(TermTree.unwrapped(term, tokens).map { tokens[$0].text })
  }

  private static func isSearch(_ term: Range<Int>, _ tokens: [SQLToken]) -> Bool {
    tokens[term].contains(where: \.searchesText) && !tokens[term].contains { $0.isWord("SELECT") }
  }

  /// A comparison of a single column with a value.
  private static func isPlain(_ term: Range<Int>, _ tokens: [SQLToken]) -> Bool {
    !tokens[term].contains { $0.isWord("SELECT") || $0.isSymbol("||") }
      && ColumnComparison.all(in: term, of: tokens).contains { $0.isIndexable }
  }
}
