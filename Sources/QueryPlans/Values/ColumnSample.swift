// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The values of a column, or of an expression, spread evenly over the whole table and sorted.
struct ColumnSample {
  let values: [BindValue]
  /// Each value once.
  let distinct: [BindValue]

  // 10,000 seeks take about 20 ms, whatever the table's size.
  private static let maxCount = 10_000

  /// - Returns: nil if all values are NULL, or if the expression does not compile.
  init?(_ operand: ParameterSampler.Operand, on connection: Connection) {
    var values: [BindValue] = []
    if Self.isRowidTree(operand.table, connection) {
      values = Self.read(Self.evenly(operand), connection) ?? []
    }
    // A view, a virtual table, or a table without rowids.
    if values.isEmpty { values = Self.read(Self.first(operand), connection) ?? [] }
    guard !values.isEmpty else { return nil }
    self.values = values
    distinct = values.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  /// Whether a rowid is found without a scan: a virtual table can have rowids and scan for each.
  private static func isRowidTree(_ table: String, _ connection: Connection) -> Bool {
    let sql = try? connection.texts(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE", table)
    guard let sql = sql?.first else { return false }
    return !SQLTokenizer.tokens(of: sql).prefix(2).contains { $0.isWord("VIRTUAL") }
  }

  /// All rows of a small table; for a large one, the rows after evenly spaced rowids.
  ///
  /// Some builds of SQLite let a view have a rowid, which is NULL; each seek would compute the view.
  private static func evenly(_ operand: ParameterSampler.Operand) -> String {
    let (alias, source) = (PlanExplainer.quoted(operand.alias), operand.source)
    return """
      WITH RECURSIVE b(lo, hi, n) AS MATERIALIZED (SELECT (SELECT min(rowid) FROM \(source)), \
      (SELECT max(rowid) FROM \(source)), \
      (SELECT count(*) FROM (SELECT 1 FROM \(source) LIMIT \(maxCount + 1)))), \
      g(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM g, b WHERE n > \(maxCount) AND i < \(maxCount - 1)) \
      SELECT v FROM (SELECT \(operand.sql) AS v FROM \(source), b WHERE n <= \(maxCount) \
      UNION ALL SELECT (SELECT \(operand.sql) FROM \(source) \
      WHERE \(alias).rowid >= lo + CAST((hi - lo) * (i / \(maxCount - 1).0) AS INTEGER) \
      ORDER BY \(alias).rowid LIMIT 1) FROM g, b WHERE n > \(maxCount) AND lo IS NOT NULL) \
      WHERE v IS NOT NULL ORDER BY v
      """
  }

  private static func first(_ operand: ParameterSampler.Operand) -> String {
    """
    SELECT v FROM (SELECT \(operand.sql) AS v FROM \(operand.source) LIMIT \(10 * maxCount)) \
    WHERE v IS NOT NULL ORDER BY v
    """
  }

  private static func read(_ sql: String, _ connection: Connection) -> [BindValue]? {
    guard let query = try? connection.prepare(sql) else { return nil }
    var values: [BindValue] = []
    while (try? query.step()) == true { values.append(BindValue(query, column: 0)) }
    return values
  }

  /// The value at a part of the sorted values, from 0 to 1; numbers are interpolated.
  func value(at part: Double) -> BindValue {
    let position = min(max(part, 0), 1) * Double(values.count - 1)
    let index = Int(position)
    guard index + 1 < values.count else { return values[index] }
    let fraction = position - Double(index)
    guard fraction > 0 else { return values[index] }
    switch (values[index], values[index + 1]) {
    case (.integer(let a), .integer(let b)):
      let value = Double(a) + fraction * (Double(b) - Double(a))
      return .integer(Int64(exactly: value.rounded()) ?? a)
    case (.real(let a), .real(let b)): return .real(a + fraction * (b - a))
    default: return values[fraction < 0.5 ? index : index + 1]
    }
  }

  /// The quantile of a value: the middle of the values equal to it.
  func part(of value: BindValue) -> Double {
    let low = Self.firstIndex(in: values) { !$0.precedes(value) }
    let high = Self.firstIndex(in: values) { value.precedes($0) }
    guard values.count > 1 else { return 0.5 }
    let middle = high > low ? Double(low + high - 1) / 2 : Double(low) - 0.5
    return min(max(middle / Double(values.count - 1), 0), 1)
  }

  /// The position of a value among the distinct ones, or that of the next one.
  func position(of value: BindValue) -> Int {
    Self.firstIndex(in: distinct) { !$0.precedes(value) }
  }

  private static func firstIndex(
    in values: [BindValue], where isBehind: (BindValue) -> Bool
  ) -> Int {
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(values[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Distinct values of different frequency, the rarest and the most frequent among them.
  func spread(_ count: Int) -> [BindValue] {
    var runs: [(value: BindValue, count: Int)] = []
    for value in values {
      if runs.last?.value == value {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((value, 1))
      }
    }
    // Stable: values with equal frequencies keep their order.
    let sorted = runs.enumerated().sorted { ($0.1.count, $0.0) < ($1.1.count, $1.0) }
    guard sorted.count > count else { return sorted.map(\.1.value) }
    return (0..<count).map { sorted[$0 * (sorted.count - 1) / (count - 1)].1.value }
  }
}

extension BindValue {
  /// Whether SQLite sorts the value before another one.
  func precedes(_ other: BindValue) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
    default:
      if let a = number, let b = other.number { a < b } else { rank < other.rank }
    }
  }

  private var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob: nil
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}
