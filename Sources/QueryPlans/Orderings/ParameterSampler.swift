// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Finds plausible values for parameters in the columns that they are compared with.
///
/// A trace holds no values: they are private. A lower bound is the 45th percentile of the first
/// 10,000 rows, an upper bound the 55th, anything else the median: a narrow box in the middle of
/// the data. A text that is searched for is three letters of the median one, a LIMIT is 100, and
/// what a subquery's count is compared with is 0.
struct ParameterSampler {
  /// Of SQL whose parameters are numbered.
  let outline: StatementOutline
  let parameterCount: Int
  let connection: Connection

  // 10,000 rows sort in a few milliseconds, and their middle is not far from the table's.
  private static let sampledRows = 10_000

  func values() throws(OrderingError) -> [BindValue] {
    var values: [BindValue] = []
    for number in 1...max(parameterCount, 1) where number <= parameterCount {
      values.append(try value(of: number))
    }
    return values
  }

  var tokens: [SQLToken] { outline.tokens }

  private func value(of number: Int) throws(OrderingError) -> BindValue {
    let places = tokens.indices.filter { tokens[$0].text == "?\(number)" }
    for place in places {
      if let limit = outline.scopes.compactMap(\.limit).first(where: { $0.contains(place) }) {
        // What follows OFFSET is left out: the first page is measured.
        return .integer(tokens[limit.lowerBound..<place].contains { $0.isWord("OFFSET") } ? 0 : 100)
      }
      if let (column, percentile) = comparison(at: place), let value = sample(column, percentile) {
        return value
      }
      if let value = listed(at: place) ?? pattern(at: place) { return value }
      if isComparedWithSubquery(place) { return .integer(0) }
      if let (operand, percentile) = computedComparison(at: place),
        let value = sample(operand, percentile)
      {
        return value
      }
    }
    throw .noSample(parameter: number, term: term(of: places.first) ?? "the statement")
  }

  /// The text of the innermost term that holds a place.
  private func term(of place: Int?) -> String? {
    guard let place else { return nil }
    let terms = outline.scopes.reversed().compactMap(\.filter)
      .flatMap { TermTree($0, of: tokens).conjuncts }
    return terms.first { $0.contains(place) }.map(text)
  }

  func text(of range: Range<Int>) -> String {
    let (first, last) = (tokens[range.lowerBound].text, tokens[range.upperBound - 1].text)
    return String(first.base[first.startIndex..<last.endIndex])
  }

  /// `column IN (?, ?)`, and `column IN (SELECT value FROM json_each(?))` with all of its values.
  private func listed(at place: Int) -> BindValue? {
    var start = place - 1
    while start > 0, tokens[start].kind == .parameter || tokens[start].isSymbol(",") { start -= 1 }
    guard start > 1, tokens[start].isSymbol("(") else { return nil }
    if tokens[start - 1].isWord("IN"), let operand = operand(beforeIN: start - 1) {
      let count = (place - start + 1) / 2
      // Neighbours around the middle: a list holds different values.
      return sample(operand, 0.3 + 0.4 * Double(count) / Double(count + 4))
    }
    // `IN (SELECT NSCoreDataValue(value) FROM json_each(` is the longest way.
    guard tokens[start - 1].isWord("JSON_EACH"),
      let list = tokens[..<start].lastIndex(where: { $0.isWord("IN") }), start - list <= 9,
      let operand = operand(beforeIN: list)
    else { return nil }
    return sampleList(
      operand, isEncoded: tokens[list..<start].contains { $0.name == "NSCoreDataValue" })
  }

  /// The keys of `t0.ZAUTHOR IN (SELECT * FROM _Z_intarray0)`.
  func keys(ofArray name: String) -> [Int64] {
    let places = tokens.indices.filter {
      $0 > 5 && tokens[$0].name == name && tokens[$0 - 1].isWord("FROM")
        && tokens[$0 - 5].isWord("IN")
    }
    guard let place = places.first, let operand = operand(beforeIN: place - 5),
      let query = try? connection.prepare(
        """
        SELECT DISTINCT \(operand.sql) AS v FROM \(operand.source) \
        WHERE typeof(\(operand.sql)) = 'integer' LIMIT \(Self.batch)
        """)
    else { return [] }
    var keys: [Int64] = []
    while (try? query.step()) == true { keys.append(query.int64(0)) }
    return keys
  }

  private func operand(beforeIN place: Int) -> Operand? {
    operand(endingAt: tokens[place - 1].isWord("NOT") ? place - 1 : place)
  }

  // What a screen or two show, and so a batch of keys that is asked for at once.
  private static let batch = 50

  /// - Parameter isEncoded: whether `NSCoreDataValue` makes the values of texts that say their kind.
  private func sampleList(_ operand: Operand, isEncoded: Bool = false) -> BindValue? {
    let value =
      isEncoded
      ? """
      CASE typeof(v) WHEN 'text' THEN 't' || lower(hex(v)) WHEN 'blob' THEN 'b' || lower(hex(v)) \
      ELSE v END
      """ : "v"
    guard
      let query = try? connection.prepare(
        """
        SELECT json_group_array(\(value)) FROM (SELECT DISTINCT \(operand.sql) AS v \
        FROM \(operand.source) WHERE \(operand.sql) IS NOT NULL LIMIT \(Self.batch))
        """), (try? query.step()) == true
    else { return nil }
    return BindValue(query, column: 0)
  }

  /// `column <= ?`, `? <= column`, `column BETWEEN ? AND ?`.
  private func comparison(at place: Int) -> (Operand, Double)? {
    for start in max(0, place - 5)...place {
      for end in place + 1...min(tokens.count, place + 5) {
        for comparison in ColumnComparison.all(in: start..<end, of: tokens) {
          let isWholeValue = comparison.value == place..<place + 1
          let isBetween =
            comparison.kind == .between && comparison.value.contains(place) && start < place - 1
          guard isWholeValue || isBetween, isBoundary(start, end),
            let column = column(comparison)
          else { continue }
          let isLow = comparison.value.lowerBound == place
          return (column, percentile(comparison.kind, isLow: isLow))
        }
      }
    }
    return nil
  }

  /// Whether a comparison is not a piece of a longer expression, such as `a + b < ?`.
  private func isBoundary(_ start: Int, _ end: Int) -> Bool {
    ends(before: start) && ends(after: end - 1)
  }

  func ends(before place: Int) -> Bool {
    place == 0 || tokens[place - 1].isSymbol("(") || isBetweenTerms(tokens[place - 1])
  }

  func ends(after place: Int) -> Bool {
    guard place + 1 < tokens.count else { return true }
    let token = tokens[place + 1]
    // A parenthesis that begins here would make a function of the name before it.
    return token.isSymbol(")") || token.isSymbol(";") || isBetweenTerms(token)
  }

  private func isBetweenTerms(_ token: SQLToken) -> Bool {
    ["AND", "OR", "NOT", "WHERE", "ON", "LIMIT", "ORDER", "GROUP", "WHEN", "THEN"]
      .contains(where: token.isWord)
  }

  func percentile(_ kind: ColumnComparison.Kind, isLow: Bool) -> Double {
    switch kind {
    case .lowerBound: 0.45
    case .upperBound: 0.55
    case .between: isLow ? 0.45 : 0.55
    default: 0.5
    }
  }

  private func column(_ comparison: ColumnComparison) -> Operand? {
    let sources = outline.scopes.flatMap(\.sources)
    let source =
      comparison.alias.flatMap { alias in
        sources.first { $0.alias.lowercased() == alias.lowercased() }
      } ?? (comparison.alias == nil && sources.count == 1 ? sources.first : nil)
    guard let source, let table = source.table else { return nil }
    return Operand(
      table: table, alias: source.alias, sql: PlanExplainer.quoted(comparison.column))
  }

  /// `(SELECT COUNT(…) …) <> ?`.
  private func isComparedWithSubquery(_ place: Int) -> Bool {
    guard place > 1, ColumnComparison.Kind(tokens[place - 1]) != nil else { return false }
    let start = start(ofOperandEndingAt: place - 1)
    return tokens[start].isSymbol("(") && tokens[start + 1].isWord("SELECT")
  }

  func sample(_ operand: Operand, _ percentile: Double) -> BindValue? {
    let rows = """
      (SELECT \(operand.sql) AS v FROM \(operand.source) \
      WHERE \(operand.sql) IS NOT NULL LIMIT \(Self.sampledRows))
      """
    guard
      let query = try? connection.prepare(
        """
        SELECT v FROM \(rows) ORDER BY v LIMIT 1 \
        OFFSET CAST((SELECT count(*) - 1 FROM \(rows)) * \(percentile) AS INTEGER)
        """), (try? query.step()) == true
    else { return nil }
    return BindValue(query, column: 0)
  }
}

extension ParameterSampler.Operand {
  fileprivate var source: String {
    "\(PlanExplainer.quoted(table)) AS \(PlanExplainer.quoted(alias))"
  }
}
