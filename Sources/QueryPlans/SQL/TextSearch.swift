// SPDX-License-Identifier: Apache-2.0

/// A term of WHERE that calls one of Core Data's functions on text: no index serves it.
///
///     SELECT … FROM ZPHOTO t0 WHERE NSCoreDataMatches( t0.ZLABEL, ?, 1)
///     // an expression on ZPHOTO.ZLABEL
public struct TextSearch: Hashable, Sendable {
  /// The function.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// BEGINSWITH[cd], CONTAINS and similar.
    case search = "NSCoreDataStringSearch"
    /// LIKE with `*` and `?`.
    case wildcards = "NSCoreDataLike"
    /// MATCHES: a regular expression.
    case expression = "NSCoreDataMatches"
  }

  public var kind: Kind
  public var table: String
  public var column: String
  /// Whether no other term of its SELECT compares a column, so that every row is searched.
  public var isOnlyTerm: Bool
  /// The table for each row of which it runs again: by a join, or in a subquery of the outer row; nil
  /// where the rows are searched once.
  public var repeatedFor: String?

  /// Reads all SELECTs of a statement, outermost first.
  public static func all(in sql: String) -> [TextSearch] {
    let outline = StatementOutline(sql)
    return outline.scopes.flatMap { scope in
      (scope.filter.map { [$0] } ?? []).flatMap { TermTree($0, of: outline.tokens).terms }
        .compactMap { TextSearch($0, in: scope, outline) }
    }
  }

  private init?(_ term: Range<Int>, in scope: SelectScope, _ outline: StatementOutline) {
    let tokens = outline.tokens
    let term = TermTree.unwrapped(term, tokens)
    guard term.count > 3, tokens[term.lowerBound + 1].isSymbol("("),
      let kind = Kind.allCases.first(where: {
        tokens[term.lowerBound].name?.lowercased() == $0.rawValue.lowercased()
      }),
      let argument = tokens[term].indices.dropFirst(2).first(where: { tokens[$0].isSymbol(",") }),
      let source = scope.sources.first(where: { source in
        IndexProposals.column(tokens[(term.lowerBound + 2)..<argument], of: source, scope) != nil
      }), let table = source.table
    else { return nil }
    self.kind = kind
    self.table = table
    column = tokens[argument - 1].name ?? ""
    isOnlyTerm = !scope.comparesColumns(outline)
    let isFiltered =
      ComparedColumns(of: source, in: scope, outline).map { !$0.filtered.isEmpty } ?? true
    let joined = source == scope.sources[0] ? nil : scope.sources[0].table
    repeatedFor = isFiltered ? nil : scope.outerTable(in: outline) ?? joined
  }
}

extension SelectScope {
  /// Whether WHERE has a term that an index could serve, apart from the terms of its joins.
  fileprivate func comparesColumns(_ outline: StatementOutline) -> Bool {
    sources.contains { source in
      ComparedColumns(of: source, in: self, outline).map { !$0.filtered.isEmpty } ?? false
    }
  }

  /// The first table of a SELECT around it that it names: it runs for each of that table's rows.
  fileprivate func outerTable(in outline: StatementOutline) -> String? {
    let around = outline.scopes.filter {
      $0.depth < depth && $0.extent.lowerBound < extent.lowerBound
        && extent.upperBound <= $0.extent.upperBound
    }
    let qualifiers = extent.dropLast().filter { outline.tokens[$0 + 1].isSymbol(".") }
      .compactMap { outline.tokens[$0].name }
    return qualifiers.filter { source(named: $0) == nil }
      .compactMap { name in around.lazy.compactMap { $0.source(named: name) }.first?.table }.first
  }
}
