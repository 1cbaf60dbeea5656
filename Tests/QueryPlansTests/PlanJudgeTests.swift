// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct PlanJudgeTests {
  private func judge(
    _ plan: String, _ sql: String, rows: Int? = 12_800, work: StatementWork = StatementWork(),
    measured: PlanJudge.Measurement? = nil
  ) -> PlanJudgement {
    let source = PlanJudge.Source(
      size: { _ in rows.map { TableSize(rows: $0) } }, module: { $0 == "f" ? "fts5" : nil },
      measure: { measured })
    return PlanJudge(sql: sql, work: work, source: source).judge(QueryPlan(text: plan, sql: sql))
  }

  @Test func limitDoesNotExcuseAFilter() {
    let judgement = judge("SCAN t0", "SELECT 0 FROM ZSTOP t0 WHERE t0.ZNAME = ? LIMIT 100")
    #expect(judgement.verdict == .mayScan)
    #expect(judgement.scans.first?.table == "ZSTOP")
    #expect(judgement.scans.first?.comparedColumns == ["ZNAME"])
  }

  @Test func limitWithoutFilterIsHarmless() {
    let judgement = judge("SCAN t0", "SELECT 0 FROM ZSTOP t0 LIMIT 100")
    #expect(judgement.scans.map(\.harmlessBecause) == [.limit])
    #expect(judgement.verdict == .harmlessScan)
  }

  @Test(arguments: [
    "SELECT 0 FROM ZSTOP t0 ORDER BY t0.ZNAME LIMIT 1",
    "SELECT count(*) FROM ZSTOP t0 WHERE a LIMIT 1",
    "SELECT 0 FROM ZSTOP t0 GROUP BY ZNAME LIMIT 1", "SELECT DISTINCT a FROM ZSTOP t0 LIMIT 1",
  ])
  func limitDoesNotSuppressAStatementThatReadsAllFirst(sql: String) {
    #expect(judge("|--SCAN t0\n`--USE TEMP B-TREE FOR ORDER BY", sql).verdict == .fullScan)
  }

  @Test func aLargeOffsetReadsTheSkippedRows() {
    let sql = "SELECT 0 FROM ZSTOP t0 LIMIT 5 OFFSET "
    #expect(judge("SCAN t0", sql + "10").verdict == .harmlessScan)
    #expect(judge("SCAN t0", sql + "9000").verdict == .fullScan)
    #expect(judge("SCAN t0", sql + "?").verdict == .mayScan)
    #expect(judge("SCAN t0", "SELECT 0 FROM ZSTOP t0 LIMIT 9000, 5").verdict == .fullScan)
  }

  /// The fifth page of a list in Django's admin.
  @Test func theRowsThatASmallOffsetSkipsCountAsReturned() {
    let list = "SELECT a.x, b.y FROM a INNER JOIN b ON (a.b = b.id) ORDER BY a.x DESC LIMIT 100 OFFSET "
    let plan = "|--SCAN a USING INDEX a_x\n`--SEARCH b USING INTEGER PRIMARY KEY (rowid=?)"
    func verdict(offset: Int, steps: UInt64) -> PlanVerdict {
      judge(
        plan, list + "\(offset)",
        work: StatementWork(executions: 1, rows: 100, fullScanSteps: steps, vmSteps: steps * 9)
      ).verdict
    }
    #expect(verdict(offset: 400, steps: 499) == .harmlessScan)
    #expect(verdict(offset: 400, steps: 2000) == .fullScan)
    #expect(verdict(offset: 500, steps: 599) == .fullScan)
  }

  @Test func smallTableIsHarmlessBelow500Rows() {
    let sql = "SELECT 0 FROM t WHERE a = 1"
    #expect(judge("SCAN t", sql, rows: 499).scans.map(\.harmlessBecause) == [.smallTable])
    #expect(judge("SCAN t", sql, rows: 500).verdict == .fullScan)
    #expect(judge("SCAN t", sql, rows: nil).verdict == .fullScan)
  }

  @Test func smallTableInACorrelatedSubqueryIsNot() {
    let judgement = judge(
      "|--SEARCH t0 USING INDEX i (a=?)\n`--CORRELATED SCALAR SUBQUERY 1\n   `--SCAN t1",
      "SELECT 0 FROM a t0 WHERE t0.a = ? AND (SELECT COUNT(*) FROM b t1 WHERE t1.c = t0.d) > 1",
      rows: 40)
    #expect(judgement.verdict == .fullScan)
    #expect(judgement.scansInCorrelatedSubquery)
    #expect(judgement.scans.map(\.table) == ["b"])
  }

  @Test func countOfAllEntriesReadsNone() {
    let judgement = judge("SCAN t USING COVERING INDEX i", "SELECT COUNT(*) FROM t")
    #expect(judgement.scans.map(\.harmlessBecause) == [.entryCount])
    #expect(judgement.scans.map(\.index) == ["i"])
  }

  @Test(arguments: [
    "SELECT count(*) FROM t WHERE b = 5", "SELECT sum(b) FROM t", "SELECT DISTINCT b FROM t",
    "SELECT b, count(*) FROM t GROUP BY b", "SELECT b FROM t WHERE b LIKE '%x'",
  ])
  func coveringIndexDoesNotExcuseAScan(sql: String) {
    #expect(judge("SCAN t USING COVERING INDEX i", sql).verdict == .fullScan)
  }

  @Test func minimumWithoutAnIndexIsAScan() {
    #expect(judge("SEARCH t", "SELECT min(a) FROM t").verdict == .fullScan)
    #expect(judge("SEARCH t USING INDEX i", "SELECT min(a) FROM t").verdict == .search)
  }

  @Test func walkingAnIndexForItsOrderReturnsAllThatItReads() {
    #expect(
      judge("SCAN t USING INDEX i", "SELECT * FROM t ORDER BY a").scans.map(\.harmlessBecause)
        == [.returnsAll])
    #expect(
      judge("SCAN t USING INDEX i", "SELECT * FROM t ORDER BY a LIMIT 5").scans
        .map(\.harmlessBecause) == [.limit])
  }

  @Test func moduleWithoutConstraintsReadsAll() {
    let sql = "SELECT * FROM f WHERE x LIKE '%a'"
    #expect(judge("SCAN f VIRTUAL TABLE INDEX 0:", sql).verdict == .fullScan)
    #expect(judge("SCAN f VIRTUAL TABLE INDEX 0:=", sql).verdict == .harmlessScan)
  }

  @Test func constantRowsSubqueriesVirtualTablesAndListsAreHarmless() {
    #expect(judge("SCAN CONSTANT ROW", "SELECT 1").verdict == .harmlessScan)
    #expect(
      judge(
        "|--CO-ROUTINE c\n|  `--SEARCH t USING INDEX i (a=?)\n`--SCAN c",
        "WITH c AS (SELECT 1 FROM t WHERE a = 1 LIMIT 3) SELECT * FROM c"
      ).scans.map(\.harmlessBecause) == [.subqueryResult])
    #expect(
      judge("SCAN f VIRTUAL TABLE INDEX 0:M1", "SELECT * FROM f WHERE f MATCH 'a'").scans
        .map(\.harmlessBecause) == [.virtualTable])
    #expect(
      judge(
        "|--SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)\n`--LIST SUBQUERY 1\n   `--SCAN _Z_intarray0",
        "SELECT 0 FROM ZSTOP t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0)"
      ).scans.map(\.harmlessBecause) == [.valueList])
  }

  @Test func scanInsideACommonTableStillCounts() {
    let judgement = judge(
      "|--MATERIALIZE c\n|  `--SCAN t\n`--SCAN c", "WITH c AS (SELECT a FROM t) SELECT * FROM c")
    #expect(judgement.verdict == .fullScan)
  }

  @Test func countersAcquitAScanThatStoppedEarly() {
    let work = StatementWork(executions: 10, fullScanSteps: 30, vmSteps: 900)
    let judgement = judge("SCAN t", "SELECT 0 FROM t WHERE a = ? LIMIT 1", work: work)
    #expect(judgement.scans.map(\.harmlessBecause) == [.countedFew])
  }

  @Test func missingCountersAcquitNothing() {
    let work = StatementWork(executions: 10)
    #expect(judge("SCAN t", "SELECT 0 FROM t WHERE a = ?", work: work).verdict == .fullScan)
  }

  @Test func countedScansThatThePlanLacksAreTheTriggersOrAnOlderPlans() {
    let sql = "DELETE FROM t WHERE a = 5"
    let plan = "SEARCH t USING INDEX i (a=?)"
    let work = StatementWork(executions: 2, rows: 2, fullScanSteps: 25_598, vmSteps: 90_000)
    let hidden = judge(plan, sql, work: work)
    #expect(hidden.verdict == .fullScan)
    #expect(hidden.unexplainedFullScanSteps == 12_799)
    let now = StatementWork(executions: 1, rows: 1, fullScanSteps: 0, vmSteps: 20)
    let mended = judge(plan, sql, work: work, measured: .init(work: now))
    #expect(mended.verdict == .search)
    #expect(mended.change == .noLongerScans)
  }

  /// A cursor that is closed early: the program has not read the rows that a run here returns.
  @Test func aScanThatTheProgramReadsInPartHasNotChanged() {
    let sql = "SELECT id FROM t ORDER BY name"
    let work = StatementWork(executions: 5, rows: 50, fullScanSteps: 14_995, vmSteps: 90_000)
    let here = StatementWork(executions: 1, rows: 3000, fullScanSteps: 2999, vmSteps: 40_000)
    let judgement = judge(
      "|--SCAN t\n`--USE TEMP B-TREE FOR ORDER BY", sql, rows: 3000, work: work,
      measured: .init(work: here))
    #expect(judgement.verdict == .fullScan)
    #expect(judgement.evidence == .counted)
    #expect(judgement.change == nil)
    #expect(judgement.suspects.map(\.table) == ["t"])
  }

  @Test func countersOfAnotherPlanAcquitNothing() {
    let sql = "SELECT 0 FROM t WHERE a = 5"
    let work = StatementWork(executions: 3, rows: 9, fullScanSteps: 0, vmSteps: 90)
    let judgement = judge("SCAN t", sql, work: work)
    #expect(judgement.verdict == .fullScan)
    #expect(judgement.change == .nowScans)
    // A statement that may stop early proves nothing.
    #expect(judge("SCAN t", sql + " LIMIT 1", work: work).change == nil)
  }

  @Test func aRunHereDecidesWhereNothingWasCounted() {
    let sql = "SELECT 0 FROM t WHERE a = 5 LIMIT 1"
    func verdict(_ steps: UInt64, isSampled: Bool = false) -> PlanVerdict {
      let work = StatementWork(executions: 1, rows: 1, fullScanSteps: steps, vmSteps: 9)
      return judge("SCAN t", sql, measured: .init(work: work, isSampled: isSampled)).verdict
    }
    #expect(verdict(12) == .harmlessScan)
    #expect(verdict(9000) == .fullScan)
    #expect(verdict(12, isSampled: true) == .mayScan)
  }

  @Test func flagsSortsAndAutomaticIndexes() {
    let judgement = judge(
      """
      |--SCAN t0
      |--SEARCH t1 USING AUTOMATIC COVERING INDEX (b=?)
      `--USE TEMP B-TREE FOR RIGHT PART OF ORDER BY
      """, "SELECT 0 FROM a t0 JOIN b t1 ON t0.x = t1.b ORDER BY t0.z")
    #expect(judgement.sortsByTemporaryBTree)
    #expect(judgement.automaticIndexes == ["b"])
    #expect(judgement.automaticIndexColumns == [.init(table: "b", columns: ["b"])])
  }

  @Test func existsStopsAtItsFirstRow() {
    let judgement = judge(
      "|--SCAN CONSTANT ROW\n`--SCALAR SUBQUERY 1\n   `--SCAN t", "SELECT EXISTS (SELECT 1 FROM t)")
    #expect(judgement.verdict == .harmlessScan)
  }

  @Test func equalitiesComeBeforeRangesInTheHint() {
    let judgement = judge(
      "SCAN t0",
      "SELECT 0 FROM t t0 WHERE ( ? <= t0.x AND  t0.y = ? AND  t0.x <= ? AND  t0.n LIKE ?)")
    #expect(judgement.scans.first?.comparedColumns == ["y", "x"])
  }
}
