// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import TestSupport
import Testing

@Suite struct PlanExplainerTests {
  let connection: Connection
  let explainer: PlanExplainer

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZLONGITUDE REAL, ZLATITUDE REAL, ZNAME TEXT);
      CREATE TABLE ZSTOPTIME(Z_PK INTEGER PRIMARY KEY, ZSTOP INTEGER, ZDEPARTURETIME INTEGER);
      CREATE TABLE ZKIND(Z_PK INTEGER PRIMARY KEY, ZNAME TEXT);
      CREATE VIEW named AS SELECT s.Z_PK AS id, s.ZNAME AS n FROM ZSTOP s WHERE s.ZNAME IS NOT NULL;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)
        INSERT INTO ZSTOP SELECT i, i, i, 'stop ' || i FROM n;
      INSERT INTO ZSTOPTIME SELECT Z_PK, Z_PK, Z_PK FROM ZSTOP;
      INSERT INTO ZKIND VALUES(1, 'bus');
      """)
    explainer = PlanExplainer(connection)
  }

  private static let geo = """
    SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND \
    ? <=  t0.ZLATITUDE AND  t0.ZLATITUDE <= ?)  LIMIT 200
    """

  @Test func theIndexTurnsTheScanIntoASearch() throws {
    let before = explainer.explain(Self.geo)
    #expect(before.verdict == .fullScan)
    #expect(before.judgement?.scans.map(\.table) == ["ZSTOP"])
    #expect(before.judgement?.scans.first?.size == TableSize(rows: 500))
    #expect(before.judgement?.scans.first?.comparedColumns == ["ZLONGITUDE", "ZLATITUDE"])
    try connection.execute("CREATE INDEX i ON ZSTOP(ZLONGITUDE, ZLATITUDE)")
    #expect(explainer.explain(Self.geo).verdict == .search)
  }

  @Test func statementThatDoesNotCompileIsAnError() {
    let explanation = explainer.explain("SELECT ZNAM FROM ZSTOP")
    #expect(explanation.verdict == .error)
    #expect(explanation.error?.message == "no such column: ZNAM")
    #expect(explanation.error?.offset == 7)
  }

  @Test func coreDatasOwnThingsAreStoodInFor() {
    let explanation = explainer.explain(
      """
      SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ( NSCoreDataStringSearch( t0.ZNAME, ?, 8, 0) AND \
       t0.Z_PK IN (SELECT * FROM _Z_intarray0)) ORDER BY t0.ZNAME COLLATE NSCollateLocaleSensitive
      """)
    #expect(explanation.error == nil)
    #expect(
      Set(explanation.standIns)
        == ["NSCoreDataStringSearch", "_Z_intarray0", "NSCollateLocaleSensitive"])
    #expect(explanation.verdict == .search)
    #expect(explanation.judgement?.sortsByTemporaryBTree == true)
  }

  /// The functions of Django, of SQLAlchemy and of every program that makes its own.
  @Test func functionsAndCollationsOfTheProgramAreStoodInFor() throws {
    let explanation = explainer.explain(
      """
      SELECT django_date_trunc('day', ZNAME, 'UTC', 'UTC'), median(ZLATITUDE) FROM ZSTOP
      WHERE ZNAME REGEXP ? AND ZNAME > ? COLLATE german GROUP BY 1 ORDER BY ZNAME COLLATE german
      """)
    #expect(explanation.error == nil)
    #expect(Set(explanation.standIns) == ["django_date_trunc", "median", "REGEXP", "german"])
    // Never run with them: they answer NULL.
    #expect(explanation.judgement?.evidence == .plan)
    #expect(explanation.verdict == .fullScan)
  }

  @Test func anIndexByACollationOfTheProgramIsUsed() throws {
    let folder = try TemporaryDirectory()
    let program = try Connection(path: folder.path("app.db"))
    try program.addStandIn(collation: "german")
    try program.execute("CREATE TABLE city(name TEXT COLLATE german); CREATE INDEX i ON city(name)")
    let explainer = PlanExplainer(try Connection(path: folder.path("app.db")))
    let explanation = explainer.explain("SELECT name FROM city WHERE name = ?")
    let steps = explanation.plan?.roots.map(\.detail)
    #expect(steps == ["SEARCH city USING COVERING INDEX i (name=?)"])
  }

  @Test func indexOnAFunctionOfTheProgramIsUsed() throws {
    // Kept in the schema as it was written; the function need not exist to read it.
    try connection.execute(
      """
      PRAGMA writable_schema = ON;
      CREATE INDEX i ON ZSTOP(lower(ZNAME));
      UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON ZSTOP(folded(ZNAME))' WHERE name = 'i';
      PRAGMA writable_schema = RESET;
      """)
    let explanation = explainer.explain("SELECT Z_PK FROM ZSTOP WHERE folded(ZNAME) = ?")
    #expect(explanation.error == nil)
    #expect(explanation.verdict == .search)
  }

  @Test func smallTableIsMeasured() {
    let explanation = explainer.explain("SELECT Z_PK FROM ZKIND WHERE ZNAME = ?")
    #expect(explanation.judgement?.scans.map(\.harmlessBecause) == [.smallTable])
  }

  @Test func viewsAreResolvedToTheirTables() {
    let explanation = explainer.explain("SELECT id FROM named WHERE n = ?")
    #expect(explanation.judgement?.scans.map(\.table) == ["ZSTOP"])
    #expect(explanation.verdict == .fullScan)
  }

  @Test func aViewThatIsComputedIsNoTable() throws {
    try connection.execute(
      "CREATE VIEW counts AS SELECT ZNAME AS n, count(*) AS c FROM ZSTOP GROUP BY n")
    let explanation = explainer.explain("SELECT * FROM counts WHERE c = ?")
    #expect(explanation.judgement?.scans.map(\.table) == ["ZSTOP", nil])
    #expect(explanation.judgement?.scans.last?.harmlessBecause == .subqueryResult)
  }

  @Test func aPartialIndexIsAsLargeAsItsPart() throws {
    try connection.execute("CREATE INDEX few ON ZSTOP(ZLATITUDE) WHERE ZLONGITUDE < 400")
    let sql = "SELECT ZNAME FROM ZSTOP INDEXED BY few WHERE ZLONGITUDE < 400 AND ZNAME = ?"
    let scan = try #require(explainer.explain(sql).judgement?.scans.first)
    #expect(scan.index == "few" && scan.isPartial)
    #expect(scan.size?.rows == 399)
    #expect(scan.comparedColumns == ["ZNAME"])
  }

  /// Its entries are the rows that the WHERE selects, as an index on ZLONGITUDE would find them.
  @Test func aPartialIndexOfTheWhereIsNoScan() throws {
    try connection.execute(
      """
      WITH n(i) AS (SELECT 501 UNION ALL SELECT i + 1 FROM n LIMIT 4000)
        INSERT INTO ZSTOP SELECT i, -1, i, 'stop ' || i FROM n;
      CREATE INDEX west ON ZSTOP(ZLATITUDE) WHERE ZLONGITUDE < 0 AND ZNAME IS NOT NULL
      """)
    let condition = "FROM ZSTOP t INDEXED BY west WHERE t.ZNAME IS NOT NULL AND (t.ZLONGITUDE < 0)"
    let counted = StatementWork(executions: 1, rows: 1, fullScanSteps: 3999, vmSteps: 9000)
    for work in [StatementWork(), counted] {
      let judgement = explainer.explain("SELECT count(*) \(condition)", work: work).judgement
      #expect(judgement?.scans.map(\.harmlessBecause) == [.partialIndex])
      #expect(judgement?.verdict == .harmlessScan)
    }
    #expect(
      explainer.explain("SELECT count(*) \(condition) AND ZNAME = 'x'").verdict == .fullScan)
  }

  @Test func correlatedScanIsFlagged() {
    let explanation = explainer.explain(
      """
      SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE \
      (t0.Z_PK = t1.ZSTOP AND ((? <=  t1.ZDEPARTURETIME AND  t1.ZDEPARTURETIME <= ?))) ) <> ?
      """)
    #expect(explanation.verdict == .fullScan)
    // SQLite makes an automatic index for the inner table unless that is disabled.
    #expect(
      explanation.judgement?.scansInCorrelatedSubquery == true
        || explanation.judgement?.automaticIndexes == ["ZSTOPTIME"])
  }

  @Test func countStarReadsAnIndexOnly() throws {
    try connection.execute("CREATE INDEX i ON ZSTOP(ZLONGITUDE)")
    let explanation = explainer.explain("SELECT COUNT(*) FROM ZSTOP")
    #expect(explanation.judgement?.scans.map(\.harmlessBecause) == [.entryCount])
  }

  @Test(arguments: [
    "INSERT INTO ZKIND VALUES(2, 'tram')", "UPDATE ZSTOP SET ZNAME = ? WHERE Z_PK = ?",
    "DELETE FROM ZSTOP WHERE Z_PK = ?",
  ])
  func statementsOfASaveAreSearches(sql: String) {
    #expect(explainer.explain(sql).verdict == .search)
  }

  @Test(arguments: [
    "BEGIN EXCLUSIVE", "COMMIT", "PRAGMA page_count", "CREATE TABLE ZSTOP(a)", "/* a */ end",
    "CREATE INDEX i ON ZSTOP(ZNAME)", "SAVEPOINT a", "EXPLAIN SELECT * FROM ZSTOP",
  ])
  func whatSQLiteDoesNotPlanHasNoVerdictAndNoError(sql: String) {
    let explanation = explainer.explain(sql, work: StatementWork(executions: 1, vmSteps: 9000))
    #expect(explanation.verdict == .noPlan)
    #expect(explanation.failure == nil && explanation.plan == nil)
    #expect(explainer.explain("SELEC 1").verdict == .error)
  }

  @Test func recursionIsHarmlessButItsTablesCount() {
    let explanation = explainer.explain(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT i FROM n")
    #expect(explanation.verdict == .harmlessScan)
  }
}
