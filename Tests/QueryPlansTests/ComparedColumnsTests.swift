// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct ComparedColumnsTests {
  private func columns(_ sql: String) -> [ComparedColumns] { ComparedColumns.all(in: sql) }

  @Test func readsBothSidesOfAComparison() {
    let sql = """
      SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND \
      ? <=  t0.ZLATITUDE AND  t0.ZKIND = ?)  ORDER BY t0.ZNAME, t0.Z_PK LIMIT 100
      """
    #expect(columns(sql).map(\.table) == ["ZSTOP"])
    #expect(columns(sql)[0].filtered == ["ZKIND", "ZLONGITUDE", "ZLATITUDE"])
    #expect(columns(sql)[0].sorted == ["ZNAME", "Z_PK"])
  }

  /// As Django and Peewee write it.
  @Test(arguments: [
    "b ON (a.b_id = b.id)", "b ON a.b_id = b.id",
    "b ON (a.b_id = b.id) INNER JOIN c ON (c.id = b.c_id)",
    "b ON ((a.b_id = b.id) AND (b.d > (SELECT 1)))",
  ])
  func readsAnONClauseInParentheses(join: String) {
    let found = columns("SELECT a.id FROM a INNER JOIN \(join) WHERE (a.x = ?)")
    #expect(found[0].filtered == ["x"])
    #expect(found[0].joined == ["b_id"])
    #expect(found[1].joined.first == "id")
  }

  @Test func leavesOutTermsThatNoIndexServes() {
    let sql = """
      SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (NSCoreDataStringSearch(t0.ZNAME, ?, 8, 0) AND \
      t0.ZKIND <> ? AND t0.Z_PK = ? AND t0.ZA = t0.ZB AND t0.ZC IS NOT NULL)
      """
    #expect(columns(sql)[0].filtered == [])
  }

  @Test func readsTheCorrelatedColumnOfASubquery() {
    let sql = """
      SELECT 0 FROM ZSTOP t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE \
      (t0.Z_PK = t1.ZSTOP AND ((? <=  t1.ZDEPARTURETIME AND  t1.ZDEPARTURETIME <= ?))) ) <> ?
      """
    #expect(columns(sql).map(\.table) == ["ZSTOP", "ZSTOPTIME"])
    #expect(columns(sql)[0].filtered == [])
    #expect(columns(sql)[1].filtered == ["ZSTOP", "ZDEPARTURETIME"])
  }

  @Test(arguments: [
    "WITH RECURSIVE d(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM d WHERE x < 20) ",
    "WITH d(x) AS MATERIALIZED (SELECT y FROM e) ",
  ])
  func aCommonTableHasNoIndex(with: String) {
    let sql = with + "SELECT x, (SELECT count(*) FROM a WHERE a.p = d.x) FROM d WHERE d.x = ?"
    #expect(columns(sql).filter { !$0.filtered.isEmpty }.map(\.table) == ["a"])
    #expect(ComparedColumns.ofCommonTables(in: sql).map(\.table).allSatisfy { $0 == "d" })
  }

  @Test func theRowidNeedsNoIndex() {
    let sql = "DELETE FROM log WHERE rowid IN (SELECT _rowid_ FROM log WHERE at < ? LIMIT 100)"
    #expect(columns(sql).map(\.filtered) == [[], ["at"]])
  }

  @Test func theTableOfAnAttachedDatabaseIsItsOwn() {
    let sql = "SELECT a FROM main.t WHERE a = ? UNION ALL SELECT a FROM \"old\".t WHERE a = ?"
    #expect(columns(sql).map(\.schema) == [nil, "old"])
  }

  @Test func aPageIsNoValueOfARow() {
    func bindsOnlyLimit(_ sql: String) -> Bool { StatementClauses(sql: sql).bindsOnlyLimit }
    #expect(bindsOnlyLimit("SELECT a FROM t WHERE b = 'x' ORDER BY a LIMIT 20 OFFSET ?"))
    #expect(bindsOnlyLimit("SELECT a FROM t LIMIT ?, ?"))
    #expect(!bindsOnlyLimit("SELECT a FROM t WHERE b = ? LIMIT 20 OFFSET ?"))
    #expect(!bindsOnlyLimit("SELECT a FROM t LIMIT 20 OFFSET 40"))
    #expect(!bindsOnlyLimit("SELECT (SELECT c FROM u LIMIT ?) FROM t"))
  }

  @Test func seesAlternatives() {
    #expect(columns("SELECT 0 FROM a t0 WHERE t0.x = ? OR t0.y = ?")[0].hasAlternatives)
  }

  /// A log that lost a line feed, or was cut, holds such text.
  @Test(arguments: [
    "SELECT 0 FROM a t0 WHERE t0.x IN (", "SELECT 0 FROM a t0 WHERE (t0.x = ? AND t0.y = (SELECT",
    "UPDATE OR", "SELECT 0 FROM a t0 WHERE", "SELECT", "WITH a(", "SELECT 0 FROM (",
    "SELECT 0 FROM a JOIN b ON (",
  ])
  func readsThePartsOfCutText(sql: String) {
    #expect(columns(sql).allSatisfy { $0.table == "a" || $0.table == "b" || $0.table == "OR" })
  }

  /// Deeper than SQLite compiles: each level would be a call within a call.
  @Test func leavesOutTextThatNestsTooDeep() {
    let sql = "SELECT 0 FROM a t0 WHERE " + String(repeating: "(", count: 1_000_000) + "t0.x = ?"
    #expect(columns(sql) == [])
  }

  @Test(arguments: [
    ("SELECT * FROM t ORDER BY a, b DESC LIMIT 5", ["a", "b"]),
    ("SELECT * FROM t WHERE c = 1 ORDER BY \"my a\" ASC", ["my a"]),
    ("SELECT x AS a FROM t ORDER BY a", []), ("SELECT * FROM t ORDER BY lower(a)", []),
    ("SELECT * FROM t ORDER BY 1", []), ("SELECT * FROM t ORDER BY a COLLATE NOCASE", []),
    ("SELECT * FROM t, u ORDER BY a", []), ("SELECT * FROM t ORDER BY a, max(b)", []),
  ])
  func columnsOfASortWithoutAnAlias(sql: String, sorted: [String]) {
    #expect(ComparedColumns.all(in: sql).first?.sorted == sorted)
  }
}
