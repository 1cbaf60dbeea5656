// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// An index that a statement of the workload needs is never advised to be dropped.
@Suite struct NeededIndexTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE par(id INTEGER PRIMARY KEY, a INT, b INT, c INT, d INT);
      CREATE TABLE ch(id INTEGER PRIMARY KEY, par_id INT REFERENCES par(id), x INT, y INT);
      CREATE TABLE log(v);
      CREATE INDEX ch_par ON ch(par_id); CREATE INDEX ch_x ON ch(x);
      CREATE INDEX par_a ON par(a); CREATE INDEX par_b ON par(b);
      CREATE INDEX par_c ON par(c); CREATE INDEX par_c_b ON par(c, b);
      CREATE INDEX par_unused ON par(d);
      CREATE TRIGGER counts AFTER INSERT ON log BEGIN
        UPDATE ch SET y = y + 1 WHERE x = NEW.v;
      END;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO par SELECT i, i, i, i, i FROM n;
      INSERT INTO ch SELECT id, id % 1500 + 1, id, 0 FROM par;
      """)
  }

  private func advice(_ statements: String...) throws -> IndexAdvice {
    try IndexAdvisor(
      statements.enumerated().map { WorkloadStatement(id: "\($0)", sql: $1, runs: 10) },
      on: connection
    ).advice()
  }

  @Test(arguments: [
    ("INSERT INTO log SELECT a FROM par WHERE a = 7", "par_a"),
    ("WITH p AS (SELECT a FROM par WHERE a = 7) INSERT INTO log SELECT a FROM p", "par_a"),
    ("CREATE TABLE part AS SELECT * FROM par WHERE a = 7", "par_a"),
    ("REPLACE INTO par SELECT id, a, b, c, d FROM par WHERE b = 7", "par_b"),
    ("UPDATE ch SET y = (SELECT d FROM par WHERE b = 7) WHERE id = 9", "par_b"),
    ("DELETE FROM par WHERE id = 7", "ch_par"),
    ("INSERT INTO log VALUES (7)", "ch_x"),
    ("SELECT id FROM par INDEXED BY par_c WHERE c = 7", "par_c"),
  ])
  func anIndexThatAStatementNeedsStays(sql: String, index: String) throws {
    let advice = try advice(
      sql, "SELECT y FROM ch WHERE id = 3", "SELECT d FROM par WHERE id = 3")
    let removed = advice.removals.map(\.index.name)
    #expect(!removed.contains(index))
    #expect(removed.contains("par_unused"))
  }

  @Test func aWriteThatReadsIsAStatementThatReads() throws {
    #expect(try advice("INSERT INTO log SELECT a FROM par WHERE d = 7").effects.count == 1)
    let error = #expect(throws: AdviceError.self) {
      _ = try advice("UPDATE par SET a = ch.x FROM ch WHERE ch.par_id = par.id")
    }
    #expect(error.map { "\($0)" }?.hasPrefix("no statement can be measured: ") == true)
  }

  @Test(arguments: [
    (
      "INSERT INTO log(v, w) SELECT ?, a FROM par WHERE a = ? ON CONFLICT DO NOTHING",
      "SELECT ?1, a FROM par WHERE a = ?2"
    ),
    (
      "INSERT OR IGNORE INTO t(a) SELECT x FROM u WHERE z = :z RETURNING a",
      "SELECT x FROM u WHERE z = ?1"
    ),
    ("CREATE TEMP TABLE t AS SELECT * FROM u WHERE z = 1", "SELECT * FROM u WHERE z = 1"),
    (
      "WITH c AS (SELECT a FROM u WHERE b = ?) INSERT INTO t SELECT a FROM c WHERE a > ?",
      "WITH c AS (SELECT a FROM u WHERE b = ?1) SELECT a FROM c WHERE a > ?2"
    ),
    (
      "INSERT INTO t VALUES ((SELECT max(b) FROM u WHERE c = ?), ?)",
      "VALUES ((SELECT max(b) FROM u WHERE c = ?1), ?2)"
    ),
  ])
  func theSelectOfAWriteIsMeasured(sql: String, select: String) {
    #expect(WorkloadStatement(id: "1", sql: sql, runs: 1).selectPart?.sql == select)
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (?)", "INSERT INTO t DEFAULT VALUES", "UPDATE t SET a = 1", "SELECT 1",
    "CREATE VIEW v AS SELECT a FROM t", "CREATE TABLE t(a, b)",
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
  ])
  func otherStatementsHaveNone(sql: String) {
    #expect(WorkloadStatement(id: "1", sql: sql, runs: 1).selectPart == nil)
  }

  @Test func aDeletionUsesTheIndexesOfTheRowsThatItTakesAlong() throws {
    try connection.execute(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY);
      CREATE TABLE b(id INTEGER PRIMARY KEY, a INT REFERENCES a(id) ON DELETE CASCADE);
      CREATE TABLE c(id INTEGER PRIMARY KEY, b INT REFERENCES b(id) ON DELETE SET NULL);
      CREATE TABLE e(id INTEGER PRIMARY KEY, c INT);
      CREATE INDEX b_a ON b(a); CREATE INDEX c_b ON c(b); CREATE INDEX e_c ON e(c);
      CREATE TRIGGER changed AFTER UPDATE OF b ON c BEGIN DELETE FROM e WHERE c = OLD.id; END;
      """)
    let explainer = PlanExplainer(connection)
    #expect(explainer.usedIndexes(by: "DELETE FROM a WHERE id = 1") == ["b_a", "c_b", "e_c"])
    #expect(explainer.usedIndexes(by: "DELETE FROM e WHERE id = 1") == [])
    #expect(explainer.usedIndexes(by: "DELETE FROM missing") == nil)
  }

  @Test func aTriggerReadsInItsConditionAndBesideRaise() throws {
    let trigger = """
      CREATE TRIGGER t BEFORE INSERT ON job WHEN (SELECT count(*) FROM u WHERE a = NEW.a) > 1 BEGIN
        SELECT RAISE(ABORT, 'taken') FROM u WHERE b = NEW.b;
      END
      """
    let write = try #require(WrittenTable(sql: "INSERT INTO job VALUES (1)"))
    #expect(
      TriggeredStatement.all(inTrigger: trigger, firedBy: write).map(\.sql) == [
        "SELECT (SELECT count(*) FROM u WHERE a = ?) > 1", "SELECT NULL FROM u WHERE b = ?",
      ])
  }

  @Test func theNamesOfIndexedBy() {
    let sql = #"SELECT 1 FROM a INDEXED BY "One" JOIN b AS x INDEXED BY two NOT INDEXED"#
    #expect(StatementClauses(sql: sql).namedIndexes == ["one", "two"])
    #expect(StatementClauses(sql: "SELECT indexed FROM by").namedIndexes == [])
  }
}
