// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Indexes are advised only if SQLite uses them.
@Suite struct IndexTrialTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, email TEXT COLLATE NOCASE, city TEXT,
        age INT, code TEXT, deleted TEXT);
      CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INT, status TEXT, created INT,
        total REAL, note TEXT);
      CREATE TABLE audit(id INTEGER PRIMARY KEY, what TEXT);
      CREATE INDEX customer_city ON customer(city);
      CREATE VIRTUAL TABLE doc USING fts5(title);
      CREATE VIEW sale AS SELECT o.id AS number, o.total, c.name AS buyer, c.city
        FROM orders o JOIN customer c ON c.id = o.customer_id;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)
        INSERT INTO orders SELECT i, i % 3000, 's' || i % 5, i * 7919 % 10007, i % 997, 'n' || i FROM n;
      INSERT INTO customer SELECT id, 'Name ' || id, 'e' || id, 'c' || id % 300, id % 80, '' || id,
        iif(id % 50, NULL, 'x') FROM orders WHERE id < 3000;
      INSERT INTO audit SELECT id, note FROM orders;
      INSERT INTO doc SELECT note FROM orders;
      """)
  }

  @Test(arguments: [
    ("status <> 's1'", "", "(status) WHERE status <> 's1'"),
    ("o.status NOT IN ('s1', 's2')", "", "(status) WHERE status NOT IN ('s1', 's2')"),
    ("'s1' != o.status", "ORDER BY created LIMIT 9", "(created) WHERE 's1' != status"),
    ("status IS NOT 's1'", "ORDER BY total DESC LIMIT 9", "(total) WHERE status IS NOT 's1'"),
    ("status <> 's1' AND note = 'n7'", "", "(note)"),
  ])
  func aPartialIndexHasTheRowsOfALiteral(term: String, order: String, index: String) throws {
    try connection.execute("UPDATE orders SET status = iif(id % 100, 's1', 's3')")
    let sql = "SELECT id, total, created FROM orders o WHERE \(term) \(order)"
    #expect(indexes(sql).first?.hasSuffix("ON orders \(index)") == true, "\(indexes(sql))")
  }

  @Test func aPartialIndexHasNoBoundValue() {
    let values: [[BindValue]] = [[.text("s1")]]
    let judgement = PlanExplainer(connection, values: { _ in values })
      .explain("SELECT id FROM orders WHERE status <> ? ORDER BY created LIMIT 9").judgement
    let found = judgement?.suspects.compactMap(\.indexes) ?? []
    let all = found.flatMap { $0 } + (judgement?.sortIndexes ?? [])
    #expect(all.allSatisfy { $0.condition == nil })
  }

  /// None of them halves the steps of the statement alone.
  @Test func eachSubqueryHasItsIndex() throws {
    let judgement = PlanExplainer(connection).explain(
      """
      SELECT id, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id),
        (SELECT count(*) FROM audit a WHERE a.what = c.name) FROM customer c WHERE id <= 100
      """
    ).judgement
    #expect(
      judgement?.suspects.compactMap { $0.indexes?.map(\.terms) } == [["customer_id"], ["what"]])
    let both = try #require(judgement?.gains.last)
    #expect(both.indexes.count == 2 && both.after * 10 < both.before)
  }

  /// The indexes for all scans that matter.
  private func indexes(_ sql: String) -> [String] {
    let judgement = PlanExplainer(connection).explain(sql).judgement
    return (judgement?.suspects ?? []).flatMap { $0.indexes ?? [] }.map(\.sql)
  }

  @Test(arguments: [
    ("name = 'x'", "(name)"),
    // SQLite reads a quoted name that is not a column as a text.
    (#"name = "Name 7""#, "(name)"),
    ("name GLOB 'Name 77*'", "(name)"),
    ("name LIKE 'name 7%'", "(name COLLATE NOCASE)"),
    ("deleted IS NOT NULL", "(deleted)"),
    ("lower(name) = 'x'", "(lower(name))"),
    ("name = 'x' COLLATE NOCASE", "(name COLLATE NOCASE)"),
    ("age BETWEEN 3 AND 4 AND name = 'x'", "(name)"),
  ])
  func anIndexThatIsUsedIsAdvised(condition: String, terms: String) {
    let found = indexes("SELECT * FROM customer WHERE \(condition)")
    #expect(found.count == 1)
    #expect(found.first?.contains("ON customer \(terms)") == true, "\(found)")
  }

  @Test func anIndexHasAFreeName() throws {
    try connection.execute(
      "CREATE INDEX customer_name ON customer(code); CREATE TABLE Customer_Name_2(a)")
    let sql = "SELECT * FROM customer WHERE name = 'x'"
    let free = ["CREATE INDEX customer_name_3 ON customer (name)"]
    #expect(indexes(sql) == free)
    let statement = WorkloadStatement(id: "a", sql: sql, runs: 10)
    let advice = try IndexAdvisor([statement], on: connection).advice()
    #expect(advice.creations.map(\.candidate.sql) == free)
  }

  @Test(arguments: [
    ("email GLOB 'e77*'", "(email COLLATE BINARY)"),
    ("email LIKE 'E77%'", "(email)"),
    ("email = 'E77' COLLATE NOCASE", "(email)"),
    ("email = 'e77' COLLATE BINARY", "(email COLLATE BINARY)"),
    ("(name, age) = ('x', 7)", "(name, age)"),
    ("(age, id) > (7, 7) ORDER BY age, id LIMIT 3", "(age)"),
  ])
  func anIndexHasTheCollationThatIsNeededAndNoRowid(condition: String, terms: String) {
    let found = indexes("SELECT * FROM customer WHERE \(condition)")
    #expect(found.map { $0.suffix(terms.count) } == [terms[...]], "\(found)")
  }

  @Test(arguments: [
    "SELECT x.n FROM (SELECT name AS n, age AS years FROM customer) x WHERE x.years = 7",
    "SELECT * FROM (SELECT * FROM customer) WHERE age = 7",
    "WITH x AS (SELECT name, age FROM customer) SELECT name FROM x WHERE age = 7",
    "WITH x AS (SELECT name, age AS y FROM customer), z AS (SELECT y AS q FROM x) SELECT q FROM z WHERE q = 7",
    "SELECT * FROM (SELECT * FROM (SELECT id, age AS a FROM customer) p) q WHERE a = 7",
  ])
  func aColumnThatIsComparedOutsideOfItsSubqueryIsIndexed(sql: String) {
    #expect(indexes(sql) == ["CREATE INDEX customer_age ON customer (age)"])
  }

  @Test func anIndexIsInItsShortestForm() {
    var known = TableColumns(names: ["id", "a", "b"], rowid: "id", collations: ["a": "NOCASE"])
    known.collations["b"] = "BINARY"
    func terms(_ columns: [String], _ modifiers: [String: String] = [:]) -> String? {
      IndexCandidate(table: "t", columns: columns, modifiers: modifiers).simplified(for: known)?
        .terms
    }
    #expect(terms(["b", "ID"]) == "b")
    #expect(terms(["b", "rowid", "a"]) == "b")
    #expect(terms(["id"]) == nil)
    #expect(terms(["b", "id"], ["id": "DESC"]) == "b, id DESC")
    #expect(terms(["a", "b"], ["a": "COLLATE nocase DESC"]) == "a DESC, b")
    #expect(terms(["a", "b"], ["b": "COLLATE NOCASE"]) == "a, b COLLATE NOCASE")
  }

  @Test(arguments: [
    "SELECT * FROM doc WHERE title = 'n7'",
    "SELECT * FROM customer WHERE +id = 7",
    "SELECT * FROM customer NOT INDEXED WHERE city = 'c7'",
    "SELECT * FROM customer WHERE (? IS NULL OR city = ?)",
    "SELECT * FROM customer WHERE city = coalesce(?, city)",
    "SELECT * FROM customer WHERE city LIKE '%7'",
    "SELECT count(*) FROM customer WHERE name NOT IN (?, ?)",
    "SELECT * FROM customer WHERE +city = 'c7'",
  ])
  func anIndexThatCannotBeUsedIsNotAdvised(sql: String) throws {
    let judgement = try #require(PlanExplainer(connection).explain(sql).judgement)
    #expect(judgement.verdict == .fullScan)
    #expect(judgement.suspects.map { $0.indexes?.map(\.sql) } == [[]])
  }

  /// A column of text that is compared as a number.
  @Test func anIndexOfAnotherAffinityIsNotAdvised() {
    let sql = "SELECT * FROM orders o JOIN customer c ON c.code = o.created WHERE o.id < 9"
    #expect(indexes(sql) == [])
  }

  @Test func eachBranchOfACompoundHasItsOwnColumns() {
    let sql =
      "SELECT id FROM customer WHERE city = 'c7' UNION SELECT id FROM customer WHERE code = '7'"
    #expect(indexes(sql) == ["CREATE INDEX customer_code ON customer (code)"])
  }

  @Test func anORHasIndexesForTheTermsThatLackOne() {
    #expect(
      indexes("SELECT * FROM customer WHERE city = 'c7' OR code = '7'")
        == ["CREATE INDEX customer_code ON customer (code)"])
    #expect(
      indexes("SELECT * FROM customer WHERE name = 'c7' OR code = '7'") == [
        "CREATE INDEX customer_code ON customer (code)",
        "CREATE INDEX customer_name ON customer (name)",
      ])
    #expect(indexes("SELECT * FROM customer WHERE name = 'c7' OR code || ? = '7'") == [])
  }

  @Test(arguments: [
    ("status, total DESC LIMIT 10", ["(status, total DESC)"]),
    ("status DESC, total DESC LIMIT 10", ["(status, total)"]),
    ("note COLLATE NOCASE LIMIT 10", ["(note COLLATE NOCASE)"]),
    ("created, id LIMIT 10", ["(created)"]),
    ("random() LIMIT 10", []),
    ("total * 2 LIMIT 10", ["(total * 2)"]),
  ])
  func theIndexOfASortHasItsDirections(order: String, terms: [String]) throws {
    let judgement = PlanExplainer(connection).explain("SELECT * FROM orders ORDER BY \(order)")
      .judgement
    let indexes = try #require(judgement?.sortIndexes)
    #expect(indexes.map { "(\($0.terms))" } == terms)
    // `advise` counts the steps of the same index.
    let candidates = try advised("SELECT * FROM orders ORDER BY \(order)")
    for index in indexes { #expect(candidates.contains { $0.sql == index.sql }) }
    if terms.isEmpty { #expect(candidates.isEmpty) }
  }

  private func advised(_ sql: String) throws -> [IndexCandidate] {
    let copy = try DatabaseCopy(of: connection) { _, _ in }
    return try AdviceBench([WorkloadStatement(id: "s", sql: sql, runs: 1)], on: copy.connection)
      .candidates()
  }

  @Test func aMaximumIsTheEndOfAnIndex() {
    #expect(
      indexes("SELECT max(total) FROM orders") == ["CREATE INDEX orders_total ON orders (total)"])
  }

  /// The column of the view, and the one that joins its tables.
  @Test func aViewHasTheIndexesOfItsTables() throws {
    #expect(
      indexes("SELECT total FROM sale WHERE city = 'c7'")
        == ["CREATE INDEX orders_customer_id ON orders (customer_id)"])
    #expect(
      indexes("SELECT buyer FROM sale WHERE total = 7")
        == ["CREATE INDEX orders_total ON orders (total)"])
    let candidates = try advised("SELECT total FROM sale WHERE city = 'c7'")
    #expect(candidates.map(\.columns).contains(["customer_id"]))
  }

  /// Most rows have a status: an index of them is as long as the table.
  @Test func aPartialIndexOfMostRowsIsNotAdvised() {
    #expect(
      indexes("SELECT count(*) FROM orders WHERE status IS NOT NULL AND note || ? = 'x'") == [])
  }

  @Test func statisticsEqualTheDatabases() throws {
    let sql = "SELECT * FROM customer WHERE age = 7 AND code = '7'"
    #expect(indexes(sql) == ["CREATE INDEX customer_code ON customer (code)"])
    try connection.execute("ANALYZE")
    #expect(indexes(sql) == ["CREATE INDEX customer_code ON customer (code)"])
  }
}
