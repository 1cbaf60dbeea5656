// SPDX-License-Identifier: Apache-2.0

extension WorkloadStatement {
  /// For an UPDATE or a DELETE, a SELECT that finds the same rows and can be measured; nil for other
  /// statements, for those without WHERE, and for those that join.
  ///
  ///     UPDATE line SET qty = qty + ? WHERE sku = ?
  ///     SELECT 1 FROM line WHERE sku = ?1
  var rowSearch: WorkloadStatement? {
    let numbered = ParameterNumbering(sql)
    let outline = StatementOutline(numbered.sql)
    guard ["UPDATE", "DELETE"].contains(outline.verb),
      let scope = outline.scopes.first(where: { $0.role == .statement }),
      scope.sources.count == 1, let table = scope.sources[0].table,
      let filter = scope.filter, !filter.isEmpty
    else { return nil }

    // The parameters of SET are left out, so that the others have new numbers.
    var numbers: [Int] = []
    let place = outline.place(of: filter)
    var condition = ""
    var end = place.lowerBound
    for token in outline.tokens[filter] where token.kind == .parameter {
      guard let number = Int(token.text.dropFirst()) else { return nil }
      if !numbers.contains(number) { numbers.append(number) }
      let newNumber = (numbers.firstIndex(of: number) ?? 0) + 1
      condition += numbered.sql[end..<token.range.lowerBound] + "?\(newNumber)"
      end = token.range.upperBound
    }
    condition += numbered.sql[end..<place.upperBound]

    let alias = scope.sources[0].alias
    let name = SQLName.quotedIfNeeded(table)
    let source = alias == table ? name : "\(name) AS \(SQLName.quotedIfNeeded(alias))"
    var search = WorkloadStatement(
      id: id, sql: "SELECT 1 FROM \(source) WHERE \(condition)", runs: runs,
      values: values.filter { $0.count == numbered.count }.map { run in
        numbers.map { run[$0 - 1] }
      })
    search.isRowSearch = true
    return search
  }
}
