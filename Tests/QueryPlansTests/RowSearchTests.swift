// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// An UPDATE or a DELETE is measured by the search for its rows.
@Suite struct RowSearchTests {
  private func search(_ sql: String, _ values: [BindValue] = []) -> WorkloadStatement? {
    WorkloadStatement(id: "1", sql: sql, runs: 3, values: values.isEmpty ? [] : [values]).rowSearch
  }

  @Test(arguments: [
    ("UPDATE line SET qty = qty + 1 WHERE sku = 'a' ", "SELECT 1 FROM line WHERE sku = 'a'"),
    (
      "UPDATE OR IGNORE line AS l SET qty = ? WHERE l.sku IN (SELECT sku FROM part WHERE kind = ?)",
      "SELECT 1 FROM line AS l WHERE l.sku IN (SELECT sku FROM part WHERE kind = ?1)"
    ),
    (
      #"DELETE FROM "order" WHERE state = :s AND (day < ? OR old = :s) RETURNING id"#,
      #"SELECT 1 FROM "order" WHERE state = ?1 AND (day < ?2 OR old = ?1)"#
    ),
  ])
  func findsTheSameRows(sql: String, search: String) {
    #expect(self.search(sql)?.sql == search)
  }

  @Test(arguments: [
    "SELECT a FROM t WHERE a = 1", "UPDATE t SET a = 1", "DELETE FROM t",
    "UPDATE t SET a = u.a FROM u WHERE u.id = t.id", "INSERT INTO t SELECT a FROM u WHERE a > 1",
  ])
  func otherStatementsHaveNone(sql: String) { #expect(search(sql) == nil) }

  @Test func theValuesOfSetAreLeftOut() {
    let found = search(
      "UPDATE t SET a = ?, b = ? WHERE c = ? AND d > ?1",
      [.integer(1), .text("b"), .integer(3)])
    #expect(found?.sql == "SELECT 1 FROM t WHERE c = ?1 AND d > ?2")
    #expect(found?.values == [[.integer(3), .integer(1)]])
  }

  @Test func anIndexIsAdvisedForARowThatIsWritten() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE line(invoice INT, pos INT, sku TEXT, qty INT, PRIMARY KEY(invoice, pos))
        WITHOUT ROWID;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000)
        INSERT INTO line SELECT i / 2, i % 2, 'sku' || (i % 500), i FROM n;
      """)
    let statements = [
      WorkloadStatement(
        id: "1", sql: "UPDATE line SET qty = ? WHERE sku = ?", runs: 20,
        values: [[.integer(7), .text("sku7")], [.integer(8), .text("sku8")]]),
      WorkloadStatement(
        id: "2", sql: "DELETE FROM line WHERE sku = ? AND qty < ?", runs: 5,
        values: [[.text("sku9"), .integer(600)]]),
    ]
    let advice = try IndexAdvisor(statements, on: connection).advice()
    #expect(advice.creations.map(\.candidate.columns) == [["sku", "qty"]])
    #expect(advice.after * 50 < advice.before)
    #expect(advice.rowSearches == 2 && advice.effects.count == 2)
    let rows = try connection.prepare("SELECT count(*), sum(qty) FROM line")
    #expect(try rows.step() && rows.int64(0) == 9000 && rows.int64(1) == 9000 * 9001 / 2)
  }
}
