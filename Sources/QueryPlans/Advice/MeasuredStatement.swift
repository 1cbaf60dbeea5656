// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A statement of a workload: what it is, and how often it ran.
public struct WorkloadStatement: Hashable, Sendable {
  public var id: String
  public var sql: String
  public var runs: UInt64

  public init(id: String, sql: String, runs: UInt64) {
    self.id = id
    self.sql = sql
    self.runs = runs
  }
}

/// A statement with values for its parameters, ready to be measured on the copy.
struct MeasuredStatement {
  let statement: WorkloadStatement
  /// In lower case.
  let tables: Set<String>
  private let sql: String
  /// The functions and collations of a store that it uses.
  let storeNames: [String]
  private let values: [BindValue]
  private let arrays: IntegerArrays
  private let connection: Connection

  /// - Throws: ``SQLiteError`` if it does not compile, ``OrderingError`` if it cannot be run here.
  init(_ statement: WorkloadStatement, on connection: Connection) throws {
    var arrays = try IntegerArrays(of: StatementOutline(statement.sql), on: connection)
    let original = try OrderingBench.compile(statement.sql, connection)
    guard original.isReadOnly, original.columnCount > 0 else { throw OrderingError.notASelect }
    let numbered = ParameterNumbering(statement.sql)
    let outline = StatementOutline(numbered.sql)
    self.statement = statement
    self.connection = connection
    sql = numbered.sql
    tables = Set(outline.tableNames.map { $0.lowercased() })
    storeNames = StoreNames.used(by: outline.tokens)
    let sampler = ParameterSampler(
      outline: outline, parameterCount: numbered.count, connection: connection)
    values = try sampler.values()
    try arrays.sample(by: sampler)
    self.arrays = arrays
  }

  /// SQLite's words for the plan as it is now.
  func plan() throws(SQLiteError) -> [String] { try connection.plan(sql).map(\.detail) }

  /// The names of the indexes that its plan uses now.
  func usedIndexes() throws(SQLiteError) -> Set<String> {
    Set(
      QueryPlan(steps: try connection.plan(sql)).nodes.compactMap { node in
        guard case .named(let name, _) = node.fact.access?.index else { return nil }
        return name
      })
  }

  // Three rounds tell an improvement of the size that an index makes; more are for fast statements.
  private static let leastRounds = 3
  private static let mostRounds = 15
  private static let enough = Duration.milliseconds(60)

  /// The shortest time of a run in nanoseconds: what else the machine does only adds to it.
  func time() throws(SQLiteError) -> Double {
    try arrays.fill(on: connection)
    let query = try connection.prepare(sql)
    for (index, value) in values.enumerated() { value.bind(to: query, at: Int32(index) + 1) }
    let clock = ContinuousClock()
    // The first run reads the pages.
    try query.run()
    let begin = clock.now
    var times: [Double] = []
    while times.count < Self.leastRounds
      || (times.count < Self.mostRounds && clock.now - begin < Self.enough)
    {
      let start = clock.now
      try query.run()
      times.append((clock.now - start).nanoseconds)
    }
    return times.min() ?? 0
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
