// SPDX-License-Identifier: Apache-2.0

/// The SELECTs of a statement, outermost first, and the tokens they are made of.
struct StatementOutline {
  let tokens: [SQLToken]
  private(set) var scopes: [SelectScope] = []
  private(set) var commonTables: Set<String> = []
  private var position = 0

  // SQLite's own limit (SQLITE_MAX_EXPR_DEPTH); each level is a call within a call here.
  private static let deepestNesting = 1000

  init(_ sql: String) {
    tokens = SQLTokenizer.tokens(of: sql)
    guard Self.nesting(of: tokens) <= Self.deepestNesting else { return }
    while position < tokens.count {
      statement(role: .statement, depth: 0)
      position += 1
    }
  }

  /// The word the statement starts with, WITH clauses passed over.
  var verb: String { tokens.first { !$0.isSymbol("(") }?.text.uppercased() ?? "" }

  /// Whether it is SQL that SQLite plans for the program, or no SQL; DDL, PRAGMA, transactions and look-ups of the
  /// schema are none.
  var hasPlan: Bool { !Self.verbsWithoutPlan.contains(verb) && !readsSchemaAlone }

  /// Whether it reads SQLite's own tables, which can have no index, and no others.
  var readsSchemaAlone: Bool {
    let tables = Set(scopes.flatMap(\.sources).compactMap { $0.table?.lowercased() })
    return !tables.isEmpty && tables.isSubset(of: StatementCommand.schemaTables)
  }

  private static let verbsWithoutPlan: Set = [
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DETACH", "DROP", "END", "EXPLAIN",
    "PRAGMA", "REINDEX", "RELEASE", "ROLLBACK", "SAVEPOINT", "VACUUM",
  ]

  private static func nesting(of tokens: [SQLToken]) -> Int {
    var (level, deepest) = (0, 0)
    for token in tokens {
      if token.isSymbol("(") { level += 1 }
      if token.isSymbol(")"), level > 0 { level -= 1 }
      deepest = max(deepest, level)
    }
    return deepest
  }

  func isCommonTable(_ name: String) -> Bool { commonTables.contains(name.lowercased()) }

  // MARK: - Statements

  private var token: SQLToken? { position < tokens.count ? tokens[position] : nil }

  private func token(after offset: Int) -> SQLToken? {
    position + offset < tokens.count ? tokens[position + offset] : nil
  }

  /// Reads up to the parenthesis that closes it, or to the end.
  private mutating func statement(role: SelectScope.Role, depth: Int) {
    while let token, !token.isSymbol(")") {
      switch token.text.uppercased() {
      case "WITH" where token.kind == .word: commonTableExpressions(depth: depth)
      case "SELECT", "DELETE", "UPDATE", "VALUES": select(role: role, depth: depth)
      case "(": parenthesis(role: .expression, depth: depth)
      default: position += 1
      }
    }
  }

  /// `WITH RECURSIVE a(x) AS NOT MATERIALIZED (SELECT …), b AS (SELECT …)`.
  private mutating func commonTableExpressions(depth: Int) {
    position += 1
    while let token,
      !["SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "VALUES"].contains(where: token.isWord)
    {
      if token.isSymbol("("), let first = self.token(after: 1), Self.startsSelect(first) {
        parenthesis(role: .commonTable(lastCommonTable), depth: depth)
      } else if let name = token.name,
        !["RECURSIVE", "AS", "NOT", "MATERIALIZED"].contains(where: token.isWord)
      {
        lastCommonTable = name
        commonTables.insert(name.lowercased())
        position += 1
        if self.token?.isSymbol("(") == true { skipParenthesis() }
      } else if token.isSymbol(")") {
        return
      } else {
        position += 1
      }
    }
  }
  private var lastCommonTable = ""

  private static func startsSelect(_ token: SQLToken) -> Bool {
    ["SELECT", "WITH", "VALUES"].contains(where: token.isWord)
  }

  /// Reads a parenthesis, and the SELECTs within it.
  private mutating func parenthesis(role: SelectScope.Role, depth: Int) {
    position += 1
    if let token, Self.startsSelect(token) {
      statement(role: role, depth: depth + 1)
    } else {
      while let token, !token.isSymbol(")") {
        if token.isSymbol("(") {
          parenthesis(role: nestedRole, depth: depth)
        } else {
          position += 1
        }
      }
    }
    // It may lack its end.
    if token != nil { position += 1 }
  }

  private mutating func skipParenthesis() { parenthesis(role: .expression, depth: 0) }

  private var nestedRole: SelectScope.Role {
    position > 0 && tokens[position - 1].isWord("EXISTS") ? .exists : .expression
  }

  // MARK: - One SELECT

  private enum Clause { case columns, from, filter, group, window, order, limit }

  private mutating func select(role: SelectScope.Role, depth: Int) {
    var scope = SelectScope(role: role, depth: depth)
    let index = scopes.count
    scopes.append(scope)
    var clause = token?.isWord("UPDATE") == true ? Clause.from : .columns
    let first = position
    var start = position + 1
    var expectsSource = clause == .from
    position += 1

    func close(_ end: Int) {
      if clause == .columns, scope.columns == nil, start <= end { scope.columns = start..<end }
      if clause == .filter { scope.filter = start..<end }
      if clause == .limit { scope.limit = start..<end }
      if clause == .order { scope.order = start..<end }
    }
    loop: while let token, !token.isSymbol(")"), !token.isSymbol(";") {
      if token.isSymbol("(") {
        if clause == .from, expectsSource {
          expectsSource = !fromParenthesis(&scope, depth: depth)
        } else {
          if clause == .columns { scope.hasAggregate = scope.hasAggregate || followsAggregate }
          let opening = position
          parenthesis(role: nestedRole, depth: depth)
          if clause == .from { extendJoinCondition(&scope, from: opening) }
        }
        continue
      }
      let next: Clause?
      switch token.kind == .word ? token.text.uppercased() : "" {
      case "FROM" where clause == .columns && !followsDistinctOperator: next = .from
      case "SET" where clause == .from: next = .columns
      case "WHERE": next = .filter
      case "GROUP", "HAVING": next = .group
      case "WINDOW": next = .window
      case "ORDER": next = .order
      case "LIMIT": next = .limit
      case "UNION", "INTERSECT", "EXCEPT", "RETURNING": break loop
      default: next = nil
      }
      if let next {
        close(position)
        clause = next
        start = position + 1
        expectsSource = next == .from
        scope.hasGroupBy = scope.hasGroupBy || next == .group
        scope.hasOrderBy = scope.hasOrderBy || next == .order
        position += 1
      } else if clause == .from {
        source(token, &scope, &expectsSource)
      } else {
        if clause == .columns, token.isWord("DISTINCT") { scope.isDistinct = true }
        position += 1
      }
    }
    close(position)
    scope.extent = first..<position
    scopes[index] = scope
    if token?.isSymbol(")") == false { position += 1 }
  }

  /// `IS NOT DISTINCT FROM` is an operator.
  private var followsDistinctOperator: Bool {
    position > 1 && tokens[position - 1].isWord("DISTINCT")
      && !tokens[position - 2].isWord("SELECT")
  }

  private var followsAggregate: Bool {
    position > 0
      && ["COUNT", "SUM", "TOTAL", "AVG", "MIN", "MAX", "GROUP_CONCAT"].contains(
        where: tokens[position - 1].isWord)
  }

  // MARK: - The FROM clause

  /// `FROM (SELECT …) AS a` is a source, `FROM (a JOIN b)` holds some.
  ///
  /// - Returns: whether a source was read.
  private mutating func fromParenthesis(_ scope: inout SelectScope, depth: Int) -> Bool {
    guard let first = token(after: 1), Self.startsSelect(first) else {
      position += 1
      return false
    }
    let select = first.isWord("SELECT") ? scopes.count : nil
    parenthesis(role: .from, depth: depth)
    scope.sources.append(.init(alias: alias() ?? "", table: nil, select: select))
    return true
  }

  private mutating func source(
    _ token: SQLToken, _ scope: inout SelectScope, _ expectsSource: inout Bool
  ) {
    if token.isSymbol(",") || token.isWord("JOIN") {
      expectsSource = true
      position += 1
    } else if expectsSource, token.isWord("OR") {
      position = min(position + 2, tokens.count)  // UPDATE OR FAIL t
    } else if expectsSource, var name = token.name {
      position += 1
      var schema: String?
      if self.token?.isSymbol(".") == true, let table = self.token(after: 1)?.name {
        schema = name.lowercased() == "main" ? nil : name
        name = table
        position += 2
      }
      if self.token?.isSymbol("(") == true { skipParenthesis() }
      scope.sources.append(.init(alias: alias() ?? name, table: name, schema: schema))
      expectsSource = false
    } else {
      if token.isWord("ON") || token.isWord("USING") { scope.hasJoinCondition = true }
      if token.isWord("ON") { scope.joinConditions.append(position + 1..<position + 1) }
      position += 1
      extendJoinCondition(&scope, from: position - 1)
    }
  }

  /// An ON clause extends to the next join.
  ///
  /// - Parameter start: the first of the tokens that were read: a parenthesis or a single one.
  private func extendJoinCondition(_ scope: inout SelectScope, from start: Int) {
    let words = ["LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER"]
    guard let last = scope.joinConditions.last, last.upperBound == start,
      !words.contains(where: tokens[start].isWord)
    else { return }
    scope.joinConditions[scope.joinConditions.count - 1] = last.lowerBound..<position
  }

  private static let wordsAfterSource: Set<String> = [
    "ON", "USING", "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "OUTER", "WHERE",
    "GROUP", "ORDER", "LIMIT", "HAVING", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "INDEXED", "NOT",
    "RETURNING", "SET",
  ]

  private mutating func alias() -> String? {
    if token?.isWord("AS") == true { position += 1 }
    guard let token, let name = token.name,
      token.kind != .word || !Self.wordsAfterSource.contains(name.uppercased())
    else { return nil }
    position += 1
    return name
  }
}
