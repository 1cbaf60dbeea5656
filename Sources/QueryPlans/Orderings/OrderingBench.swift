// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents

/// The compiled orders of one statement, with the values of some of its runs.
///
///     orders ── steps counted ── the few that matter ── rows proven equal ── timed
final class OrderingBench {
  /// One order, and its measurements.
  struct Order {
    let variant: OrderedStatement.Variant
    let sql: String
    var hasWrittenPlan = false
    /// VM steps of all runs; nil where it failed, or takes far more than another one.
    var vmSteps: UInt64?
    var failure: String?
    /// Whether its steps were counted, or it was stopped since they are too many.
    var isCounted = false
  }

  let statement: OrderedStatement
  let plan: QueryPlan
  let values: StatementValues
  let arrays: IntegerArrays
  private(set) var orders: [Order]
  private var compiled: [Int: Statement] = [:]
  private let connection: Connection

  // 200 million VM steps take about 6 s of the 20 s of a comparison.
  private static let maxCountedSteps: UInt64 = 200_000_000
  // An order that takes four times the steps of another one is not the faster one.
  private static let maxStepsFactor: UInt64 = 4
  // 4 is arbitrary: enough to see that values differ, few enough to be run in each round.
  private static let maxRuns = 4

  init(
    _ sql: String, on connection: Connection, options: OrderingComparison.Options
  ) throws {
    try StoreNames.define(on: connection)
    var arrays = try IntegerArrays(of: StatementOutline(sql), on: connection)
    // SQLite's words on SQL that does not compile are better than ours.
    let original = try Self.compile(sql, connection)
    guard original.isReadOnly, original.columnCount > 0 else { throw OrderingError.notASelect }
    let statement = try OrderedStatement(sql)
    guard !statement.isRandom else { throw OrderingError.otherRows }
    let sampler = ParameterSampler(
      outline: StatementOutline(ColumnQualifier(connection).qualified(statement.sql)),
      parameterCount: statement.parameterCount, connection: connection)
    try arrays.sample(by: sampler)
    try arrays.fill(on: connection)
    values = try Self.values(statement, sampler, options).first(Self.maxRuns)
    self.statement = statement
    self.arrays = arrays
    self.connection = connection
    let variants = statement.variants
    orders = variants.map { Order(variant: $0, sql: statement.sql($0)) }
    plan = QueryPlan(steps: try connection.plan(orders[0].sql), sql: orders[0].sql)
    compiled[0] = try Self.compile(orders[0].sql, connection)
  }

  private static func values(
    _ statement: OrderedStatement, _ sampler: ParameterSampler,
    _ options: OrderingComparison.Options
  ) throws -> StatementValues {
    let count = statement.parameterCount
    if let values = options.values {
      guard values.count == count else {
        throw OrderingError.wrongValueCount(given: values.count, wanted: count)
      }
      return StatementValues(runs: [.init(values: values, weight: 1)], source: .given)
    }
    guard count > 0 else { return .none }
    if let recorded = StatementValues.recorded(options.recorded.filter { $0.count == count }) {
      return recorded
    }
    let written = try sampler.connection.prepare(statement.sql(statement.written))
    let values = try ValueFitter(written, sampler: sampler, counted: options.counted).values()
    guard values.source != .sampled else { throw OrderingError.noValues }
    return values
  }

  /// Compiles SQL; the error names functions and collations that only the original program has.
  static func compile(_ sql: String, _ connection: Connection) throws -> Statement {
    do {
      return try connection.prepare(sql)
    } catch {
      if let known = OrderingError(compiling: error) { throw known }
      throw error
    }
  }

  private func bind(_ run: StatementValues.Run, to statement: Statement) {
    for (index, value) in run.values.enumerated() where index < statement.parameterCount {
      value.bind(to: statement, at: Int32(index) + 1)
    }
  }

  // MARK: - Counting

  /// Counts the VM steps of each order, starting with the order as written, until the limit for all
  /// orders is reached.
  ///
  /// An order that fails although the order as written runs is excluded, with SQLite's message.
  ///
  /// - Parameters:
  ///   - isLate: called often; once it returns true, the remaining orders are not counted.
  ///   - isOver: called often; once it returns true, the comparison ends.
  func count(isLate: @escaping () -> Bool, isOver: @escaping () -> Bool) throws {
    let written: UInt64
    do {
      written = try steps(0, limit: .max, isOver) ?? 0
    } catch let error as SQLiteError where error.isMistake {
      throw OrderingError.failsHere(reason: error.message)
    }
    orders[0].vmSteps = written
    orders[0].isCounted = true
    orders[0].hasWrittenPlan = true
    var (best, all) = (written, written)
    // One other order is counted however late it is: without it there is nothing to compare.
    for index in orders.indices.dropFirst()
    where index == 1 || (all < Self.maxCountedSteps && !isLate()) {
      let limit = max(best, 1000) * Self.maxStepsFactor
      do {
        let steps = try counted(index, limit: limit, index == 1 ? isOver : isLate)
        all += steps ?? limit
        best = min(best, steps ?? best)
      } catch {
        guard let error = error as? SQLiteError, error.isInterruption else {
          orders[index].failure = (error as? SQLiteError)?.message ?? "\(error)"
          continue
        }
        if isOver() { throw error }
      }
    }
    guard orders.dropFirst().contains(where: { $0.isCounted || $0.failure != nil }) else {
      throw OrderingError.outOfTime
    }
  }

  private func counted(
    _ index: Int, limit: UInt64, _ isLate: @escaping () -> Bool
  ) throws -> UInt64? {
    let query = try Self.compile(orders[index].sql, connection)
    compiled[index] = query
    let plan = QueryPlan(steps: try connection.plan(query.sql), sql: query.sql)
    orders[index].hasWrittenPlan = plan.nodes.map(\.detail) == self.plan.nodes.map(\.detail)
    let steps = try steps(index, limit: limit, isLate)
    orders[index].vmSteps = steps
    orders[index].isCounted = true
    return steps
  }

  /// The steps of all runs; nil once they exceed a limit.
  private func steps(
    _ order: Int, limit: UInt64, _ isOver: @escaping () -> Bool
  ) throws -> UInt64? {
    guard let query = compiled[order] else { return nil }
    var sum: UInt64 = 0
    for run in values.runs {
      bind(run, to: query)
      _ = query.takeCounters()
      let watch = StepWatch(limit: limit > sum ? limit - sum : 0)
      do {
        try connection.interrupting(when: { watch.isOver() || isOver() }) { try query.run() }
      } catch {
        query.reset()
        if watch.wasExceeded { return nil }
        throw error
      }
      sum += query.takeCounters().vmSteps
    }
    return sum
  }

  // MARK: - The orders that matter

  /// The order as written, the orders with the fewest steps, and the orders with the costly terms
  /// last: a step that calls LIKE takes longer than one that compares numbers.
  func worthTiming(_ count: Int) -> [Int] {
    let others = orders.indices.dropFirst().filter { orders[$0].vmSteps != nil }
    func steps(_ index: Int) -> UInt64 { orders[index].vmSteps ?? .max }
    let byCount = others.sorted { (steps($0), $0) < (steps($1), $1) }
    let byCost = others.sorted {
      (costlyBeforeCheap($0), steps($0), $0) < (costlyBeforeCheap($1), steps($1), $1)
    }
    var chosen: [Int] = []
    for (a, b) in zip(byCount, byCost) {
      for index in [a, b] where chosen.count < count - 1 && !chosen.contains(index) {
        chosen.append(index)
      }
    }
    return [0] + chosen
  }

  private func costlyBeforeCheap(_ order: Int) -> Int {
    let isCostly = orders[order].variant.order.map { statement.isCostly(term: $0) }
    return isCostly.indices.reduce(0) { sum, position in
      sum + (isCostly[position] ? isCostly[position...].count { !$0 } : 0)
    }
  }

  // MARK: - Rows

  /// Runs some orders without their LIMIT and compares the rows with the rows of the order as
  /// written.
  ///
  /// - Returns: the rows of a run as written, and the orders that are left.
  func provenRows(_ chosen: [Int]) throws -> (rows: UInt64, orders: [Int]) {
    let written = try OrderingError.explaining { () throws(SQLiteError) in try rows(0) }
    var proven = [0]
    for index in chosen.dropFirst() {
      do throws(SQLiteError) {
        if try rows(index) == written {
          proven.append(index)
        } else {
          orders[index].failure = "returns other rows than the order as written"
        }
      } catch {
        if error.isInterruption { throw error }
        orders[index].failure = error.message
      }
    }
    if proven.count < chosen.count, try rows(0) != written { throw OrderingError.otherRows }
    return (written.first?.count ?? 0, proven)
  }

  private func rows(_ order: Int) throws(SQLiteError) -> [RowSet] {
    let query = try connection.prepare(statement.sql(orders[order].variant, withLimit: false))
    var sets: [RowSet] = []
    for run in values.runs {
      bind(run, to: query)
      sets.append(try RowSet(readingAll: query))
    }
    return sets
  }

  // MARK: - Timing

  /// Runs in a row that take two milliseconds or more: below, the clock and the caches show more
  /// than the statement.
  func repetitions(_ clock: ContinuousClock) throws -> Int {
    _ = try time(0, repetitions: 1, clock)
    let once = max(try time(0, repetitions: 1, clock), 100)
    return max(1, Int(2_000_000 / once))
  }

  /// The time of one run, in nanoseconds: the mean over the values.
  func time(_ order: Int, repetitions: Int, _ clock: ContinuousClock) throws -> Double {
    guard let statement = compiled[order] else { return 0 }
    var time = 0.0
    for run in values.runs {
      bind(run, to: statement)
      let start = clock.now
      for _ in 0..<repetitions { try statement.run() }
      time += run.weight * (clock.now - start).nanoseconds
    }
    return time / Double(repetitions)
  }
}

/// Ends a run after a number of VM steps.
private final class StepWatch {
  private var left: UInt64
  private(set) var wasExceeded = false

  init(limit: UInt64) { left = limit }

  /// Called every 1000 VM steps.
  func isOver() -> Bool {
    wasExceeded = left < 1000
    left -= min(left, 1000)
    return wasExceeded
  }
}
