// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import QueryPlans

struct SharedStatementTests {
  @Test(arguments: [
    ("SELECT a FROM book", "SELECT book"),
    ("select a from main.book b, \"author\" a where b.id = 1", "SELECT book author"),
    ("SELECT * FROM a JOIN b ON a.x = b.x LEFT JOIN c ON 1", "SELECT a b c"),
    (
      "SELECT * FROM (SELECT x FROM inner_table) WHERE y IN (SELECT z FROM other)",
      "SELECT inner_table other"
    ),
    ("INSERT INTO book(a, b) VALUES (1, 2) ON CONFLICT DO UPDATE SET a = 3", "INSERT book"),
    ("INSERT OR REPLACE INTO book VALUES (1)", "INSERT book"),
    ("UPDATE book SET a = 1, b = 2 WHERE c", "UPDATE book"),
    ("DELETE FROM book", "DELETE book"),
    ("WITH t AS (SELECT 1 FROM x) SELECT * FROM t", "SELECT x t"),
    ("CREATE TABLE IF NOT EXISTS book(a)", "CREATE book"),
    ("DROP TABLE IF EXISTS [old book]", "DROP old book"),
    ("BEGIN IMMEDIATE", "BEGIN"), ("PRAGMA wal_checkpoint", "PRAGMA"), ("", "SQL"), ("(((", "SQL"),
    ("FROM FROM FROM", "SQL"), ("SELECT 'FROM secret'", "SELECT"),
  ])
  func summaryIsOperationAndTables(sql: String, summary: String) {
    #expect(SharedStatement(sql: sql).summary == summary)
  }

  @Test(arguments: [
    "SELECT a FROM b WHERE c = 'secret' -- secret", "SELECT a FROM b WHERE c = \"secret\"",
    "INSERT INTO b VALUES (\"secret\", x'5ec4e7'), (\"secret\", 'secret')",
    "SELECT a FROM b WHERE c IN (\"secret\", 'x') /* secret */", "SELECT 1 + 5ec4e7",
    "SELECT a FROM b WHERE c LIKE \"secret%\"", "SELECT CASE WHEN a THEN \"secret\" END",
    "SELECT 52374", "SELECT 52374 FROM b", "SELECT a FROM b WHERE c = abs(52374)",
    "SELECT round(a, 52374), substr(b, 52374, 52374) FROM c LIMIT 52374", "SELECT f(-52374)",
  ])
  func valuesAreNotShared(sql: String) {
    let text = SharedStatement(sql: sql).text
    #expect(
      !text.contains("secret") && !text.contains("5ec4e7") && !text.contains("52374"), "\(text)")
  }

  @Test(arguments: [
    ("SELECT a FROM b WHERE c IN (1, 'x') LIMIT 5", "SELECT a FROM b WHERE c IN (?, ?) LIMIT ?"),
    ("INSERT INTO b VALUES (1, \"x\"), (2, 'y')", "INSERT INTO b VALUES (?, ?), (?, ?)"),
    ("SELECT a, b FROM c ORDER BY 2, 1 DESC", "SELECT a, b FROM c ORDER BY 2, 1 DESC"),
    ("SELECT a FROM b GROUP BY 1 LIMIT 7", "SELECT a FROM b GROUP BY 1 LIMIT ?"),
    ("SELECT a FROM b ORDER BY a + 1", "SELECT a FROM b ORDER BY a + ?"),
    ("SELECT a FROM b WHERE c = :name", "SELECT a FROM b WHERE c = :name"),
  ])
  func theTemplateCompiles(sql: String, template: String) {
    #expect(SharedStatement(sql: sql).template == template)
    #expect(SQLFingerprint(sql: template) == SQLFingerprint(sql: sql))
  }

  @Test func marksOfCoreDataStay() {
    #expect(
      SharedStatement(sql: "SELECT 0, t0.Z_PK FROM ZSTOP t0").text
        == "SELECT 0, t0.Z_PK FROM ZSTOP t0")
  }

  @Test func quotedNamesStay() {
    let sql = "SELECT b.\"first name\" FROM \"my book\" b WHERE b.\"id\" = \"a\".\"id\""
    #expect(SharedStatement(sql: sql).text.contains("\"first name\""))
    #expect(SharedStatement(sql: sql).text.contains("\"my book\""))
    #expect(SharedStatement(sql: sql).text.hasSuffix("\"a\".\"id\""))
  }

  @Test func aSummaryIsBounded() {
    let tables = (0..<100).map { "table_\($0)" }.joined(separator: ", ")
    let summary = SharedStatement(sql: "SELECT * FROM \(tables)").summary
    #expect(summary.utf8.count <= 255 && summary.hasPrefix("SELECT table_0 table_1 "))
  }
}
