// SPDX-License-Identifier: Apache-2.0

/// The number of all rows of a table, as the only column of a SELECT.
///
///     SELECT count(*) AS n FROM t
///     SELECT COUNT(1) FROM (SELECT a, b FROM t) AS s
struct RowCount {
  /// The function with its argument.
  let call: Range<Int>
  /// The SELECT that reads the table: the subquery, if there is one.
  let reader: SelectScope
  /// The argument, which is `*`, a literal, or a column.
  let argument: ArraySlice<SQLToken>

  /// Whether it is `count(*)`, for which SQLite reads the pages of a b-tree and no rows.
  var isOfEntries: Bool { argument.count == 1 && argument.first?.isSymbol("*") == true }

  /// - Returns: nil for a SELECT that is none, or that counts some of the rows.
  init?(of scope: SelectScope, in outline: StatementOutline) {
    let tokens = outline.tokens
    guard scope.readsAllRows, let columns = scope.columns, columns.count >= 4,
      tokens[columns.lowerBound].isWord("COUNT"), tokens[columns.lowerBound + 1].isSymbol("("),
      let close = tokens[columns].firstIndex(where: { $0.isSymbol(")") })
    else { return nil }
    let alias = tokens[(close + 1)..<columns.upperBound]
    guard
      alias.isEmpty || alias.count == 1 && alias.first?.name != nil
        || alias.count == 2 && alias.first?.isWord("AS") == true
    else { return nil }
    call = columns.lowerBound..<close + 1
    argument = tokens[(columns.lowerBound + 2)..<close]
    guard let inner = scope.sources[0].select.map({ outline.scopes[$0] }) else {
      reader = scope
      return
    }
    // UNION is behind the end of a SELECT.
    let end = inner.extent.upperBound
    guard inner.readsAllRows, !inner.hasAggregate, end < tokens.count, tokens[end].isSymbol(")")
    else { return nil }
    reader = inner
  }
}
