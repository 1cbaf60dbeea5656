// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct TemporaryTableTests {
  @Test(
    arguments: [
      ("CREATE TEMP TABLE Chosen(id INTEGER)", "chosen"),
      ("create temporary table if not exists \"a b\" as select 1", "a b"),
      ("-- x\nCREATE TABLE temp.chosen(id)", "chosen"),
      ("CREATE TABLE chosen(id)", nil), ("CREATE TABLE main.chosen(id)", nil),
      ("CREATE TEMP VIEW chosen AS SELECT 1", nil), ("INSERT INTO temp.chosen VALUES (1)", nil),
      ("", nil),
    ] as [(String, String?)])
  func isCreatedForItsConnection(sql: String, table: String?) {
    #expect(TemporaryTable.created(by: sql) == table)
  }

  @Test func isCreatedWithoutRows() {
    #expect(
      TemporaryTable.creations(in: [
        "CREATE TABLE other(id)", "CREATE INDEX chosen_id ON chosen(id)",
        "CREATE INDEX other_id ON other(id)", "CREATE TEMP TABLE chosen(id)",
        "CREATE TEMP TABLE copied AS SELECT id, 'a b' AS n FROM other WHERE id = ?;",
        "CREATE UNIQUE INDEX IF NOT EXISTS temp.one ON Copied(id)",
      ]) == [
        "CREATE TEMP TABLE chosen(id)",
        "CREATE TEMP TABLE copied AS SELECT * FROM (SELECT id, 'a b' AS n FROM other WHERE id = ?) LIMIT 0",
        "CREATE INDEX chosen_id ON chosen(id)",
        "CREATE UNIQUE INDEX IF NOT EXISTS temp.one ON Copied(id)",
      ])
  }

  @Test func isNotCreatedByATextOfSeveralStatements() {
    #expect(
      TemporaryTable.creations(in: [
        "CREATE TEMP TABLE a(id); VACUUM INTO 'b.db'", "CREATE TEMP TABLE b(c DEFAULT ';');",
        "CREATE INDEX i ON b(c); DELETE FROM other",
      ]) == ["CREATE TEMP TABLE b(c DEFAULT ';');"])
  }

  @Test func isDroppedByItsName() {
    #expect(TemporaryTable.dropped(by: "DROP TABLE IF EXISTS temp.Chosen") == "chosen")
    #expect(TemporaryTable.dropped(by: "DROP TABLE chosen") == "chosen")
    #expect(TemporaryTable.dropped(by: "DROP INDEX chosen") == nil)
  }

  @Test(arguments: [
    ("INSERT INTO temp.other VALUES (?)", true), ("INSERT OR IGNORE INTO chosen VALUES (?)", true),
    ("REPLACE INTO Chosen VALUES (?)", true), ("UPDATE chosen SET a = 1", true),
    ("UPDATE OR FAIL temp.other SET a = 1", true), ("DELETE FROM chosen WHERE a = 1", true),
    ("INSERT INTO main.chosen VALUES (?)", false), ("INSERT INTO other VALUES (?)", false),
    ("SELECT * FROM temp.chosen", false), ("CREATE TEMP TABLE chosen(id)", false), ("", false),
  ])
  func isWrittenBySchemaOrByName(sql: String, isWritten: Bool) {
    #expect(TemporaryTable.isWritten(by: sql, of: ["chosen"]) == isWritten)
  }
}
