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
    var outline: StatementOutline
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
        named[name] = named[name] ?? Named(scope: scope, outline: outline)
      }
    }
    for (name, view) in views {
      named[name] = view.scopes.first { $0.depth == 0 }.map {
        Named(scope: $0, outline: view)
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
    guard let select = select(behind: source, outline, named) else { return [] }
    var source = source
    source.table = source.table ?? source.alias
    guard let compared = ComparedColumns(of: source, in: scope, outline) else { return [] }
    return [(compared.equal + compared.joined, true), (compared.ranges, false)].flatMap {
      columns, isEqual in
      columns.compactMap { term(of: $0, isEqual, in: select, named, depth: 0) }
    }
  }

  /// The SELECT of a view, a common table or a subquery; nil for a table.
  private static func select(
    behind source: SelectScope.Source, _ outline: StatementOutline, _ named: [String: Named]
  ) -> Named? {
    if let table = source.table { return named[table.lowercased()] }
    guard let position = source.select, position < outline.scopes.count else { return nil }
    return Named(scope: outline.scopes[position], outline: outline)
  }

  // Arbitrary: views nest less deep. A common table may read itself.
  private static let maxDepth = 8

  /// The column behind a name of a SELECT's result.
  private static func term(
    of name: String, _ isEqual: Bool, in select: Named, _ named: [String: Named], depth: Int
  ) -> ViewTerm? {
    let scope = select.scope
    guard depth < maxDepth, let columns = scope.columns else { return nil }
    func term(of column: String, in source: SelectScope.Source) -> ViewTerm? {
      // A common table may have the name of the table that it reads.
      if let inner = Self.select(behind: source, select.outline, named), inner.scope != scope {
        return Self.term(of: column, isEqual, in: inner, named, depth: depth + 1)
      }
      return source.table.map { ViewTerm(table: $0, column: column, isEqual: isEqual) }
    }
    for result in select.outline.tokens[columns].split(whereSeparator: { $0.isSymbol(",") }) {
      if result.count == 1, result.first?.isSymbol("*") == true, scope.sources.count == 1 {
        return term(of: name, in: scope.sources[0])
      }
      guard result.last?.name?.lowercased() == name.lowercased() else { continue }
      var words = Array(result)
      if words.count > 2, words[words.count - 2].isWord("AS") {
        words.removeLast(2)
      } else if words.count == 2 || words.count == 4 {
        words.removeLast()
      }
      for source in scope.sources {
        guard let column = IndexProposals.column(words[...], of: source, scope) else { continue }
        return term(of: column, in: source)
      }
    }
    return nil
  }
}
