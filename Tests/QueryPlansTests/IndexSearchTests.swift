// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// The advisor's result, compared with every set of few candidates.
struct IndexSearchTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, d TEXT, e REAL);
      CREATE TABLE part(id INTEGER PRIMARY KEY, item INTEGER, size INTEGER, isbn TEXT UNIQUE);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO item SELECT i, i * 31 % 60, i * 17 % 200, i % 3, 'd' || (i * 13 % 500), i / 7.0 FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)
        INSERT INTO part SELECT i, i % 3000 + 1, i * 7 % 900, 'isbn ' || i FROM n;
      """)
  }

  static let workloads: [[(String, UInt64)]] = [
    [("SELECT * FROM item WHERE a = ?", 10), ("SELECT * FROM item WHERE a = ? AND b = ?", 10)],
    [
      ("SELECT id FROM item WHERE b = ? ORDER BY e", 5), ("SELECT id FROM item WHERE d = ?", 50),
      ("SELECT id FROM item WHERE a = 5 OR b = 7", 20),
    ],
    [
      ("SELECT i.id FROM item i JOIN part p ON p.item = i.id WHERE i.a = ?", 8),
      ("SELECT id FROM part WHERE size BETWEEN ? AND ?", 8),
      ("SELECT id FROM item WHERE e BETWEEN ? AND ? AND c = ?", 3),
    ],
  ]

  private func workload(_ number: Int) -> [WorkloadStatement] {
    Self.workloads[number].enumerated().map {
      WorkloadStatement(id: "\($0)", sql: $1.0, runs: $1.1)
    }
  }

  /// Every subset of up to six candidates, each counted on a fresh copy.
  private func bruteForce(
    _ workload: [WorkloadStatement], _ candidates: [IndexCandidate]
  ) throws -> [(set: Set<IndexCandidate>, cost: Double)] {
    let few = Array(candidates.prefix(6))
    return try (0..<(1 << few.count)).map { bits in
      let set = Set(few.indices.filter { bits >> $0 & 1 == 1 }.map { few[$0] })
      return (set, try cost(workload, set))
    }
  }

  private func cost(_ workload: [WorkloadStatement], _ set: Set<IndexCandidate>) throws -> Double {
    let bench = try AdviceBench(
      workload, on: try DatabaseCopy(of: connection) { _, _ in }.connection)
    return try bench.trial(set).cost
  }

  @Test(arguments: [0, 1, 2])
  func theAdviceIsTheSmallestSetWithinFivePercentOfTheBest(number: Int) throws {
    let workload = workload(number)
    let advice = try IndexAdvisor(workload, on: connection).advice()
    let bench = try AdviceBench(
      workload, on: try DatabaseCopy(of: connection) { _, _ in }.connection)
    let alone = try bench.candidates().map { ($0, try bench.trial([$0]).cost) }
    let candidates = alone.sorted { ($0.1, $0.0.name) < ($1.1, $1.0.name) }.map(\.0)
    let sets = try bruteForce(workload, candidates)
    let best = try #require(sets.map(\.cost).min())
    let advised = try cost(workload, Set(advice.creations.map(\.candidate)))
    // An index that saves less than 0.5% of the whole is left out.
    let slack = max(0.05 * best, 0.005 * (try cost(workload, [])))
    #expect(advised <= best + slack, "\(advised) and \(best)")
    let smallest = sets.filter { $0.cost <= best + slack }.map(\.set.count).min()
    #expect(advice.creations.count <= smallest ?? 0)
    #expect(!advice.creations.isEmpty)
  }

  /// Each round tries the indexes again that may have become better, not all of them.
  @Test func aStatementMoreAddsAFewSetsOfIndexes() throws {
    for table in 0..<16 {
      try connection.execute(
        """
        CREATE TABLE t\(table) (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
        INSERT INTO t\(table) SELECT id, a, b FROM item;
        """)
    }
    func tried(_ tables: Int) throws -> Int {
      let workload = (0..<tables).map {
        WorkloadStatement(
          id: "\($0)", sql: "SELECT id FROM t\($0) WHERE a = ? AND b > ?", runs: UInt64($0) + 5)
      }
      let advice = try IndexAdvisor(workload, on: connection).advice()
      #expect(advice.creations.count == tables)
      return advice.tried
    }
    let (few, many) = (try tried(4), try tried(16))
    #expect(many <= 5 * few, "\(few) and \(many)")
  }

  @Test func noIndexIsTriedOnTablesThatCoreDataKeepsForItself() throws {
    try connection.execute(
      """
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZENTITY INTEGER);
      INSERT INTO ACHANGE SELECT id, a FROM item;
      """)
    let advice = try IndexAdvisor(
      [WorkloadStatement(id: "0", sql: "SELECT Z_PK FROM ACHANGE WHERE ZENTITY = ?", runs: 9)],
      on: connection
    ).advice()
    #expect(advice.creations.isEmpty && advice.rejections.isEmpty)
  }

  @Test func tenRunsUnderLoadReturnTheSameAdvice() async throws {
    let load = Task.detached {
      var sum: UInt64 = 0
      while !Task.isCancelled { sum = sum &* 31 &+ 7 }
      return sum
    }
    defer { load.cancel() }
    var answers: Set<[String]> = []
    for _ in 1...10 {
      let advice = try IndexAdvisor(workload(2), on: connection).advice()
      answers.insert(
        advice.creations.map(\.candidate.sql) + advice.rejections.map(\.candidate.sql)
          + ["\(advice.before) \(advice.after)"] + advice.statistics.map { "\($0)" })
    }
    #expect(answers.count == 1)
  }

  @Test func oneReadAgainstManyInsertsAdvisesNothing() throws {
    var options = IndexAdvisor.Options()
    options.writes = [WorkloadWrite(kind: .insert, rows: 2_000_000, table: "item")]
    let read = [WorkloadStatement(id: "0", sql: "SELECT * FROM item WHERE d = ?", runs: 1)]
    let advice = try IndexAdvisor(read, on: connection, options: options).advice()
    #expect(advice.creations.isEmpty)
    let rejection = try #require(advice.rejections.first { $0.candidate.columns == ["d"] })
    guard case .writes(2_000_000, _, isCertain: true) = rejection.reason else {
      Issue.record("\(rejection)")
      return
    }
    options.writes = [WorkloadWrite(kind: .insert, rows: 2_000_000, table: "part")]
    let other = try IndexAdvisor(read, on: connection, options: options).advice()
    #expect(other.creations.map(\.candidate.columns) == [["d"]])
    options.writes = [WorkloadWrite(kind: .update, rows: 2_000_000, table: "item", columns: ["a"])]
    let update = try IndexAdvisor(read, on: connection, options: options).advice()
    #expect(update.creations.map(\.candidate.columns) == [["d"]])
  }

  @Test func writesOfATableWithUniqueValuesAreMeasured() throws {
    let advice = try IndexAdvisor(
      [WorkloadStatement(id: "0", sql: "SELECT id FROM part WHERE size = ?", runs: 9)],
      on: connection
    ).advice()
    let writes = try #require(advice.creations.first?.writes)
    #expect(writes.failure == nil)
    #expect(writes.insert != nil && writes.update != nil)
  }

  @Test func reasonForUnmeasuredWritesIsReported() throws {
    try connection.execute(
      "CREATE TRIGGER keep BEFORE INSERT ON part BEGIN SELECT raise(ABORT, 'closed'); END")
    let advice = try IndexAdvisor(
      [WorkloadStatement(id: "0", sql: "SELECT id FROM part WHERE size = ?", runs: 9)],
      on: connection
    ).advice()
    #expect(advice.creations.first?.writes?.failure == "writing test rows failed (closed)")
  }

  /// A program that makes its schema on the first start.
  @Test func statementsThatMakeTheSchemaAreNeitherMeasuredNorMissing() throws {
    try connection.execute("CREATE INDEX unneeded ON part(isbn, size)")
    let sql = [
      "SELECT id FROM part WHERE id = ?", "CREATE INDEX unneeded ON part(isbn, size)",
      "CREATE TABLE part(id INTEGER PRIMARY KEY)", "DROP TABLE old", "ALTER TABLE a RENAME TO b",
    ]
    let workload = sql.map { WorkloadStatement(id: $0, sql: $0, runs: 9) }
    let advice = try IndexAdvisor(workload, on: connection).advice()
    #expect(advice.unmeasured.isEmpty)
    #expect(advice.removals.map(\.index.name) == ["unneeded"])
  }

  @Test func anIncompleteWorkloadDropsNothing() throws {
    try connection.execute("CREATE INDEX unneeded ON part(isbn, size)")
    let read = [WorkloadStatement(id: "0", sql: "SELECT id FROM part WHERE id = ?", runs: 9)]
    var options = IndexAdvisor.Options()
    #expect(
      try IndexAdvisor(read, on: connection, options: options).advice().removals.map(\.index.name)
        == ["unneeded"])
    options.incompleteness = "half of it"
    let advice = try IndexAdvisor(read, on: connection, options: options).advice()
    #expect(advice.removals.isEmpty)
    #expect(advice.removalsSkipped == "half of it")
  }

  /// Two indexes, of which SQLite takes the wrong one without statistics of the values.
  @Test func usefulStatisticsAreAdvisedAndOthersAreNamed() throws {
    let read = [
      WorkloadStatement(
        id: "0", sql: "SELECT count(e) FROM item WHERE c = 1 AND d = 'd7'", runs: 10)
    ]
    let same = try IndexAdvisor(read, on: connection).advice()
    #expect(same.statistics.map(\.state) == [.none, .today, .optimize, .analyze])
    #expect(same.statistics.allSatisfy { $0.changed.isEmpty })
    try connection.execute("CREATE INDEX i1 ON item(d); CREATE INDEX i2 ON item(c)")
    let better = try IndexAdvisor(read, on: connection).advice()
    let steps = Dictionary(
      uniqueKeysWithValues: better.statistics.map { ($0.state, $0.steps) })
    #expect(steps[.none] == steps[.today])
    #expect((steps[.analyze] ?? 0) < (steps[.today] ?? 0) / 2, "\(steps)")
    #expect(steps[.optimize] == steps[.analyze])
    #expect(better.effects.first?.before == (steps[.today] ?? 0) / 10)
  }
}
