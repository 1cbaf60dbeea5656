// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLiteDriver
import StoreEvents

/// Samples values that reproduce the counts of a statement's runs in the trace.
///
///     rows of the table, evenly spread ── a range around each ── run ── more rows than counted?
///         └── narrower, or wider, until the mean is the one of the trace
final class ValueFitter {
  private let sampler: ParameterSampler
  private let slots: [ParameterSlot]
  private let samples: ColumnSamples
  private let counted: CountedRuns
  private var target: Target
  /// Whether every run is taken to return as many rows as its limit, which is a parameter.
  private var isCutByLimit = false
  /// Whether the text of a LIKE or a GLOB begins with the text of the column.
  private var beginsText: Bool
  private let connection: Connection
  private let query: Statement
  private var stepsLeft: UInt64

  /// The counts by which runs are compared.
  private enum Target {
    case rows(Double)
    case result(Double)
    case vmSteps(Double)

    var amount: Double {
      switch self {
      case .rows(let amount), .result(let amount), .vmSteps(let amount): amount
      }
    }

    /// How far from the counted mean the fitted one may be.
    var tolerance: Double {
      if case .vmSteps(let steps) = self { return 0.3 * steps }
      return max(0.5, 0.2 * amount)
    }
  }

  private struct Trial {
    var values: [BindValue]
    var amount: Double
    var steps: Double
  }

  // Some seconds; a statement that takes longer is fitted as well as it was until then.
  static let maxSteps: UInt64 = 300_000_000
  // Rows around which values are tried: an odd number has a middle.
  private static let rowCount = 5
  private static let variedRowCount = 16

  /// - Parameter query: compiled from the numbered SQL.
  init(
    _ query: Statement, sampler: ParameterSampler, counted: CountedRuns,
    maxSteps: UInt64 = ValueFitter.maxSteps
  ) throws(OrderingError) {
    stepsLeft = maxSteps
    self.query = query
    self.sampler = sampler
    self.counted = counted
    connection = sampler.connection
    slots = try sampler.slots()
    samples = ColumnSamples(sampler.connection)
    beginsText = slots.contains { $0.isPattern }
    target = Self.target(counted, sampler.outline)
  }

  private static func target(_ counted: CountedRuns, _ outline: StatementOutline) -> Target {
    // The single row of an aggregate does not show how many it has read.
    let outer = outline.scopes.first { $0.role == .statement }
    let isAggregate = outer.map { $0.hasAggregate && !$0.hasGroupBy } ?? false
    // Nor does a number of rows that the LIMIT cuts off.
    let limit = outer?.limit.flatMap {
      $0.isEmpty ? nil : Double(outline.tokens[$0.lowerBound].text)
    }
    if let limit, let rows = counted.rows, rows >= limit, !counted.rowsAreResult,
      let steps = counted.vmSteps
    {
      return .vmSteps(steps)
    }
    switch counted.rows {
    case let rows? where counted.rowsAreResult: return .result(rows)
    case let rows? where !isAggregate: return .rows(rows)
    default: return .vmSteps(counted.vmSteps ?? 0)
    }
  }

  /// - Throws: ``OrderingError/noFit(_:)`` if no values reproduce the counts, or ``SQLiteError``.
  func values() throws -> StatementValues {
    guard isCounted else {
      let values = try sampler.values(choice(width: 0.1), slots: slots, samples: samples)
      return StatementValues(runs: [.init(values: values, weight: 1)], source: .sampled)
    }
    let hasWidth = slots.contains { $0.hasWidth }
    var trials: [Trial] = []
    if isVMSteps, hasWidth, slots.contains(where: { !$0.hasWidth }) {
      // A LIMIT hides how many rows match: rare and frequent values take about the same steps. They come first, since
      // a search for the width may take all steps that are left.
      trials = try variedRows(width: 1) + variedRows(width: 1, repeatsListed: true)
    }
    trials += try hasWidth ? fittedWidth() : variedRows()
    let least = target.amount + target.tolerance
    if target.amount < 1 || !trials.isEmpty && trials.allSatisfy({ $0.amount > least }) {
      trials += try missing()
    }
    guard let runs = mixed(trials) else {
      if try refitUnderLimit(nil) { return try values() }
      if beginsText {
        beginsText = false
        return try values()
      }
      throw OrderingError.noFit(counted: target.amount, best: best(trials)?.amount)
    }
    let mean = runs.reduce(0) { $0 + $1.1 * $1.0.amount }
    if try refitUnderLimit(runs.reduce(0) { $0 + $1.1 * $1.0.steps }) { return try values() }
    let others = try unequalWidths()
    let all = [runs] + others
    return StatementValues(
      runs: all.flatMap { runs in
        runs.map { .init(values: $0.0.values, weight: $0.1 / Double(all.count)) }
      }, source: source(mean))
  }

  /// Repeats the fit with the rows as the limit, if `LIMIT ?` may have cut the rows off and the
  /// steps differ from the trace otherwise.
  private func refitUnderLimit(_ steps: Double?) throws -> Bool {
    guard !isCutByLimit, case .rows(let rows) = target, rows >= 1,
      let counted = counted.vmSteps, slots.contains(where: { $0.isLimit }),
      steps.map({ abs($0 - counted) > 0.3 * counted }) ?? true
    else { return false }
    isCutByLimit = true
    target = .vmSteps(counted)
    return true
  }

  /// Whether it ended for its limit: with a higher one it may find other values.
  var isExhausted: Bool { stepsLeft == 0 }

  private var isCounted: Bool {
    if case .vmSteps(let steps) = target { return steps > 0 }
    return true
  }

  private func source(_ mean: Double) -> ValueSource {
    if case .vmSteps(let steps) = target { return .fittedSteps(steps: mean, counted: steps) }
    return .fitted(rows: mean, counted: target.amount)
  }

  private func best(_ trials: [Trial]) -> Trial? {
    trials.min { abs($0.amount - target.amount) < abs($1.amount - target.amount) }
  }

  // MARK: - Trials

  private func choice(width: Double) -> ParameterSampler.Choice {
    var choice = ParameterSampler.Choice()
    choice.width = width
    choice.beginsText = beginsText
    choice.offset = Int64(exactly: counted.offset.rounded()) ?? 0
    if let rows = counted.rows, !counted.rowsAreResult, rows >= 1, rows < 1e12 {
      choice.limit = isCutByLimit ? Int64(rows.rounded()) : Int64(max(100, 4 * rows))
    }
    return choice
  }

  /// The width at which the rows' mean is the counted one, by bisection of its logarithm.
  ///
  /// - Parameter wide: columns of which a range holds nearly all.
  private func fittedWidth(wide: Set<ParameterSampler.Operand> = []) throws -> [Trial] {
    let rows = try evenRows(Self.rowCount)
    var (narrow, widest) = (-24.0, 0.0)
    var closest = try trials(rows, exponent: widest, wide)
    var all = closest
    let narrowest = try trials(rows, exponent: narrow, wide)
    all += narrowest
    // Under a LIMIT a narrow range may take more steps than a wide one, which has its rows soon.
    let grows = mean(closest) >= mean(narrowest)
    if error(narrowest) < error(closest) { closest = narrowest }
    for _ in 0..<14 where error(closest) > 0.05 * target.amount && stepsLeft > 0 {
      let exponent = (narrow + widest) / 2
      let trials = try trials(rows, exponent: exponent, wide)
      all += trials
      if error(trials) < error(closest) { closest = trials }
      if (mean(trials) > target.amount) == grows { widest = exponent } else { narrow = exponent }
    }
    return error(closest) <= target.tolerance ? closest : all
  }

  /// Of several open ranges one may be as narrow as all together, and the others hold nearly all rows.
  private func unequalWidths() throws -> [[(Trial, Double)]] {
    let open = Set(slots.compactMap(\.openRange))
    guard open.count > 1 else { return [] }
    return try open.sorted { $0.sql < $1.sql }.compactMap { narrow in
      let trials = try fittedWidth(wide: open.subtracting([narrow]))
      return mixed(trials.filter(isClose))
    }
  }

  private func trials(
    _ rows: [Row], exponent: Double, _ wide: Set<ParameterSampler.Operand>
  ) throws -> [Trial] {
    try rows.map { row in
      var choice = choice(width: exp2(exponent))
      choice.wide = wide
      choice.row = row
      choice.listCount = max(1, Int(1000 * choice.width))
      return try trial(choice)
    }
  }

  private func mean(_ trials: [Trial]) -> Double {
    trials.reduce(0) { $0 + $1.amount } / Double(max(trials.count, 1))
  }

  private func error(_ trials: [Trial]) -> Double { abs(mean(trials) - target.amount) }

  /// Without a range: rows all over the table, and rows with rare and with frequent values.
  private func variedRows(
    width: Double = 0.1, repeatsListed: Bool = false
  ) throws -> [Trial] {
    var rows = try evenRows(Self.variedRowCount / 2)
    for operand in Set(slots.compactMap(\.operand)).sorted(by: { $0.sql < $1.sql }) {
      for value in samples[operand]?.spread(Self.variedRowCount / 2) ?? [] {
        rows.append(try row(having: operand, value) ?? [operand.alias: [operand: value]])
      }
    }
    return try rows.flatMap { row in
      var choice = choice(width: width)
      choice.row = row
      choice.repeatsListed = repeatsListed
      let values = try sampler.values(choice, slots: slots, samples: samples)
      // `? IS NULL OR a = ?` is written for values that may be NULL.
      let optional = slots.indices.filter(sampler.isComparedWithNull)
      return try [trial(values)]
        + optional.map { index in
          var some = values
          some[index] = .null
          return try trial(some)
        }
    }
  }

  /// Values that no row has, where some runs may have found nothing.
  private func missing() throws -> [Trial] {
    guard slots.contains(where: { $0.operand != nil }) else { return [] }
    var values = try sampler.values(choice(width: 0.1), slots: slots, samples: samples)
    for (index, slot) in slots.enumerated() where slot.operand != nil {
      switch values[index] {
      case .integer, .real: values[index] = .integer(-4_611_686_018_427_387_904 + Int64(index))
      case .text(let text):
        // A pattern ends with a wildcard.
        let end = slot.isPattern ? text.suffix(1) : ""
        values[index] = .text(String(text.dropLast(end.count)) + "\u{10fffd}\u{10fffd}" + end)
      case .blob(let bytes): values[index] = .blob(bytes + [255, 254, 253])
      case .null: break
      }
    }
    return try mixedRows() + [trial(values)]
  }

  /// Values of several columns, each from another row: all of them exist, and hardly a row has all.
  private func mixedRows() throws -> [Trial] {
    let positions = slots.indices.filter { slots[$0].operand != nil }
    guard positions.count > 1 else { return [] }
    let rows = try evenRows(Self.rowCount).map { row in
      var choice = choice(width: 0.1)
      choice.row = row
      return try sampler.values(choice, slots: slots, samples: samples)
    }
    return try rows.indices.map { first in
      var values = rows[first]
      for (shift, position) in positions.enumerated() {
        values[position] = rows[(first + shift) % rows.count][position]
      }
      return try trial(values)
    }
  }

  private func trial(_ choice: ParameterSampler.Choice) throws -> Trial {
    let values = try sampler.values(choice, slots: slots, samples: samples)
    return try trial(values)
  }

  /// Runs the statement; ends early where it returns far more rows than it should.
  private func trial(_ values: [BindValue]) throws -> Trial {
    guard stepsLeft > 0 else { return Trial(values: values, amount: .infinity, steps: 0) }
    for (index, value) in values.enumerated() { value.bind(to: query, at: Int32(index) + 1) }
    _ = query.takeCounters()
    var rows = 0.0
    var result = 0.0
    try OrderingError.explaining { () throws(SQLiteError) in
      while rows <= 4 * target.amount + 1000 || isVMSteps, try query.step() {
        if rows == 0 { result = Double(query.int64(0)) }
        rows += 1
      }
    }
    query.reset()
    let steps = query.takeCounters().vmSteps
    stepsLeft -= min(stepsLeft, steps)
    let amount =
      switch target {
      case .rows: rows
      case .result: result
      case .vmSteps: Double(steps)
      }
    return Trial(values: values, amount: amount, steps: Double(steps))
  }

  private func isClose(_ trial: Trial) -> Bool {
    abs(trial.amount - target.amount) <= target.tolerance
  }

  private var isVMSteps: Bool { if case .vmSteps = target { true } else { false } }

  // MARK: - The mean

  /// Runs with the counted mean: the nearest ones around it, or few and many rows in proportion.
  ///
  /// - Returns: each run with its weight; nil if no mixture comes close.
  private func mixed(_ trials: [Trial]) -> [(Trial, Double)]? {
    let trials = trials.filter { $0.amount.isFinite }
    let close = trials.filter(isClose)
    if trials.count <= Self.rowCount, !trials.isEmpty, error(trials) <= target.tolerance,
      !isVMSteps || close.isEmpty
    {
      return trials.map { ($0, 1 / Double(trials.count)) }
    }
    if !close.isEmpty {
      let ranked = close.enumerated().sorted {
        (abs($0.1.amount - target.amount), $0.0) < (abs($1.1.amount - target.amount), $1.0)
      }
      var nearest = ranked
      if isVMSteps {
        // A scan takes the same steps for rare and for frequent values; with an index they differ.
        var seen: Set<[BindValue]> = []
        nearest = ranked.filter { seen.insert(comparedValues($0.1)).inserted }
      }
      nearest = Array(nearest.prefix(Self.rowCount))
      return nearest.map { ($0.1, 1 / Double(nearest.count)) }
    }
    guard
      let low = trials.filter({ $0.amount < target.amount }).max(by: { $0.amount < $1.amount }),
      let high = trials.filter({ $0.amount > target.amount }).min(by: { $0.amount < $1.amount })
    else { return nil }
    let part = (target.amount - low.amount) / (high.amount - low.amount)
    return [(low, 1 - part), (high, part)]
  }

  /// The values that columns are equal to.
  private func comparedValues(_ trial: Trial) -> [BindValue] {
    zip(slots, trial.values).filter { !$0.0.hasWidth && $0.0.operand != nil }.map(\.1)
  }

  // MARK: - Rows

  private typealias Row = [String: [ParameterSampler.Operand: BindValue]]

  /// By alias, the operands that get their values from one row of a table.
  private var operands: [String: [ParameterSampler.Operand]] {
    Dictionary(grouping: Set(slots.compactMap(\.operand)), by: \.alias)
      .mapValues { $0.sorted { $0.sql < $1.sql } }
  }

  /// Rows spread evenly over each table.
  private func evenRows(_ count: Int) throws -> [Row] {
    var rows = [Row](repeating: [:], count: count)
    for (alias, operands) in operands {
      for index in 0..<count {
        let part = (Double(index) + 0.5) / Double(count)
        if let values = row(operands, Self.evenly(operands, part)) { rows[index][alias] = values }
      }
    }
    return rows.filter { !$0.isEmpty || operands.isEmpty }
  }

  private static func evenly(_ operands: [ParameterSampler.Operand], _ part: Double) -> String {
    let source = operands[0].source
    let rowid = "\(PlanExplainer.quoted(operands[0].alias)).rowid"
    return """
      \(condition(operands)) AND \(rowid) >= (SELECT min(rowid) + \
      CAST((max(rowid) - min(rowid)) * \(part) AS INTEGER) FROM \(source)) ORDER BY \(rowid) LIMIT 1
      """
  }

  private static func condition(_ operands: [ParameterSampler.Operand]) -> String {
    operands.map { "\($0.sql) IS NOT NULL" }.joined(separator: " AND ")
  }

  /// A row with a value; nil where the value belongs to no whole row.
  private func row(having operand: ParameterSampler.Operand, _ value: BindValue) throws -> Row? {
    guard let operands = operands[operand.alias] else { return nil }
    let condition = "\(Self.condition(operands)) AND \(operand.sql) IS ?1 LIMIT 1"
    return row(operands, condition, value).map { [operand.alias: $0] }
  }

  private func row(
    _ operands: [ParameterSampler.Operand], _ condition: String, _ value: BindValue? = nil
  ) -> [ParameterSampler.Operand: BindValue]? {
    let columns = operands.map(\.sql).joined(separator: ", ")
    guard
      let query = try? connection.prepare(
        "SELECT \(columns) FROM \(operands[0].source) WHERE \(condition)")
    else { return nil }
    value?.bind(to: query, at: 1)
    guard (try? query.step()) == true else { return nil }
    var values: [ParameterSampler.Operand: BindValue] = [:]
    for (index, operand) in operands.enumerated() {
      values[operand] = BindValue(query, column: Int32(index))
    }
    return values
  }
}
