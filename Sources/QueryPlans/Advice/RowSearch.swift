// SPDX-License-Identifier: Apache-2.0

extension WorkloadStatement {
  /// For an UPDATE or a DELETE, a SELECT that finds the same rows and can be measured; nil for
  /// other statements, without WHERE, and for joins.
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
    let condition = StatementPart([filter], of: outline.tokens, in: numbered.sql)
    let alias = scope.sources[0].alias
    let name = SQLName.quotedIfNeeded(table)
    let source = alias == table ? name : "\(name) AS \(SQLName.quotedIfNeeded(alias))"
    var search = replaced(
      by: "SELECT 1 FROM \(source) WHERE \(condition.sql)", condition, of: numbered)
    // The rows that a run changes are those that it finds.
    search.counted.rows = counted.rows
    search.stepsOfWrite = counted.vmSteps
    return search
  }

  /// For an INSERT, a REPLACE or a CREATE TABLE with the rows of a SELECT, that SELECT; nil for other
  /// statements.
  ///
  ///     INSERT INTO log SELECT ?, name FROM item WHERE kind = ?
  ///     SELECT ?1, name FROM item WHERE kind = ?2
  var selectPart: WorkloadStatement? {
    let numbered = ParameterNumbering(sql)
    let tokens = SQLTokenizer.tokens(of: numbered.sql)
    guard let command = tokens.command,
      ["INSERT", "REPLACE"].contains(where: tokens[command].isWord) || Self.createsTable(tokens),
      let start = tokens.firstOuter(["SELECT", "VALUES", "WITH"], from: command)
    else { return nil }
    let conflict = tokens.firstOuter(["CONFLICT"], from: start).map { $0 - 1 }
    let end = [conflict, tokens.firstOuter(["RETURNING"], from: start)].compactMap(\.self).min()
    let select = start..<(end ?? tokens.count)
    guard tokens[select].contains(where: { $0.isWord("SELECT") }) else { return nil }
    // A WITH clause before the command is the SELECT's.
    let part = StatementPart([0..<command, select], of: tokens, in: numbered.sql)
    return replaced(by: part.sql, part, of: numbered)
  }

  /// `CREATE TABLE t AS SELECT …`, also of a temporary table.
  private static func createsTable(_ tokens: [SQLToken]) -> Bool {
    let words = tokens.prefix(3).filter { !$0.isWord("TEMP") && !$0.isWord("TEMPORARY") }
    return words.count > 1 && words[0].isWord("CREATE") && words[1].isWord("TABLE")
  }

  private func replaced(
    by select: String, _ part: StatementPart, of numbered: ParameterNumbering
  ) -> WorkloadStatement {
    var search = WorkloadStatement(
      id: id, sql: select, runs: runs,
      values: values.filter { $0.count == numbered.count }.map { run in
        part.numbers.map { run[$0 - 1] }
      })
    search.isRowSearch = true
    return search
  }

  /// The tables that the subqueries of an UPDATE's SET read.
  ///
  ///     UPDATE stock SET sold = (SELECT sum(amount) FROM sale WHERE sale.sku = stock.sku)
  ///     // sale
  var tablesOfAssignments: [String] {
    let outline = StatementOutline(sql)
    guard outline.verb == "UPDATE",
      let update = outline.scopes.first(where: { $0.role == .statement })
    else { return [] }
    return outline.scopes.filter {
      $0.depth > update.depth && update.filter?.contains($0.extent.lowerBound) != true
    }.flatMap { $0.sources.compactMap(\.table) }
  }

  /// Whether it finds the rows that it updates or deletes: an index may serve it.
  var findsRowsToWrite: Bool {
    let outline = StatementOutline(sql)
    guard let command = outline.tokens.command,
      ["UPDATE", "DELETE"].contains(where: outline.tokens[command].isWord)
    else { return false }
    return outline.scopes.contains { $0.filter != nil || $0.sources.count > 1 }
  }
}

/// Parts of a statement, with parameters that are numbered from 1.
private struct StatementPart {
  private(set) var sql = ""
  /// The numbers that the parameters have in the statement.
  private(set) var numbers: [Int] = []

  /// - Parameter sql: the statement with the parameters `?1`, `?2`, ….
  init(_ ranges: [Range<Int>], of tokens: [SQLToken], in sql: String) {
    for range in ranges where !range.isEmpty {
      if !self.sql.isEmpty { self.sql += " " }
      var end = tokens[range.lowerBound].range.lowerBound
      for token in tokens[range] where token.kind == .parameter {
        guard let number = Int(token.text.dropFirst()) else { continue }
        if !numbers.contains(number) { numbers.append(number) }
        let newNumber = (numbers.firstIndex(of: number) ?? 0) + 1
        self.sql += sql[end..<token.range.lowerBound] + "?\(newNumber)"
        end = token.range.upperBound
      }
      self.sql += sql[end..<tokens[range.upperBound - 1].range.upperBound]
    }
  }
}
