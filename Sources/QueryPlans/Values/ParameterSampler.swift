// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLiteDriver

/// Finds values for parameters in the columns that they are compared with.
///
/// The values are taken from the whole column, or, of a large table, from 10,000 rows spread over
/// it. How many rows they find depends on the ``Choice``: a range becomes wider and a text that is
/// searched for shorter. What a subquery's count is compared with is 0.
struct ParameterSampler {
  /// The SQL; its parameters are numbered.
  let outline: StatementOutline
  let parameterCount: Int
  let connection: Connection

  /// The values to choose.
  struct Choice {
    /// The part of a column that a range holds.
    var width = 0.1
    /// The columns of which a range holds nearly all.
    var wide: Set<Operand> = []
    /// By alias, the row to take values from; without a row, the median of each column.
    var row: [String: [Operand: BindValue]] = [:]
    /// Whether each value of an IN list is that of the row, so that a rare value is beside no frequent one.
    var repeatsListed = false
    /// Whether patterns begin with text, so that an index may find it.
    var beginsText = false
    var limit: Int64 = 100
    var offset: Int64 = 0
    /// Keys of a list that is bound as one value.
    var listCount = ParameterSampler.batch
  }

  /// The values of a choice without a row: ranges from the 45th to the 55th percentile.
  func values() throws(OrderingError) -> [BindValue] {
    try values(Choice(), slots: slots(), samples: ColumnSamples(connection))
  }

  func values(
    _ choice: Choice, slots: [ParameterSlot], samples: ColumnSamples
  ) throws(OrderingError) -> [BindValue] {
    var values: [BindValue] = []
    for (index, slot) in slots.enumerated() {
      guard let value = value(slot, choice, samples) else { throw noSample(index + 1) }
      values.append(value)
    }
    return values
  }

  var tokens: [SQLToken] { outline.tokens }

  // MARK: - Slots

  /// - Throws: ``OrderingError/noSample(parameter:term:)``.
  func slots() throws(OrderingError) -> [ParameterSlot] {
    var slots: [ParameterSlot] = []
    for number in 1...max(parameterCount, 1) where number <= parameterCount {
      guard let slot = slot(of: number) else { throw noSample(number) }
      slots.append(slot)
    }
    return paired(slots)
  }

  /// Whether a term is `? IS NULL`.
  func isComparedWithNull(_ index: Int) -> Bool {
    tokens.indices.dropLast(2).contains { position in
      tokens[position].text == "?\(index + 1)" && tokens[position + 1].isWord("IS")
        && tokens[position + 2].isWord("NULL")
    }
  }

  private func noSample(_ number: Int) -> OrderingError {
    let position = tokens.indices.first { tokens[$0].text == "?\(number)" }
    return .noSample(parameter: number, term: term(of: position))
  }

  /// Marks the ends of ranges with a bound value at the other end as well.
  private func paired(_ slots: [ParameterSlot]) -> [ParameterSlot] {
    var (lower, upper): (Set<Operand>, Set<Operand>) = ([], [])
    for slot in slots {
      if case .lower(let operand, _) = slot { lower.insert(operand) }
      if case .upper(let operand, _) = slot { upper.insert(operand) }
    }
    return slots.map { slot in
      switch slot {
      case .lower(let operand, _): .lower(operand, isPaired: upper.contains(operand))
      case .upper(let operand, _): .upper(operand, isPaired: lower.contains(operand))
      default: slot
      }
    }
  }

  private func slot(of number: Int) -> ParameterSlot? {
    for position in tokens.indices where tokens[position].text == "?\(number)" {
      if position + 1 < tokens.count, tokens[position + 1].isWord("IS") { continue }
      if let column = insertedColumn(at: position) { return .equal(column) }
      if let limit = outline.scopes.compactMap(\.limit).first(where: { $0.contains(position) }) {
        return limitSlot(at: position, in: limit)
      }
      if let comparison = comparison(at: position),
        let slot = Self.slot(comparison.0, comparison.1, isLow: comparison.isLow)
      {
        return slot
      }
      if let slot = listed(at: position) ?? pattern(at: position) { return slot }
      if isComparedWithSubquery(position) { return .zero }
      if let computed = computedComparison(at: position),
        let slot = Self.slot(computed.0, computed.1, isLow: computed.isLow)
      {
        return slot
      }
      if isInResultColumn(position) { return .zero }
    }
    return nil
  }

  /// The column of a value in `REPLACE INTO t(a, b) VALUES (?, ?)`: the rows that it deletes, or updates after a
  /// conflict, decide the work.
  private func insertedColumn(at position: Int) -> Operand? {
    guard let command = tokens.command, command < position,
      tokens.replaceRows || tokens.firstOuter(["CONFLICT"], from: command) != nil,
      let into = tokens.firstOuter(["INTO"], from: command), into + 2 < position,
      let table = tokens[into + 1].name, tokens[into + 2].isSymbol("("),
      let values = tokens.firstOuter(["VALUES"], from: into), values < position
    else { return nil }
    let columns = tokens[(into + 3)..<values].filter { !$0.isSymbol(",") }.compactMap(\.name)
    let own = tokens[(values + 2)..<position]
    guard !own.contains(where: { $0.isSymbol("(") }) else { return nil }
    let index = own.count { $0.isSymbol(",") }
    guard columns.indices.contains(index) else { return nil }
    return Operand(table: table, alias: table, sql: PlanExplainer.quoted(columns[index]))
  }

  /// `LIMIT ?`, `LIMIT ? OFFSET ?`, and `LIMIT ?, ?`, of which the first one is the offset.
  private func limitSlot(at position: Int, in limit: Range<Int>) -> ParameterSlot {
    if tokens[limit.lowerBound..<position].contains(where: { $0.isWord("OFFSET") }) {
      return .offset
    }
    let followsComma = position + 1 < limit.upperBound && tokens[position + 1].isSymbol(",")
    return followsComma ? .offset : .limit
  }

  private static func slot(
    _ operand: Operand, _ kind: ColumnComparison.Kind, isLow: Bool
  ) -> ParameterSlot? {
    switch kind {
    case .lowerBound: .lower(operand, isPaired: false)
    case .upperBound: .upper(operand, isPaired: false)
    case .between: isLow ? .lower(operand, isPaired: true) : .upper(operand, isPaired: true)
    case .equality, .other: .equal(operand)
    case .pattern: nil
    }
  }

  // MARK: - Values

  private func value(
    _ slot: ParameterSlot, _ choice: Choice, _ samples: ColumnSamples
  ) -> BindValue? {
    switch slot {
    case .limit: return .integer(choice.limit)
    case .offset: return .integer(choice.offset)
    case .zero: return .integer(0)
    case .jsonList(let operand, let isEncoded):
      return sampleList(operand, count: choice.listCount, isEncoded: isEncoded)
    case .equal(let operand): return value(around: operand, choice, samples, at: 0)
    case .listed(let operand, let position):
      guard position > 1, !choice.repeatsListed else {
        return value(around: operand, choice, samples, at: 0)
      }
      return listedValue(operand, position, choice, samples)
    case .lower(let operand, let isPaired):
      guard let sample = samples[operand] else { return nil }
      if !isPaired, !choice.row.isEmpty { return sample.value(at: 1 - choice.width(of: operand)) }
      return sample.value(at: range(operand, choice, sample).low)
    case .upper(let operand, let isPaired):
      guard let sample = samples[operand] else { return nil }
      if !isPaired, !choice.row.isEmpty { return sample.value(at: choice.width(of: operand)) }
      return sample.value(at: range(operand, choice, sample).high)
    case .text(let operand, let form):
      guard case .text(let text)? = value(around: operand, choice, samples, at: 0), !text.isEmpty
      else { return nil }
      return .text(
        form.pattern(of: text, length: choice.textLength, beginsText: choice.beginsText))
    }
  }

  /// The value of the row, or the median; moved by a part of the column.
  private func value(
    around operand: Operand, _ choice: Choice, _ samples: ColumnSamples, at shift: Double
  ) -> BindValue? {
    let own = choice.row[operand.alias]?[operand]
    if shift == 0, let own { return own }
    guard let sample = samples[operand] else { return nil }
    let middle = own.map(sample.part) ?? 0.5
    let part = middle + shift
    return sample.values[
      Int((min(max(part < 0 ? part + 1 : part, 0), 1) * Double(sample.values.count - 1)).rounded())]
  }

  /// A list holds different values, from all of the column.
  private func listedValue(
    _ operand: Operand, _ position: Int, _ choice: Choice, _ samples: ColumnSamples
  ) -> BindValue? {
    guard let sample = samples[operand] else { return nil }
    let distinct = sample.distinct
    let first = choice.row[operand.alias]?[operand].map(sample.position)
    // The golden ratio spreads any number of positions evenly.
    let part = (Double(position - 1) * 0.618_034).truncatingRemainder(dividingBy: 1)
    let index = (first ?? distinct.count / 2) + Int(part * Double(distinct.count))
    return distinct[index % distinct.count]
  }

  /// The parts of a column around a row's value, within the column.
  private func range(
    _ operand: Operand, _ choice: Choice, _ sample: ColumnSample
  ) -> (low: Double, high: Double) {
    let middle = choice.row[operand.alias]?[operand].map(sample.part) ?? 0.5
    let half = choice.width / 2
    let center = min(max(middle, half), 1 - half)
    return (center - half, center + half)
  }

  /// The text of the innermost term that holds a position.
  private func term(of position: Int?) -> String? {
    guard let position else { return nil }
    let terms = outline.scopes.reversed().compactMap(\.filter)
      .flatMap { TermTree($0, of: tokens).conjuncts }
    return terms.first { $0.contains(position) }.map(text)
  }

  func text(of range: Range<Int>) -> String {
    let (first, last) = (tokens[range.lowerBound].text, tokens[range.upperBound - 1].text)
    return String(first.base[first.startIndex..<last.endIndex])
  }

  /// `column IN (?, ?)`, and `column IN (SELECT value FROM json_each(?))` with all of its values.
  private func listed(at position: Int) -> ParameterSlot? {
    var start = position - 1
    let kinds: [SQLToken.Kind] = [.parameter, .number, .text]
    while start > 0, kinds.contains(tokens[start].kind) || tokens[start].isSymbol(",") {
      start -= 1
    }
    guard start > 1, tokens[start].isSymbol("(") else { return nil }
    if tokens[start - 1].isWord("IN"), let operand = operand(beforeIN: start - 1) {
      return .listed(operand, position: tokens[start..<position].count { $0.isSymbol(",") } + 1)
    }
    // `IN (SELECT NSCoreDataValue(value) FROM json_each(` is the longest way.
    guard tokens[start - 1].isWord("JSON_EACH"),
      let list = tokens[..<start].lastIndex(where: { $0.isWord("IN") }), start - list <= 9,
      let operand = operand(beforeIN: list)
    else { return nil }
    let isEncoded = tokens[list..<start].contains { $0.name == "NSCoreDataValue" }
    return .jsonList(operand, isEncoded: isEncoded)
  }

  /// The keys of `t0.ZAUTHOR IN (SELECT * FROM _Z_intarray0)`.
  func keys(ofArray name: String, count: Int = batch) -> [Int64] {
    let positions = tokens.indices.filter {
      $0 > 5 && tokens[$0].name == name && tokens[$0 - 1].isWord("FROM")
        && tokens[$0 - 5].isWord("IN")
    }
    guard let position = positions.first, let operand = operand(beforeIN: position - 5),
      let query = try? connection.prepare(
        """
        SELECT DISTINCT \(operand.sql) AS v FROM \(operand.source) \
        WHERE typeof(\(operand.sql)) = 'integer' LIMIT \(count)
        """)
    else { return [] }
    var keys: [Int64] = []
    while (try? query.step()) == true { keys.append(query.int64(0)) }
    return keys
  }

  private func operand(beforeIN position: Int) -> Operand? {
    operand(endingAt: tokens[position - 1].isWord("NOT") ? position - 1 : position)
  }

  // The number of rows that a screen or two show, and therefore a typical batch of keys.
  static let batch = 50

  /// - Parameter isEncoded: whether `NSCoreDataValue` makes the values from texts that contain
  ///   their type.
  private func sampleList(_ operand: Operand, count: Int, isEncoded: Bool) -> BindValue? {
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
        FROM \(operand.source) WHERE \(operand.sql) IS NOT NULL LIMIT \(count))
        """), (try? query.step()) == true
    else { return nil }
    return BindValue(query, column: 0)
  }

  /// `column <= ?`, `? <= column`, `column BETWEEN ? AND ?`.
  private func comparison(
    at position: Int
  ) -> (Operand, ColumnComparison.Kind, isLow: Bool)? {
    // `a.b BETWEEN -1 AND ?` is the longest way.
    for start in max(0, position - 7)...position {
      for end in position + 1...min(tokens.count, position + 5) {
        for comparison in ColumnComparison.all(in: start..<end, of: tokens) {
          let isWholeValue = comparison.value == position..<position + 1
          let isBetween =
            comparison.kind == .between && comparison.value.contains(position)
            && start < position - 1
          guard isWholeValue || isBetween, isBoundary(start, end),
            let column = column(comparison)
          else { continue }
          let isLow = comparison.value.lowerBound == position
          return (column, comparison.kind, isLow: isLow)
        }
      }
    }
    return nil
  }

  /// Whether a comparison is not a piece of a longer expression, such as `a + b < ?`.
  private func isBoundary(_ start: Int, _ end: Int) -> Bool {
    ends(before: start) && ends(after: end - 1)
  }

  func ends(before position: Int) -> Bool {
    position == 0 || tokens[position - 1].isSymbol("(") || isBetweenTerms(tokens[position - 1])
  }

  func ends(after position: Int) -> Bool {
    guard position + 1 < tokens.count else { return true }
    let token = tokens[position + 1]
    // A parenthesis that begins here would make a function of the name before it.
    return token.isSymbol(")") || token.isSymbol(";") || isBetweenTerms(token)
  }

  private func isBetweenTerms(_ token: SQLToken) -> Bool {
    [
      "AND", "OR", "NOT", "WHERE", "ON", "LIMIT", "ORDER", "GROUP", "HAVING", "WHEN", "THEN",
      "UNION", "EXCEPT", "INTERSECT", "RETURNING",
    ].contains(where: token.isWord)
  }

  private func column(_ comparison: ColumnComparison) -> Operand? {
    source(named: comparison.alias, at: comparison.value.lowerBound).flatMap {
      operand(of: $0, PlanExplainer.quoted(comparison.column))
    }
  }

  /// `(SELECT COUNT(…) …) <> ?`.
  private func isComparedWithSubquery(_ position: Int) -> Bool {
    guard position > 1, ColumnComparison.Kind(tokens[position - 1]) != nil else { return false }
    let start = start(ofOperandEndingAt: position - 1)
    return tokens[start].isSymbol("(") && tokens[start + 1].isWord("SELECT")
  }
}

extension ParameterSampler.Operand {
  var source: String {
    "\(select ?? PlanExplainer.quoted(table)) AS \(PlanExplainer.quoted(alias))"
  }
}

extension ParameterSampler.Choice {
  /// Letters of a text that is searched for: 1 of the widest choice, 3 of the usual one, more of
  /// narrow ones.
  var textLength: Int { width > 0.5 ? 1 : Int((1 - 2 * log10(width)).rounded()) }

  func width(of operand: ParameterSampler.Operand) -> Double { wide.contains(operand) ? 1 : width }
}

extension ParameterSlot.TextForm {
  /// A pattern that finds a text.
  func pattern(of text: String, length: Int, beginsText: Bool) -> String {
    let start = String(text.prefix(length))
    return switch self {
    case .like where beginsText: "\(start)%"
    case .glob where beginsText: "\(start)*"
    case .prefix: start
    case .suffix: String(text.suffix(length))
    case .whole: text
    case .like: "%\(start)%"
    case .word: text.split { !$0.isLetter && !$0.isNumber }.first.map(String.init) ?? start
    case .glob: "*\(start)*"
    case .escapedGlob: "*\(Self.escaped(start))*"
    case .regularExpression: ".*\(Self.escaped(start)).*"
    }
  }

  /// Letters and digits mean themselves in every pattern; a backslash makes the rest do so.
  private static func escaped(_ text: String) -> String {
    text.map { $0.isASCII && !$0.isLetter && !$0.isNumber ? "\\\($0)" : "\($0)" }.joined()
  }
}

/// The samples of the columns of one statement, each read once.
final class ColumnSamples {
  private let connection: Connection
  private var samples: [ParameterSampler.Operand: ColumnSample?] = [:]

  init(_ connection: Connection) { self.connection = connection }

  subscript(operand: ParameterSampler.Operand) -> ColumnSample? {
    if let known = samples[operand] { return known }
    let sample = ColumnSample(operand, on: connection)
    samples[operand] = .some(sample)
    return sample
  }
}
