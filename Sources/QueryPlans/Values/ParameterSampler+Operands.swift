// SPDX-License-Identifier: Apache-2.0

extension ParameterSampler {
  /// The columns that `NSCoreDataStringSearch( t0.ZNAME, ?, 129, 0)`, similar functions and `LIKE`
  /// search.
  func pattern(at position: Int) -> ParameterSlot? {
    if let slot = operatorPattern(at: position) { return slot }
    guard let call = call(around: position), let operand = operand(call.text) else { return nil }
    switch call.name {
    case "INSTR": return .text(operand, .prefix)
    case "NSCOREDATASTRINGSEARCH":
      guard let options = Int(tokens[position + 2].text) else { return nil }
      return .text(operand, options & 12 == 12 ? .suffix : .prefix)
    case "NSCOREDATALIKE": return .text(operand, .escapedGlob)
    case "NSCOREDATAMATCHES": return .text(operand, .regularExpression)
    case "NSCOREDATASTRINGCOMPARE": return .text(operand, .whole)
    default: return nil
    }
  }

  /// `t0.ZNAME LIKE ?`, `t0.ZNAME NOT GLOB ?`.
  private func operatorPattern(at position: Int) -> ParameterSlot? {
    guard position > 1 else { return nil }
    let form: ParameterSlot.TextForm
    switch tokens[position - 1].text.uppercased() {
    case "LIKE": form = .like
    case "GLOB": form = .glob
    case "REGEXP": form = .regularExpression
    case "MATCH": form = .word
    default: return nil
    }
    let end = tokens[position - 2].isWord("NOT") ? position - 2 : position - 1
    return operand(endingAt: end).map { .text(form == .word ? searched($0) : $0, form) }
  }

  /// The first column of a full-text table, where MATCH names the table.
  private func searched(_ operand: Operand) -> Operand {
    let names = SQLTokenizer.tokens(of: operand.sql).compactMap(\.name)
    guard names.last?.lowercased() == operand.table.lowercased(),
      let column = try? connection.texts(
        "SELECT name FROM pragma_table_info(?1) LIMIT 1", operand.table
      ).first
    else { return operand }
    var first = operand
    first.sql = "\(PlanExplainer.quoted(operand.alias)).\(PlanExplainer.quoted(column))"
    return first
  }

  /// The function of which a position is the second argument, and the tokens of the first one.
  private func call(around position: Int) -> (name: String, text: Range<Int>)? {
    guard position + 2 < tokens.count, position > 3, tokens[position - 1].isSymbol(","),
      tokens[position + 1].isSymbol(",") || tokens[position + 1].isSymbol(")")
    else { return nil }
    let start = start(ofOperandEndingAt: position - 1)
    guard start > 1, start < position - 1, tokens[start - 1].isSymbol("("),
      let name = tokens[start - 2].name
    else { return nil }
    return (name.uppercased(), start..<position - 1)
  }

  /// The other side of `NSCoreDataStringFold( t0.ZNAME, 1) = ?`, `? < t0.ZA + t0.ZB` and similar
  /// comparisons.
  func computedComparison(at position: Int) -> (Operand, ColumnComparison.Kind, isLow: Bool)? {
    guard position > 1 else { return nil }
    if let call = mirroredCall(around: position) { return call }
    let (first, last) = value(around: position)
    let before = tokens[first - 1]
    if before.isWord("AND"), position > 3, tokens[position - 2].kind == .parameter,
      tokens[position - 3].isWord("BETWEEN")
    {
      return operand(endingAt: position - 3).map { ($0, .between, isLow: false) }
    }
    if let kind = ColumnComparison.Kind(before), ends(after: last) {
      return operand(endingAt: first - 1).map { ($0, kind, isLow: true) }
    }
    guard last + 2 < tokens.count, ends(before: first),
      let kind = ColumnComparison.Kind(tokens[last + 1])
    else { return nil }
    return operand(last + 2..<end(ofOperandBeginningAt: last + 2)).map {
      ($0, kind.mirrored, isLow: true)
    }
  }

  /// The column of `strftime('%s', at) >= strftime('%s', ?)`, where both sides call the same function.
  private func mirroredCall(
    around position: Int
  ) -> (Operand, ColumnComparison.Kind, isLow: Bool)? {
    let open = start(ofOperandEndingAt: position, betweenArguments: false) - 1
    guard open > 2, tokens[open].isSymbol("("), tokens[open - 1].kind == .word,
      let kind = ColumnComparison.Kind(tokens[open - 2])
    else { return nil }
    let other = start(ofOperandEndingAt: open - 2)..<open - 2
    let before = open - 1..<position
    guard other.count > before.count,
      zip(tokens[other], tokens[before]).allSatisfy({ $0.text.lowercased() == $1.text.lowercased() }
      )
    else { return nil }
    let start = other.lowerBound + before.count
    let isQualified = start + 2 < other.upperBound && tokens[start + 1].isSymbol(".")
    let column = start..<start + (isQualified ? 3 : 1)
    let (rest, after) = (tokens[column.upperBound..<other.upperBound], tokens[(position + 1)...])
    guard zip(rest, after).allSatisfy({ $0.text.lowercased() == $1.text.lowercased() }) else {
      return nil
    }
    return operand(column).map { ($0, kind, isLow: true) }
  }

  /// The position with the functions around it that return a value of the other side unchanged, as
  /// in `lower(name) = lower(?)`, and with its collation.
  private func value(around position: Int) -> (first: Int, last: Int) {
    var (first, last) = (position, position)
    while first > 2, last + 1 < tokens.count, tokens[first - 1].isSymbol("("),
      tokens[last + 1].isSymbol(")"), Self.idempotent.contains(where: tokens[first - 2].isWord)
    {
      (first, last) = (first - 2, last + 1)
    }
    if last + 2 < tokens.count, tokens[last + 1].isWord("COLLATE") { last += 2 }
    return (first, last)
  }

  private static let idempotent = [
    "LOWER", "UPPER", "TRIM", "LTRIM", "RTRIM", "ABS", "DATE", "DATETIME",
  ]

  // MARK: - Operands

  /// A column of a table, or an expression of its columns.
  struct Operand: Hashable {
    /// "" for a SELECT that stands for a table.
    var table: String
    var alias: String
    var sql: String
    /// The SELECT of a common table or a subquery, in parentheses.
    var select: String?
  }

  /// The table of a column at a position; without a name, the only one there.
  func source(named alias: String?, at position: Int) -> SelectScope.Source? {
    let scopes = outline.scopes.filter { $0.extent.contains(position) }
      .sorted { $0.extent.count < $1.extent.count }
    let around = scopes.flatMap(\.sources), all = around + outline.scopes.flatMap(\.sources)
    guard let alias else {
      return Set(all).count == 1 || scopes.first?.sources.count == 1 ? all.first : nil
    }
    return all.first { $0.alias.lowercased() == alias.lowercased() }
  }

  func operand(of source: SelectScope.Source, _ sql: String) -> Operand? {
    if let table = source.table, source.schema != nil || !outline.isCommonTable(table) {
      return Operand(table: table, alias: source.alias, sql: sql)
    }
    return select(of: source).map {
      Operand(table: "", alias: source.alias, sql: sql, select: "(\($0))")
    }
  }

  private func select(of source: SelectScope.Source) -> String? {
    if let select = source.select { return text(of: outline.scopes[select].extent) }
    guard let table = source.table, tokens.first?.isWord("WITH") == true,
      let command = tokens.command
    else { return nil }
    return text(of: 0..<command) + " SELECT * FROM \(PlanExplainer.quoted(table))"
  }

  func operand(endingAt end: Int) -> Operand? {
    operand(start(ofOperandEndingAt: end)..<end)
  }

  /// Nil where it is of several tables, or of values that a statement gets.
  func operand(_ range: Range<Int>) -> Operand? {
    guard !range.isEmpty,
      !tokens[range].contains(where: { $0.kind == .parameter || $0.isWord("SELECT") })
    else { return nil }
    let aliases = Set(
      range.dropLast().filter { tokens[$0 + 1].isSymbol(".") }
        .compactMap { tokens[$0].name?.lowercased() })
    guard aliases.count < 2, let source = source(named: aliases.first, at: range.lowerBound) else {
      return nil
    }
    return operand(of: source, text(of: range))
  }

  private static let wordsBetweenOperands = [
    "AND", "OR", "NOT", "WHERE", "ON", "HAVING", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END",
    "GROUP", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "RETURNING",
  ]

  private func isBetweenOperands(_ token: SQLToken) -> Bool {
    token.isSymbol(",") || token.isSymbol(";")
      || Self.wordsBetweenOperands.contains(where: token.isWord)
  }

  func start(ofOperandEndingAt end: Int, betweenArguments: Bool = true) -> Int {
    var (start, depth) = (end, 0)
    while start > 0 {
      let token = tokens[start - 1]
      if token.isSymbol(")") { depth += 1 }
      if token.isSymbol("(") { depth -= 1 }
      let isBetween = isBetweenOperands(token) && (betweenArguments || !token.isSymbol(","))
      if depth < 0 || (depth == 0 && isBetween) { break }
      start -= 1
    }
    return start
  }

  private func end(ofOperandBeginningAt start: Int) -> Int {
    var (end, depth) = (start, 0)
    while end < tokens.count {
      let token = tokens[end]
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      if depth < 0 || (depth == 0 && isBetweenOperands(token)) { break }
      end += 1
    }
    return end
  }

  /// Whether a parameter is in a result column, where its value does not change the work: `SELECT ?
  /// AS a`.
  func isInResultColumn(_ position: Int) -> Bool {
    let columns = outline.scopes.compactMap(\.columns)
    let others = outline.scopes.flatMap {
      [$0.filter, $0.limit].compactMap(\.self) + $0.joinConditions
    }
    func smallest(_ ranges: [Range<Int>]) -> Int? {
      ranges.filter { $0.contains(position) }.map(\.count).min()
    }
    guard let column = smallest(columns) else { return false }
    return smallest(others).map { column < $0 } ?? true
  }
}
