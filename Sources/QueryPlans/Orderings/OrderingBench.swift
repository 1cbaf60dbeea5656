// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The compiled orders of one statement, with their values bound.
struct OrderingBench {
  let statement: OrderedStatement
  let orders: [OrderedStatement.Variant]
  let plans: [QueryPlan]
  let values: [BindValue]
  let arrays: IntegerArrays
  private let compiled: [Statement]
  private let connection: Connection

  init(_ sql: String, on connection: Connection, values: [BindValue]?) throws {
    try StoreNames.define(on: connection)
    var arrays = try IntegerArrays(of: StatementOutline(sql), on: connection)
    // SQLite's words on SQL that does not compile are better than ours.
    let original = try Self.compile(sql, connection)
    guard original.isReadOnly, original.columnCount > 0 else { throw OrderingError.notASelect }
    let statement = try OrderedStatement(sql)
    let orders = statement.variants
    let texts = orders.map { statement.sql($0) }
    self.statement = statement
    self.orders = orders
    self.connection = connection
    plans = try texts.map { QueryPlan(steps: try connection.plan($0), sql: $0) }
    if let values, values.count != statement.parameterCount {
      throw OrderingError.wrongValueCount(given: values.count, wanted: statement.parameterCount)
    }
    let sampler = ParameterSampler(
      outline: statement.outline, parameterCount: statement.parameterCount, connection: connection)
    self.values = try values ?? sampler.values()
    try arrays.sample(by: sampler)
    try arrays.fill(on: connection)
    self.arrays = arrays
    compiled = try texts.map { try Self.compile($0, connection) }
    for statement in compiled { bind(statement) }
  }

  /// Compiles SQL, and says so where only its own program has what it needs.
  static func compile(_ sql: String, _ connection: Connection) throws -> Statement {
    do {
      return try connection.prepare(sql)
    } catch {
      if let known = OrderingError(compiling: error) { throw known }
      throw error
    }
  }

  private func bind(_ statement: Statement) {
    for (index, value) in values.enumerated() where index < statement.parameterCount {
      value.bind(to: statement, at: Int32(index) + 1)
    }
  }

  /// Runs every order once, without its LIMIT, and compares the rows.
  ///
  /// - Throws: ``OrderingError/rowsDiffer(order:)``, ``OrderingError/failsHere(reason:)`` where a
  ///   function does, or ``SQLiteError``.
  func provenRows() throws -> UInt64 {
    var written: RowSet?
    for order in orders {
      let query = try Self.compile(statement.sql(order, withLimit: false), connection)
      bind(query)
      let rows = try OrderingError.telling { () throws(SQLiteError) in
        try RowSet(readingAll: query)
      }
      guard written == nil || written == rows else {
        throw OrderingError.rowsDiffer(order: order.order)
      }
      written = rows
    }
    return written?.count ?? 0
  }

  /// Runs in a row that take two milliseconds or more: below, the clock and the caches tell more
  /// than the statement.
  func repetitions(_ clock: ContinuousClock) throws -> Int {
    _ = try time(0, repetitions: 1, clock)
    let once = max(try time(0, repetitions: 1, clock), 100)
    return max(1, Int(2_000_000 / once))
  }

  /// The time of one run, in nanoseconds.
  func time(_ variant: Int, repetitions: Int, _ clock: ContinuousClock) throws -> Double {
    let statement = compiled[variant]
    let start = clock.now
    for _ in 0..<repetitions { try statement.run() }
    return (clock.now - start).nanoseconds / Double(repetitions)
  }

  /// The instructions of one run of each variant; afterwards their pages are read.
  func vmSteps() throws -> [UInt64] {
    try compiled.map { statement in
      _ = statement.takeCounters()
      try statement.run()
      return statement.takeCounters().vmSteps
    }
  }

  func variants(
    _ outcome: OrderingTrial.Outcome, vmSteps: [UInt64]
  ) -> [OrderingComparison.Variant] {
    orders.indices.map { index in
      OrderingComparison.Variant(
        order: orders[index].order, sql: compiled[index].sql, medianTime: outcome.medians[index],
        ratio: outcome.ratios[index], vmSteps: vmSteps[index],
        hasWrittenPlan: plans[index].nodes.map(\.detail) == plans[0].nodes.map(\.detail))
    }
  }
}

extension OrderingError {
  /// SQL that only its own program can compile; nil for what is wrong in itself.
  init?(compiling error: SQLiteError) {
    func name(after prefix: String) -> String? {
      guard error.message.hasPrefix(prefix) else { return nil }
      let name = error.message.dropFirst(prefix.count).prefix { $0 != "(" }
      return StoreNames.isStoreName(String(name)) ? String(name) : nil
    }
    if let name = name(after: "no such function: ") ?? name(after: "no such collation sequence: ") {
      self = .needsProgram(name)
    } else if let name = name(after: "wrong number of arguments to function ") {
      self = .otherArguments(name)
    } else {
      return nil
    }
  }

  /// Runs a statement for the first time: though it compiled, a function may not take its arguments.
  ///
  /// - Throws: ``failsHere(reason:)``, or ``SQLiteError``.
  static func telling<R>(_ run: () throws(SQLiteError) -> R) throws -> R {
    do throws(SQLiteError) {
      return try run()
    } catch {
      guard error.isMistake else { throw error }
      throw OrderingError.failsHere(reason: error.message)
    }
  }
}
