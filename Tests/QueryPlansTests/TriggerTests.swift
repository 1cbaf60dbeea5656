// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Statements that a write runs beside its own.
@Suite struct TriggerTests {
  private func statements(_ trigger: String, _ write: String) throws -> [String] {
    TriggeredStatement.all(inTrigger: trigger, firedBy: try #require(WrittenTable(sql: write)))
      .map(\.sql)
  }

  @Test func newAndOldAreParameters() throws {
    let trigger = """
      CREATE TRIGGER IF NOT EXISTS main."update" AFTER UPDATE OF state ON job FOR EACH ROW
      WHEN NEW.state <> OLD.state BEGIN
        INSERT INTO log(job, note) VALUES (NEW.id, OLD."state" || ';' || new.state);
        UPDATE worker SET busy = CASE WHEN NEW.state = 1 THEN 1 ELSE 0 END WHERE name = OLD.worker;
      END
      """
    #expect(
      try statements(trigger, "UPDATE job SET state = ? WHERE id = ?") == [
        "INSERT INTO log(job, note) VALUES (?, ? || ';' || ?)",
        "UPDATE worker SET busy = CASE WHEN ? = 1 THEN 1 ELSE 0 END WHERE name = ?",
      ])
  }

  @Test(arguments: [
    ("AFTER UPDATE OF state ON job", "UPDATE job SET name = ? WHERE id = ?"),
    ("AFTER UPDATE ON job", "DELETE FROM job WHERE id = ?"),
    ("BEFORE INSERT ON job", "INSERT INTO jobs VALUES (?)"),
    ("DELETE ON \"Job\"", "UPDATE job SET name = ?"),
  ])
  func aTriggerOfOtherWritesRunsNothing(event: String, write: String) throws {
    #expect(try statements("CREATE TRIGGER t \(event) BEGIN SELECT 1; END", write) == [])
  }

  @Test(arguments: [
    ("AFTER UPDATE ON job", "UPDATE OR FAIL main.job SET name = ?"),
    ("INSTEAD OF DELETE ON \"Job\"", "DELETE FROM job WHERE id = ?"),
    ("BEFORE INSERT ON job", "REPLACE INTO job VALUES (?)"),
    ("UPDATE OF id, \"Name\" ON job", "UPDATE job SET name = ?"),
  ])
  func aTriggerOfTheWriteRunsItsBody(event: String, write: String) throws {
    #expect(
      try statements("CREATE TEMP TRIGGER t \(event) BEGIN SELECT 1; END", write) == ["SELECT 1"])
  }

  @Test func theScanOfATriggerIsNamed() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE job(id INTEGER PRIMARY KEY, state, worker);
      CREATE TABLE worker(id INTEGER PRIMARY KEY, name);
      CREATE TABLE log(id INTEGER PRIMARY KEY, job);
      CREATE TRIGGER done AFTER UPDATE OF state ON job BEGIN
        INSERT INTO log(job) VALUES (NEW.id); DELETE FROM worker WHERE name = OLD.worker;
      END;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        INSERT INTO worker SELECT i, 'w' || i FROM n;
      """)
    let explainer = PlanExplainer(connection)
    let counted = StatementWork(executions: 10, fullScanSteps: 49_990, vmSteps: 250_000)
    let update = explainer.explain("UPDATE job SET state = 1 WHERE id = ?", work: counted)
    #expect(update.judgement?.triggerScans.map(\.trigger) == ["done"])
    #expect(update.judgement?.triggerScans.first?.scan.table == "worker")
    #expect(update.judgement?.triggerScans.first?.scan.comparedColumns == ["name"])
    try connection.execute("CREATE INDEX worker_name ON worker(name)")
    let indexed = explainer.explain("UPDATE job SET state = 1 WHERE id = ?", work: counted)
    #expect(indexed.judgement?.triggerScans == [])
  }

  @Test(arguments: [("sum(amount)", ["booked"]), ("max(amount)", [])])
  func anAggregateOfATriggerCostsWithAnIndex(value: String, triggers: [String]) throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE account(id INTEGER PRIMARY KEY, total INT);
      CREATE TABLE entry(id INTEGER PRIMARY KEY, account INT, amount INT);
      CREATE INDEX entry_account ON entry(account, amount);
      CREATE TRIGGER booked AFTER INSERT ON entry BEGIN
        UPDATE account SET total = (SELECT \(value) FROM entry WHERE account = NEW.account)
        WHERE id = NEW.account;
      END;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        INSERT INTO entry SELECT i, 1, i FROM n;
      """)
    let insert = PlanExplainer(connection).explain(
      "INSERT INTO entry(account, amount) VALUES (?, ?)",
      work: StatementWork(executions: 10, rows: 10, fullScanSteps: 0, vmSteps: 250_000))
    #expect(insert.judgement?.triggerAggregates.map(\.trigger) == triggers)
    #expect(insert.verdict == (triggers.isEmpty ? .search : .costlySearch))
  }

  @Test func anUpsertFiresTheTriggersOfItsUpdate() throws {
    let sql = """
      INSERT INTO job(id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = 2 WHERE state > 1
      """
    let writes = WrittenTable.all(in: sql)
    #expect(writes.map(\.kind) == [.insert, .update])
    #expect(writes.map(\.table) == ["job", "job"])
    #expect(writes.last?.columns == ["state"])
    #expect(WrittenTable.all(in: "INSERT INTO job(id) VALUES (1)").map(\.kind) == [.insert])
  }
}
