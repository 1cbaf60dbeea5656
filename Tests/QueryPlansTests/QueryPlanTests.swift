// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

@Suite struct QueryPlanTests {
  private static let geo = """
    SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ?)  LIMIT 100
    """

  private func access(_ detail: String) -> TableAccess? {
    switch PlanFact(detail: detail) {
    case .scan(let access), .search(let access), .bloomFilter(let access): access
    default: nil
    }
  }

  @Test(arguments: [
    "SCAN TABLE ZSTOP AS t0 (~12800 rows)", "SCAN TABLE ZSTOP AS t0", "SCAN t0",
    "0|0|0|SCAN TABLE ZSTOP AS t0 (~12800 rows)", "QUERY PLAN\n`--SCAN TABLE ZSTOP AS t0",
    "QUERY PLAN\n`--SCAN t0\n", "3|0|0|SCAN t0",
  ])
  func scanReadsTheSameInEveryAge(text: String) throws {
    let plan = QueryPlan(text: text, sql: Self.geo)
    #expect(plan.roots.count == 1)
    guard case .scan(let access) = try #require(plan.roots.first).fact else {
      Issue.record("no scan: \(plan)")
      return
    }
    #expect(access.name == "t0")
    #expect(access.table == "ZSTOP")
    #expect(access.index == nil)
  }

  @Test(arguments: [
    "SEARCH TABLE ZSTOP AS t0 USING INDEX ZSTOP_ZLONGITUDE_INDEX (ZLONGITUDE>? AND ZLONGITUDE<?) (~6944 rows)",
    "SEARCH t0 USING INDEX ZSTOP_ZLONGITUDE_INDEX (ZLONGITUDE>? AND ZLONGITUDE<?)",
  ])
  func searchReportsIndexAndConstraint(text: String) throws {
    guard case .search(let access) = QueryPlan(text: text, sql: Self.geo).roots.first?.fact else {
      Issue.record("no search")
      return
    }
    #expect(access.table == "ZSTOP")
    #expect(access.index == .named("ZSTOP_ZLONGITUDE_INDEX", isCovering: false))
    #expect(access.constraint == "ZLONGITUDE>? AND ZLONGITUDE<?")
  }

  @Test(arguments: [
    ("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", TableAccess.Index.rowid),
    ("SEARCH t USING PRIMARY KEY (a=?)", .primaryKey),
    ("SEARCH t USING AUTOMATIC COVERING INDEX (a=?)", .automatic(isCovering: true)),
    ("SEARCH t USING AUTOMATIC PARTIAL COVERING INDEX (a=?)", .automatic(isCovering: true)),
    ("SCAN t USING COVERING INDEX i", .named("i", isCovering: true)),
    ("SCAN t VIRTUAL TABLE INDEX 2:D0", .virtualTable("2:D0")),
    ("SCAN TABLE t VIRTUAL TABLE INDEX 0:", .virtualTable("0:")),
  ])
  func recognizesEveryKindOfIndex(text: String, index: TableAccess.Index) {
    #expect(access(text)?.index == index)
    #expect(access(text)?.name == "t")
  }

  @Test func skipScanAndLeftJoinAreKept() {
    let access = access("SEARCH t USING INDEX i (ANY(a) AND b=?) LEFT-JOIN")
    #expect(access?.constraint == "ANY(a) AND b=?")
    #expect(access?.isLeftJoin == true)
    #expect(access?.index == .named("i", isCovering: false))
  }

  @Test func bloomFilterHasItsConstraint() {
    #expect(access("BLOOM FILTER ON t (b=?)")?.constraint == "b=?")
    #expect(access("BLOOM FILTER ON t (b=?)")?.name == "t")
  }

  @Test(arguments: [
    ("SCAN CONSTANT ROW", PlanFact.constantRows), ("SCAN 3 CONSTANT ROWS", .constantRows),
    ("USE TEMP B-TREE FOR ORDER BY", .temporaryBTree(purpose: "ORDER BY")),
    (
      "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",
      .temporaryBTree(purpose: "RIGHT PART OF ORDER BY")
    ),
    ("USE TEMP B-TREE FOR DISTINCT", .temporaryBTree(purpose: "DISTINCT")),
    ("CORRELATED SCALAR SUBQUERY 1", .subquery(isList: false, isCorrelated: true)),
    ("EXECUTE CORRELATED SCALAR SUBQUERY 1", .subquery(isList: false, isCorrelated: true)),
    ("EXECUTE LIST SUBQUERY 1", .subquery(isList: true, isCorrelated: false)),
    ("REUSE LIST SUBQUERY 1", .subquery(isList: true, isCorrelated: false)),
    ("SCALAR SUBQUERY 2", .subquery(isList: false, isCorrelated: false)),
    ("MATERIALIZE c", .materialize("c")), ("CO-ROUTINE (subquery-1)", .coroutine("(subquery-1)")),
    ("MULTI-INDEX OR", .multiIndexOr), ("INDEX 2", .indexTerm),
    ("COMPOUND QUERY", .compound("COMPOUND QUERY")), ("UNION ALL", .compound("UNION ALL")),
    ("SETUP", .recursiveSetup), ("RECURSIVE STEP", .recursiveStep),
    ("RIGHT-JOIN t", .rightJoin("t")), ("SOME NEW WORDS", .other), ("", .other),
  ])
  func readsTheOtherWords(text: String, fact: PlanFact) {
    #expect(PlanFact(detail: text) == fact)
  }

  @Test func numberedSelectsBecomeATree() {
    let plan = QueryPlan(
      text: """
        0|0|0|SEARCH TABLE ZSTOP AS t0 USING INDEX i (ZLONGITUDE>? AND ZLONGITUDE<?)
        0|0|0|EXECUTE CORRELATED SCALAR SUBQUERY 1
        1|0|0|SEARCH TABLE ZSTOPTIME AS t1 USING INDEX j (ZSTOP=?)
        """)
    #expect(plan.roots.count == 2)
    #expect(plan.roots.last?.children.map(\.detail).first?.contains("ZSTOPTIME") == true)
  }

  @Test func oldCompoundHoldsBothItsSelects() {
    let plan = QueryPlan(
      text: "1|0|0|SCAN TABLE a\n2|0|0|SCAN TABLE b\n0|0|0|COMPOUND SUBQUERIES 1 AND 2 (UNION)")
    #expect(plan.roots.map(\.children.count) == [2])
  }

  @Test func drawingKeepsItsDepths() {
    let plan = QueryPlan(
      text: """
        QUERY PLAN
        |--SCAN t0
        |--CORRELATED SCALAR SUBQUERY 1
        |  `--SCAN t1
        `--USE TEMP B-TREE FOR ORDER BY
        """)
    #expect(plan.roots.map(\.detail.count) == [7, 28, 28])
    #expect(plan.roots[1].children.map(\.detail) == ["SCAN t1"])
  }

  @Test func circlesAndOrphansDoNotHang() {
    let plan = QueryPlan(steps: [
      PlanStep(id: 5, parent: 9, detail: "SCAN a"), PlanStep(id: 9, parent: 5, detail: "SCAN b"),
      PlanStep(id: 7, parent: 7, detail: "SCAN c"),
    ])
    #expect(plan.nodes.count == 3)
  }

  private func table(_ name: String, _ sql: String, depth: Int = 0) -> String? {
    let access = AliasResolver(sql: sql).resolved(TableAccess(name: name), depth: depth)
    return access.isSubquery ? "(subquery)" : access.table
  }

  @Test func resolvesAliases() {
    #expect(table("t0", "SELECT 1 FROM ZSTOP AS t0") == "ZSTOP")
    #expect(table("T0", "SELECT 1 FROM main.ZSTOP t0 WHERE 1") == "ZSTOP")
    #expect(table("b", "SELECT 1 FROM x a, y b") == "y")
    #expect(table("b", "SELECT 1 FROM x a LEFT OUTER JOIN y b ON a.i = b.i") == "y")
    #expect(table("b", "SELECT 1 FROM (x a JOIN \"the y\" AS \"b\" USING (i))") == "the y")
    #expect(table("t", "UPDATE OR FAIL t SET a = 1 WHERE b = 2") == "t")
    #expect(table("z", "DELETE FROM zoo AS z WHERE 1") == "zoo")
    #expect(table("q", "SELECT 1 FROM (SELECT 2 FROM z) AS q") == "(subquery)")
    #expect(table("c", "WITH c(x) AS (SELECT 1 FROM z) SELECT x FROM c") == "(subquery)")
    #expect(table("d", "WITH c AS (SELECT 1 FROM z) SELECT x FROM c AS d") == "(subquery)")
    #expect(table("t", "SELECT extract(1) FROM t -- FROM u t") == "t")
    #expect(table("t", "SELECT a IS NOT DISTINCT FROM b FROM u t") == "u")
    #expect(table("t", "INSERT INTO z SELECT 1 FROM u t") == "u")
  }

  @Test func sameAliasMeansTheTableOfItsOwnSelect() {
    let sql = "SELECT 1 FROM outerTable t WHERE a IN (SELECT b FROM innerTable t)"
    #expect(table("t", sql, depth: 0) == "outerTable")
    #expect(table("t", sql, depth: 1) == "innerTable")
  }
}

@Suite struct TermTreeTests {
  private func terms(_ sql: String) -> [String] {
    let outline = StatementOutline(sql)
    guard let filter = outline.scopes.first?.filter else { return [] }
    return TermTree(filter, of: outline.tokens).conjuncts.map {
      String(
        sql[
          outline.tokens[$0.lowerBound].range
            .lowerBound..<outline.tokens[$0.upperBound - 1]
            .range.upperBound])
    }
  }

  @Test func looksThroughParentheses() {
    #expect(terms("SELECT 1 FROM t WHERE ( a = 1 AND  b = 2 AND  c)") == ["a = 1", "b = 2", "c"])
    #expect(terms("SELECT 1 FROM t WHERE (( a AND  b) AND  c) LIMIT 1") == ["a", "b", "c"])
    #expect(terms("SELECT 1 FROM t WHERE (a) AND (b OR c)") == ["(a)", "(b OR c)"])
  }

  @Test func betweenCaseStringsAndCommentsHoldNoTerm() {
    #expect(terms("SELECT 1 FROM t WHERE a BETWEEN 1 AND 2 AND b") == ["a BETWEEN 1 AND 2", "b"])
    #expect(
      terms("SELECT 1 FROM t WHERE CASE WHEN a AND b THEN c END AND d = ' AND '")
        == ["CASE WHEN a AND b THEN c END", "d = ' AND '"])
    #expect(
      terms("SELECT 1 FROM t WHERE a /* AND x */ AND \"b AND c\" -- AND d") == ["a", "\"b AND c\""])
  }

  @Test func orIsOneTerm() { #expect(terms("SELECT 1 FROM t WHERE a AND b OR c").count == 1) }

  @Test func readsGroupsWithinGroups() throws {
    let outline = StatementOutline("SELECT 1 FROM t WHERE (a AND b) OR ((c OR d) AND e) OR f")
    let tree = TermTree(try #require(outline.scopes.first?.filter), of: outline.tokens)
    #expect(tree.kind == .or)
    #expect(tree.parts.map(\.kind) == [.and, .and, .term])
    #expect(tree.parts[1].parts.map(\.kind) == [.or, .term])
    #expect(
      tree.terms.map { outline.tokens[$0.lowerBound].text } == ["a", "b", "c", "d", "e", "f"])
  }

  @Test func subqueryIsOneTerm() {
    #expect(
      terms("SELECT 1 FROM t WHERE (SELECT count(*) FROM u WHERE x AND y) <> ? AND b")
        == ["(SELECT count(*) FROM u WHERE x AND y) <> ?", "b"])
    #expect(terms("SELECT 1 FROM t WHERE (SELECT x FROM u WHERE x AND y)").count == 1)
  }

  @Test(arguments: [
    ("'it''s'", "it's"), ("\"a\"\"b\"", "a\"b"), ("[a]", "a"), ("`a`", "a"), ("''", ""),
    ("'\u{301}a'", "\u{301}a"), ("\"a\u{301}\"", "a\u{301}"),
  ])
  func aQuotedNameIsWithoutItsQuotes(sql: String, name: String) {
    #expect(SQLTokenizer.tokens(of: sql).map(\.name) == [name])
  }

  @Test(arguments: ["'", "\"a", "[a", "/*", "x'", "'a''", "1e+", "?", "(", ")", "((", "ä'", ""])
  func unfinishedTextEnds(sql: String) {
    #expect(SQLTokenizer.tokens(of: sql).map(\.text).joined().utf8.count <= sql.utf8.count)
    _ = StatementOutline("SELECT 1 FROM t WHERE " + sql)
    _ = StatementOutline("WITH " + sql)
  }
}
