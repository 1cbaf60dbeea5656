// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Writes the table before columns that are named without one, where a statement has several tables.
///
///     SELECT name FROM orders JOIN customers ON customer_id = id WHERE state = ?
///     SELECT customers.name FROM orders JOIN customers ON orders.customer_id = customers.id
///       WHERE orders.state = ?
///
/// The result is only analyzed: indexes and values are found by the table of a column.
final class ColumnQualifier {
  private let connection: Connection
  /// By table; names are in lower case.
  private var columns: [String: Set<String>] = [:]

  init(_ connection: Connection) { self.connection = connection }

  func qualified(_ sql: String) -> String {
    let outline = StatementOutline(sql)
    guard outline.scopes.reduce(0, { $0 + $1.sources.count }) > 1 else { return sql }
    var result = ""
    var end = sql.startIndex
    for (index, token) in outline.tokens.enumerated() {
      guard isColumn(index, outline.tokens), let name = token.name,
        let alias = alias(of: name, at: index, outline)
      else { continue }
      result += sql[end..<token.range.lowerBound] + "\(SQLName.quotedIfNeeded(alias))."
      end = token.range.lowerBound
    }
    return result + sql[end...]
  }

  /// Whether a token can be the name of a column without its table.
  private func isColumn(_ index: Int, _ tokens: [SQLToken]) -> Bool {
    let token = tokens[index]
    guard token.kind == .word || token.kind == .quotedName else { return false }
    if ["ASC", "DESC", "END"].contains(where: token.isWord) { return false }
    if index + 1 < tokens.count, tokens[index + 1].isSymbol(".") || tokens[index + 1].isSymbol("(")
    {
      return false
    }
    guard index > 0 else { return false }
    return !tokens[index - 1].isSymbol(".")
      && !["AS", "COLLATE"].contains(where: tokens[index - 1].isWord)
  }

  /// The only table that has the column, in the SELECT around it or in one around that; nil where it is
  /// not known.
  private func alias(of name: String, at index: Int, _ outline: StatementOutline) -> String? {
    let around = outline.scopes.filter { $0.extent.contains(index) }
      .sorted { $0.extent.count < $1.extent.count }
    guard let innermost = around.first, innermost.holdsExpression(at: index) else { return nil }
    if innermost.order?.contains(index) == true, innermost.hasResult(name, outline.tokens) {
      return nil
    }
    for scope in around {
      // A common table may have the name of a table, and other columns.
      let tables = scope.sources.map { source in
        (source, source.table.flatMap { outline.isCommonTable($0) ? nil : columns(of: $0) })
      }
      let matches = tables.filter { $0.1?.contains(name.lowercased()) == true }
      if matches.count == 1 { return matches[0].0.alias }
      if !matches.isEmpty || tables.contains(where: { $0.1 == nil }) { return nil }
    }
    return nil
  }

  private func columns(of table: String) -> Set<String>? {
    if let known = columns[table.lowercased()] { return known }
    guard
      let query = try? connection.cachedStatement("SELECT lower(name) FROM pragma_table_xinfo(?1)")
    else { return nil }
    defer { connection.recycle(query) }
    query.bind(table, at: 1)
    var names: Set<String> = []
    while (try? query.step()) == true { names.insert(query.string(0)) }
    guard !names.isEmpty else { return nil }
    columns[table.lowercased()] = names
    return names
  }
}

extension SelectScope {
  /// Whether a token of the SELECT is in a clause of expressions, not in FROM.
  fileprivate func holdsExpression(at index: Int) -> Bool {
    ([columns, filter, order].compactMap(\.self) + joinConditions).contains { $0.contains(index) }
  }

  /// Whether a result is given a name: `SELECT total * 2 AS name`.
  func hasResult(_ name: String, _ tokens: [SQLToken]) -> Bool {
    (columns ?? 0..<0).dropFirst().contains {
      tokens[$0].name?.lowercased() == name.lowercased() && tokens[$0 - 1].isWord("AS")
    }
  }
}
