// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Scans that a plan shows in other words, or that the rows of a test database hide.
@Suite struct HiddenScanTests {
  let connection: Connection
  let explainer: PlanExplainer

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE big(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL);
      CREATE INDEX big_a_c ON big(a, c);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)
        INSERT INTO big SELECT i, i % 1000, 'b' || i, i / 3.0 FROM n;
      """)
    explainer = PlanExplainer(connection)
  }

  @Test func anEmptyTableHidesNoScan() throws {
    let sql = "SELECT id FROM book WHERE title = 'x'"
    let work = StatementWork(executions: 10, rows: 10, fullScanSteps: 29_990, vmSteps: 150_000)
    let empty = explainer.explain(sql, work: work)
    #expect(empty.verdict == .fullScan)
    #expect(empty.judgement?.change == nil)
    #expect(empty.judgement?.suspects.map(\.table) == ["book"])
    #expect(empty.judgement?.suspects.first?.indexes?.map(\.columns) == [["title"]])
    try connection.execute("CREATE INDEX book_title ON book(title)")
    let indexed = explainer.explain(sql, work: work)
    #expect(indexed.verdict == .search)
    #expect(indexed.judgement?.change == .noLongerScans)
  }

  @Test func aRecursionThatDoesNotEndIsInconclusive() throws {
    try connection.execute(
      """
      CREATE VIEW endless AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
      CREATE VIEW short AS
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n;
      """)
    for sql in ["SELECT count(*) FROM endless", "SELECT i FROM endless"] {
      let explanation = explainer.explain(sql)
      #expect(explanation.verdict == .mayScan)
      #expect(explanation.judgement?.isRecursive == true)
      #expect((explanation.judgement?.unendedSteps ?? 0) > 1_000_000)
    }
    #expect(explainer.explain("SELECT count(*) FROM short").verdict == .harmlessScan)
  }

  @Test func theSecondColumnOfAnIndexHasNoExtreme() {
    let work = StatementWork(executions: 1, rows: 1, fullScanSteps: 5999, vmSteps: 30_000)
    let judgement = explainer.explain("SELECT max(c) FROM big", work: work).judgement
    #expect(judgement?.verdict == .fullScan)
    #expect(judgement?.suspects.map(\.index) == ["big_a_c"])
    #expect(judgement?.unexplainedFullScanSteps == nil)
    #expect(judgement?.suspects.first?.indexes?.map(\.columns) == [["c"]])
    #expect(explainer.explain("SELECT max(a) FROM big").verdict == .search)
  }

  @Test(arguments: [
    ("SELECT replace(b, 'x', 'y') FROM big", false), ("DELETE FROM big", true),
    ("WITH n AS (SELECT 1 AS i) SELECT i FROM n", false),
    ("WITH n AS (SELECT 1 AS i) DELETE FROM big WHERE id IN (SELECT i FROM n)", true),
  ])
  func onlyAWriteHasTriggersAndForeignKeys(sql: String, isOfWrite: Bool) {
    #expect(PlanJudge(sql: sql).judge(nil).isOfWrite == isOfWrite)
  }

  @Test(arguments: [
    ("SELECT id, row_number() OVER (ORDER BY c DESC) FROM big LIMIT 5", ["c"]),
    (
      """
      SELECT sum(c) OVER (PARTITION BY t.a ORDER BY t.c ROWS 3 PRECEDING) FROM big t WHERE t.b = ?
      """, ["b", "a", "c"]
    ),
    (
      """
      SELECT rank() OVER w FROM big t WHERE t.b = ?
      WINDOW v AS (ORDER BY c), w AS (PARTITION BY t.a ORDER BY t.c) LIMIT 3
      """, ["b", "a", "c"]
    ),
  ])
  func theColumnsOfAWindowAreACandidate(sql: String, columns: [String]) {
    #expect(IndexCandidate.all(for: sql).map(\.columns).contains(columns))
  }

  @Test func aNamedWindowIsNoGroup() {
    let sql = "SELECT rank() OVER w FROM big WINDOW w AS (ORDER BY c)"
    #expect(!StatementClauses(sql: sql).isGrouped)
    #expect(StatementClauses(sql: sql.replacing("WINDOW", with: "GROUP BY a WINDOW")).isGrouped)
  }

  @Test(arguments: [
    "SELECT id FROM big WHERE random() % 2 = 0 AND a > 5",
    "SELECT random() FROM big WHERE b LIKE '%9%' AND a > 5",
  ])
  func otherRowsAtEachRunHaveNoBestOrder(sql: String) {
    #expect(throws: OrderingError.otherRows) {
      _ = try OrderingComparison(sql, on: connection)
    }
  }
}
