// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

@Suite struct OrderedStatementTests {
  @Test func parametersMoveWithTheirTerms() throws {
    let statement = try OrderedStatement(
      "SELECT a FROM t WHERE ( a > ? AND  b BETWEEN ? AND :x) AND c = :x  LIMIT ?")
    #expect(statement.terms == ["a > ?1", "b BETWEEN ?2 AND ?3", "c = ?3"])
    let moved = try #require(statement.variants.first { $0.order == [2, 0, 1] })
    #expect(
      statement.sql(moved)
        == "SELECT a FROM t WHERE (c = ?3 AND a > ?1 AND b BETWEEN ?2 AND ?3)  LIMIT ?4")
    #expect(
      statement.sql(statement.variants[0], withLimit: false)
        == "SELECT a FROM t WHERE (a > ?1 AND b BETWEEN ?2 AND ?3 AND c = ?3)  ")
    #expect(statement.parameterCount == 4)
  }

  @Test func allOrdersUpToFourTermsEachFirstBeyond() throws {
    func orders(_ terms: Int) throws -> [[Int]] {
      let filter = (0..<terms).map { "c\($0) = 1" }.joined(separator: " AND ")
      return try OrderedStatement("SELECT 1 FROM t WHERE " + filter).variants
        .map(\.order)
    }
    #expect(try orders(2) == [[0, 1], [1, 0]])
    #expect(try Set(orders(4)).count == 24)
    #expect(try orders(4).first == [0, 1, 2, 3])
    #expect(try orders(5).count == 5)
    #expect(try orders(5)[3] == [3, 0, 1, 2, 4])
  }

  @Test func ordersGroupsAndTheirPlaceAmongTheOthers() throws {
    let statement = try OrderedStatement("SELECT 1 FROM t WHERE (a OR b) AND c LIMIT 1")
    #expect(statement.terms == ["a", "b", "c"])
    #expect(statement.variants.map(\.order) == [[0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0]])
    #expect(
      statement.variants.map { statement.sql($0) } == [
        "SELECT 1 FROM t WHERE ((a OR b) AND c) LIMIT 1",
        "SELECT 1 FROM t WHERE ((b OR a) AND c) LIMIT 1",
        "SELECT 1 FROM t WHERE (c AND (a OR b)) LIMIT 1",
        "SELECT 1 FROM t WHERE (c AND (b OR a)) LIMIT 1",
      ])
  }

  @Test func ordersTheTermsOfASubquery() throws {
    let statement = try OrderedStatement(
      "SELECT 1 FROM t WHERE (SELECT COUNT(*) FROM u WHERE (u.t = t.a AND  u.b LIKE ?) ) <> ?")
    #expect(
      statement.terms == [
        "(SELECT COUNT(*) FROM u WHERE (u.t = t.a AND  u.b LIKE ?1) ) <> ?2", "u.t = t.a",
        "u.b LIKE ?1",
      ])
    #expect(statement.variants.map(\.order) == [[0, 1, 2], [0, 2, 1]])
    #expect(
      statement.sql(statement.variants[1])
        == "SELECT 1 FROM t WHERE (SELECT COUNT(*) FROM u WHERE (u.b LIKE ?1 AND u.t = t.a) ) <> ?2"
    )
  }

  @Test func manyGroupsAreOrderedOneAtATime() throws {
    let groups = (0..<4).map { "(a\($0) OR b\($0) OR c\($0))" }.joined(separator: " AND ")
    let statement = try OrderedStatement("SELECT 1 FROM t WHERE " + groups)
    #expect(statement.variants.count == 24)
    #expect(Set(statement.variants.map(\.order)).count == 24)
  }

  private func error(_ sql: String) -> OrderingError? {
    do {
      _ = try OrderedStatement(sql)
      return nil
    } catch {
      return error
    }
  }

  @Test func refusesStatementsWithoutOrders() {
    #expect(error("DELETE FROM t WHERE a AND b") == .notASelect)
    #expect(error("SELECT 1 FROM t") == .noWhere)
    #expect(error("SELECT 1 FROM t WHERE (a = 1)") == .oneTerm("(a = 1)"))
    #expect(error("SELECT 1 WHERE a AND b UNION SELECT 2 WHERE c AND d") == .compound)
  }

  @Test(arguments: [
    ("12", BindValue.integer(12)), ("-1.5", .real(-1.5)), ("null", .null),
    ("'it''s'", .text("it's")), ("''", .text("")),
    ("x'00fF'", .blob([0, 255])), ("X''", .blob([])),
  ])
  func readsTypedValues(text: String, value: BindValue) throws {
    #expect(try BindValue(text) == value)
  }

  @Test(arguments: ["abc", "'", "'a'b'", "inf", "", "x'", "x'0'", "x'0g'"])
  func refusesOtherValues(text: String) {
    #expect(throws: OrderingError.malformedValue(text)) { try BindValue(text) }
  }
}

@Suite struct OrderingComparisonTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE event(id INTEGER PRIMARY KEY, ts INTEGER, name TEXT);
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZLONGITUDE REAL);
      CREATE TABLE ZSTOPTIME(Z_PK INTEGER PRIMARY KEY, ZSTOP INTEGER, ZDEPARTURETIME INTEGER);
      CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME(ZSTOP);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO event SELECT i, i, 'name ' || (i * 31 % 997) FROM n;
      INSERT INTO ZSTOP SELECT id, id / 100.0 FROM event WHERE id <= 300;
      INSERT INTO ZSTOPTIME SELECT id, id % 300, id FROM event;
      """)
  }

  private func compare(
    _ sql: String, _ values: [BindValue]? = nil, recorded: [[BindValue]] = [],
    rows: Double? = nil
  ) throws -> OrderingComparison {
    var options = OrderingComparison.Options()
    options.values = values
    options.recorded = recorded
    options.counted.rows = rows
    options.budget = .seconds(1)
    return try OrderingComparison(sql, on: connection, options: options)
  }

  /// The longitude stands before or behind the values of the subquery.
  private static func subqueryValues(in sql: String) -> [BindValue] {
    let inner: [BindValue] = [.integer(1000), .integer(2000), .integer(0)]
    return sql.contains("WHERE ( t0.ZLONGITUDE") ? [.real(1.5)] + inner : inner + [.real(1.5)]
  }

  private static let subquery = """
    (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND \
    ((? <=  t1.ZDEPARTURETIME AND  t1.ZDEPARTURETIME <= ?))) ) <> ?
    """

  @Test func residualTermsAreProvenEqualAndMeasured() throws {
    let comparison = try compare(
      "SELECT id FROM event WHERE name LIKE ? AND ts > ?", [.text("%9%"), .integer(2900)])
    #expect(comparison.terms == ["name LIKE ?1", "ts > ?2"])
    #expect(comparison.roles == [.residual, .residual])
    #expect(comparison.explanation == .residual)
    #expect(comparison.variants.map(\.order) == [[0, 1], [1, 0]])
    #expect(comparison.rows == (try count("name LIKE '%9%' AND ts > 2900")))
    #expect(comparison.source == .given)
    if let ratio = comparison.variants[1].ratio {
      #expect(0 < ratio.low && ratio.low <= ratio.median && ratio.median <= ratio.high)
    } else {
      #expect(comparison.verdict == .inconclusive)
    }
  }

  private func count(_ filter: String) throws -> UInt64 {
    let statement = try connection.prepare("SELECT count(*) FROM event WHERE \(filter)")
    #expect(try statement.step())
    return UInt64(statement.int64(0))
  }

  @Test func correlatedSubqueryIsDeferredWhereverItStands() throws {
    for sql in [
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ( t0.ZLONGITUDE > ? AND  \(Self.subquery))",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ( \(Self.subquery) AND  t0.ZLONGITUDE > ?)",
    ] {
      let comparison = try compare(sql, Self.subqueryValues(in: sql))
      #expect(Set(comparison.roles) == [.residual, .deferred, .indexServed])
      let deferred = try #require(comparison.roles.firstIndex(of: .deferred))
      // The same bytecode, whichever is written first, as the term is deferred. The terms within
      // the subquery have an order of their own.
      let byInnerOrder = Dictionary(grouping: comparison.variants) { variant in
        variant.order.filter { (deferred + 1...deferred + 3).contains($0) }
      }
      #expect(byInnerOrder.count == 6)
      #expect(byInnerOrder.values.allSatisfy { Set($0.map(\.vmSteps)).count == 1 })
    }
  }

  @Test func aDeferredSubqueryWithOneTermOfItsOwnHasNoOrder() throws {
    let comparison = try compare(
      """
      SELECT 0 FROM ZSTOP t0 WHERE ( t0.ZLONGITUDE > ? AND (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 \
      WHERE (t0.Z_PK = t1.ZSTOP AND ? <=  t1.ZDEPARTURETIME) ) <> ?)
      """, [.real(1.5), .integer(1500), .integer(0)])
    #expect(comparison.roles == [.residual, .deferred, .indexServed, .residual])
    #expect(comparison.explanation == .deferred)
    #expect(comparison.variants.count == 4)
  }

  @Test func indexServedTermsAreReported() throws {
    try connection.execute("CREATE INDEX i ON event(ts)")
    let comparison = try compare(
      "SELECT id FROM event WHERE name LIKE 'name 1%' AND ts > ?", [.integer(2900)])
    #expect(comparison.roles == [.residual, .indexServed])
    #expect(comparison.explanation == .indexServed)
    #expect(comparison.runs == [[.integer(2900)]])
  }

  @Test func rangesAreAsWideAsTheRowsThatWereCounted() throws {
    let sql = "SELECT id FROM event WHERE ( ? <= ts AND  ts <= ? AND id <> 7)"
    for rows in [20.0, 600] {
      let comparison = try compare(sql, rows: rows)
      let widths = comparison.runs.map { values -> Double in
        guard case .integer(let low) = values[0], case .integer(let high) = values[1] else {
          return .nan
        }
        return Double(high - low)
      }
      #expect(widths.allSatisfy { abs($0 - rows) <= 0.25 * rows + 1 }, "\(widths)")
      guard case .fitted(let fitted, counted: rows) = comparison.source else {
        Issue.record("\(comparison.source)")
        continue
      }
      #expect(abs(fitted - rows) <= 0.2 * rows)
    }
  }

  @Test func recordedValuesAreUsed() throws {
    let comparison = try compare(
      "SELECT id FROM event WHERE ts > ? AND id < ?",
      recorded: [[.integer(2990), .integer(5000)], [.integer(4)], [.integer(10), .integer(20)]],
      rows: 10)
    #expect(comparison.source == .recorded)
    #expect(
      comparison.runs == [[.integer(2990), .integer(5000)], [.integer(10), .integer(20)]])
  }

  @Test func valuesOfUnknownFormAreRefused() {
    #expect(throws: OrderingError.noValues) {
      try compare("SELECT id FROM event WHERE ts > ? AND id < ?")
    }
  }

  @Test func anOrderThatFailsIsListedWithItsError() throws {
    // abs() of the smallest integer overflows: the term before it keeps that row away.
    try connection.execute("INSERT INTO event VALUES (4000, -9223372036854775808, 'least')")
    let comparison = try compare("SELECT id FROM event WHERE name <> 'least' AND abs(ts) > 2000")
    #expect(comparison.variants.map(\.order) == [[0, 1], [1, 0]])
    #expect(comparison.variants[0].failure == nil)
    #expect(comparison.variants[1].failure == "integer overflow")
    #expect(comparison.variants[1].medianTime == nil)
    #expect(comparison.rows == 1000)
    #expect(comparison.verdict == .writtenIsFastest)
  }

  @Test func fiveTermsEndWithinABudgetOfASecondAndTheBestIsTimed() throws {
    let comparison = try compare(
      """
      SELECT id FROM event WHERE name LIKE '%9%' AND name LIKE '%a%' AND length(name) > 3 \
      AND ts % 2 = 0 AND ts > 2990
      """)
    #expect(comparison.rows > 0)
    let timed = comparison.variants.filter { $0.medianTime != nil }
    #expect((2...6).contains(timed.count))
    #expect(comparison.variants.allSatisfy { $0.failure == nil })
    let fewest = comparison.variants.compactMap(\.vmSteps).min()
    #expect(timed.contains { $0.vmSteps == fewest })
    #expect(timed.contains { $0.order.first == 4 }, "the selective comparison first")
  }

  @Test func limitIsLeftOutOfTheProof() throws {
    let comparison = try compare(
      "SELECT id FROM event WHERE ts > ? AND name LIKE '%1%' LIMIT ?", [.integer(5), .integer(3)])
    #expect(comparison.comparedWithoutLimit)
    #expect(comparison.rows == (try count("ts > 5 AND name LIKE '%1%'")))
  }

  @Test func refusesWhatItCannotValue() {
    #expect(throws: OrderingError.wrongValueCount(given: 1, wanted: 2)) {
      try compare("SELECT id FROM event WHERE ts > ? AND id < ?", [.integer(1)])
    }
    #expect(throws: OrderingError.noSample(parameter: 1, term: "abs(ts) + ?1 > 3")) {
      try compare("SELECT id FROM event WHERE abs(ts) + ? > 3 AND id < 5", rows: 3)
    }
    #expect(throws: OrderingError.notASelect) {
      try compare("DELETE FROM event WHERE id < 5 AND ts < 5")
    }
    #expect(throws: SQLiteError.self) { try compare("SELECT id FROM nosuch WHERE a AND b") }
  }

  @Test func duplicatesCountAndOrderDoesNot() throws {
    func rows(_ sql: String) throws -> RowSet {
      try RowSet(readingAll: try connection.prepare(sql))
    }
    #expect(try rows("SELECT 1 UNION ALL SELECT 'a'") == rows("SELECT 'a' UNION ALL SELECT 1"))
    #expect(try rows("SELECT 1") != rows("SELECT 1 UNION ALL SELECT 1"))
    #expect(try rows("SELECT 1, 2") != rows("SELECT 2, 1"))
    #expect(try rows("SELECT 1") != rows("SELECT '1'"))
    #expect(try rows("SELECT NULL") != rows("SELECT ''"))
  }
}
