// SPDX-License-Identifier: Apache-2.0

/// A column of a table that a statement compares by its name in a view or a subquery.
///
///     CREATE VIEW sale AS SELECT o.total, c.city AS place FROM orders o JOIN customer c ON …
///     SELECT total FROM sale WHERE place = ?                                        // customer: city
///     SELECT total FROM (SELECT total, place AS city FROM sale) s WHERE s.city = ?  // sale: place
struct ViewTerm: Hashable {
  var table: String
  var column: String
  var isEqual: Bool

  /// A SELECT that stands for a table: that of a view, of a common table, or of a subquery.
  private struct Named {
    var scope: SelectScope
    var tokens: [SQLToken]
  }

  /// - Parameter views: the views that the statement reads, by their names in lower case.
  static func all(
    in outlines: [StatementOutline], _ views: [String: StatementOutline]
  ) -> [ViewTerm] {
    var named: [String: Named] = [:]
    for outline in outlines {
      for scope in outline.scopes {
        guard case .commonTable(let table) = scope.role else { continue }
        let name = table.lowercased()
        named[name] = named[name] ?? Named(scope: scope, tokens: outline.tokens)
      }
    }
    for (name, view) in views {
      named[name] = view.scopes.first { $0.depth == 0 }.map {
        Named(scope: $0, tokens: view.tokens)
      }
    }
    var seen: Set<ViewTerm> = []
    return outlines.flatMap { outline in
      outline.scopes.flatMap { scope in
        scope.sources.flatMap { terms(of: $0, in: scope, outline, named) }
      }
    }.filter { seen.insert($0).inserted }
  }

  private static func terms(
    of source: SelectScope.Source, in scope: SelectScope, _ outline: StatementOutline,
    _ named: [String: Named]
  ) -> [ViewTerm] {
    var source = source
    let subquery = source.select.flatMap { place in
      place < outline.scopes.count
        ? Named(scope: outline.scopes[place], tokens: outline.tokens) : nil
    }
    if subquery != nil { source.table = source.alias }
    guard let select = subquery ?? source.table.flatMap({ named[$0.lowercased()] }),
      let compared = ComparedColumns(of: source, in: scope, outline)
    else { return [] }
    return [(compared.equal + compared.joined, true), (compared.ranges, false)].flatMap {
      columns, isEqual in
      columns.compactMap { term(of: $0, isEqual, in: select) }
    }
  }

  /// The column behind a name of a SELECT's result.
  private static func term(of name: String, _ isEqual: Bool, in select: Named) -> ViewTerm? {
    let scope = select.scope
    guard let columns = scope.columns else { return nil }
    for result in select.tokens[columns].split(whereSeparator: { $0.isSymbol(",") }) {
      if result.count == 1, result.first?.isSymbol("*") == true, scope.sources.count == 1 {
        return scope.sources[0].table.map { ViewTerm(table: $0, column: name, isEqual: isEqual) }
      }
      guard result.last?.name?.lowercased() == name.lowercased() else { continue }
      var words = Array(result)
      if words.count > 2, words[words.count - 2].isWord("AS") {
        words.removeLast(2)
      } else if words.count == 2 || words.count == 4 {
        words.removeLast()
      }
      for source in scope.sources {
        guard let table = source.table,
          let column = IndexProposals.column(words[...], of: source, scope)
        else { continue }
        return ViewTerm(table: table, column: column, isEqual: isEqual)
      }
    }
    return nil
  }
}
