// SPDX-License-Identifier: Apache-2.0

/// The columns of one table that a SELECT compares with values, and those it sorts by.
///
///     SELECT … FROM ZSTOP t0 WHERE (? <= t0.ZLONGITUDE AND t0.ZKIND = ?) ORDER BY t0.ZNAME
///     // ZSTOP: equal ZKIND, ranges ZLONGITUDE, sorted ZNAME
public struct ComparedColumns: Hashable, Sendable {
  public var table: String
  public var equal: [String] = []
  public var ranges: [String] = []
  public var sorted: [String] = []
  /// Whether an OR stands between comparisons, so that no one index serves them all.
  public var hasAlternatives = false

  /// The columns in the order that serves an index: equal ones, then ranges.
  public var filtered: [String] { equal + ranges }

  /// Reads the tables of all SELECTs of a statement, outermost first.
  ///
  /// A column inside a function call, or compared with another column of the same SELECT, is left
  /// out: an index does not find it. The primary key is left out: it is found without one.
  public static func all(in sql: String) -> [ComparedColumns] {
    let outline = StatementOutline(sql)
    return outline.scopes.flatMap { scope in
      scope.sources.compactMap { source -> ComparedColumns? in
        guard let table = source.table else { return nil }
        var columns = ComparedColumns(table: table)
        columns.readFilter(of: source, in: scope, outline.tokens)
        columns.readOrder(of: source, in: scope, outline.tokens)
        return columns
      }
    }
  }

  private mutating func readFilter(
    of source: SelectScope.Source, in scope: SelectScope, _ tokens: [SQLToken]
  ) {
    guard let filter = scope.filter else { return }
    for index in filter where Self.isColumn(at: index, of: source, in: tokens[filter]) {
      let column = String(tokens[index + 2].text)
      guard let comparison = Self.comparison(around: index, in: tokens[filter], scope) else {
        continue
      }
      if column == "Z_PK" || filtered.contains(column) { continue }
      if comparison == .equal { equal.append(column) } else { ranges.append(column) }
    }
    hasAlternatives = tokens[filter].contains { $0.isWord("OR") }
  }

  private mutating func readOrder(
    of source: SelectScope.Source, in scope: SelectScope, _ tokens: [SQLToken]
  ) {
    guard let order = scope.order else { return }
    for index in order where Self.isColumn(at: index, of: source, in: tokens[order]) {
      sorted.append(String(tokens[index + 2].text))
    }
  }

  /// Whether `t0 . ZNAME` starts here.
  private static func isColumn(
    at index: Int, of source: SelectScope.Source, in tokens: ArraySlice<SQLToken>
  ) -> Bool {
    guard index + 2 < tokens.endIndex, tokens[index + 1].isSymbol(".") else { return false }
    return tokens[index].name?.lowercased() == source.alias.lowercased()
  }

  private enum Comparison { case equal, range }

  private static func comparison(
    around index: Int, in tokens: ArraySlice<SQLToken>, _ scope: SelectScope
  ) -> Comparison? {
    let after = index + 3
    if after < tokens.endIndex, let comparison = comparison(tokens[after]),
      isValue(at: after + 1, in: tokens, scope)
    {
      return comparison
    }
    let before = index - 1
    guard before - 1 >= tokens.startIndex, let comparison = comparison(tokens[before]),
      tokens[before].kind == .symbol, isValue(endingAt: before - 1, in: tokens, scope)
    else { return nil }
    return comparison
  }

  private static func comparison(_ token: SQLToken) -> Comparison? {
    switch token.text.uppercased() {
    case "=", "==", "IN", "IS": .equal
    case "<", "<=", ">", ">=", "BETWEEN": .range
    default: nil
    }
  }

  /// Whether a value starts here: anything but a column of the same SELECT, or `NOT`.
  private static func isValue(
    at index: Int, in tokens: ArraySlice<SQLToken>, _ scope: SelectScope
  ) -> Bool {
    guard index < tokens.endIndex, !tokens[index].isWord("NOT") else { return false }
    return tokens[index].name.map { scope.source(named: $0) == nil } ?? true
  }

  /// `t1.ZSTOP` ends at its third token.
  private static func isValue(
    endingAt index: Int, in tokens: ArraySlice<SQLToken>, _ scope: SelectScope
  ) -> Bool {
    guard index - 2 >= tokens.startIndex, tokens[index - 1].isSymbol(".") else { return true }
    return isValue(at: index - 2, in: tokens, scope)
  }
}
