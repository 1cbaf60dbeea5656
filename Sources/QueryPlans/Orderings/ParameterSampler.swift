// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Finds plausible values for parameters in the columns that they are compared with.
///
/// A trace holds no values: they are private. A lower bound is the 45th percentile of the first
/// 10,000 rows, an upper bound the 55th, anything else the median: a narrow box in the middle of
/// the data. A LIMIT is 100, and what a subquery's count is compared with is 0.
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

  private var tokens: [SQLToken] { outline.tokens }

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
      if let value = listed(at: place) { return value }
      if isComparedWithSubquery(place) { return .integer(0) }
    }
    throw .noSample(parameter: number, term: term(of: places.first) ?? "the statement")
  }

  /// The text of the innermost term that holds a place.
  private func term(of place: Int?) -> String? {
    guard let place else { return nil }
    let terms = outline.scopes.reversed().compactMap(\.filter)
      .flatMap { TermTree($0, of: tokens).conjuncts }
    return terms.first { $0.contains(place) }.map { term in
      let (first, last) = (tokens[term.lowerBound].text, tokens[term.upperBound - 1].text)
      return String(first.base[first.startIndex..<last.endIndex])
    }
  }

  /// `column IN (?, ?)`, and `column IN (SELECT value FROM json_each(?))` with all of its values.
  private func listed(at place: Int) -> BindValue? {
    var start = place - 1
    while start > 0, tokens[start].kind == .parameter || tokens[start].isSymbol(",") { start -= 1 }
    guard start > 1, tokens[start].isSymbol("(") else { return nil }
    if tokens[start - 1].isWord("IN"), let column = column(endingAt: start - 1) {
      let count = (place - start + 1) / 2
      // Neighbours around the middle: a list holds different values.
      return sample(column, 0.3 + 0.4 * Double(count) / Double(count + 4))
    }
    guard tokens[start - 1].isWord("JSON_EACH"),
      let list = tokens[..<start].lastIndex(where: { $0.isWord("IN") }), start - list <= 7,
      let column = column(endingAt: list)
    else { return nil }
    return sampleList(column)
  }

  /// `t0.ZNAME` before a place.
  private func column(endingAt place: Int) -> Column? {
    guard place >= 3, tokens[place - 2].isSymbol("."), let alias = tokens[place - 3].name,
      let name = tokens[place - 1].name,
      let source = outline.scopes.flatMap(\.sources).first(where: {
        $0.alias.lowercased() == alias.lowercased()
      }), let table = source.table
    else { return nil }
    return Column(table: table, name: name)
  }

  /// 50 keys are a batch.
  private func sampleList(_ column: Column) -> BindValue? {
    let name = PlanExplainer.quoted(column.name)
    guard
      let query = try? connection.prepare(
        """
        SELECT json_group_array(v) FROM (SELECT DISTINCT \(name) AS v FROM \
        \(PlanExplainer.quoted(column.table)) WHERE \(name) IS NOT NULL LIMIT 50)
        """), (try? query.step()) == true
    else { return nil }
    return BindValue(query, column: 0)
  }

  private struct Column {
    var table: String
    var name: String
  }

  /// `column <= ?`, `? <= column`, `column BETWEEN ? AND ?`.
  private func comparison(at place: Int) -> (Column, Double)? {
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
    let before = start == 0 ? nil : tokens[start - 1]
    let after = end == tokens.count ? nil : tokens[end]
    func ends(_ token: SQLToken?) -> Bool {
      guard let token else { return true }
      return token.isSymbol("(") || token.isSymbol(")") || token.isSymbol(";")
        || ["AND", "OR", "NOT", "WHERE", "ON", "LIMIT", "ORDER", "GROUP", "WHEN", "THEN"]
          .contains(where: token.isWord)
    }
    return ends(before) && ends(after)
  }

  private func percentile(_ kind: ColumnComparison.Kind, isLow: Bool) -> Double {
    switch kind {
    case .lowerBound: 0.45
    case .upperBound: 0.55
    case .between: isLow ? 0.45 : 0.55
    default: 0.5
    }
  }

  private func column(_ comparison: ColumnComparison) -> Column? {
    let sources = outline.scopes.flatMap(\.sources)
    let table =
      comparison.alias.flatMap { alias in
        sources.first { $0.alias.lowercased() == alias.lowercased() }?.table
      } ?? (comparison.alias == nil && sources.count == 1 ? sources.first?.table : nil)
    return table.map { Column(table: $0, name: comparison.column) }
  }

  /// `(SELECT COUNT(…) …) <> ?`.
  private func isComparedWithSubquery(_ place: Int) -> Bool {
    place > 1 && ColumnComparison.Kind(tokens[place - 1]) != nil && tokens[place - 2].isSymbol(")")
  }

  private func sample(_ column: Column, _ percentile: Double) -> BindValue? {
    let name = PlanExplainer.quoted(column.name)
    let rows = """
      (SELECT \(name) AS v FROM \(PlanExplainer.quoted(column.table)) \
      WHERE \(name) IS NOT NULL LIMIT \(Self.sampledRows))
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
