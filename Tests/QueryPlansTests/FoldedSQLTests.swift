// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct FoldedSQLTests {
  private func list(_ value: String, _ count: Int) -> String {
    repeatElement(value, count: count).joined(separator: ", ")
  }

  @Test func rowsOfValuesAreCounted() {
    let sql = "INSERT INTO book (id, title) VALUES \(list("(?, ?)", 499)) ON CONFLICT DO NOTHING"
    #expect(
      FoldedSQL(sql).text
        == "INSERT INTO book (id, title) VALUES (?, ?), … 499 rows ON CONFLICT DO NOTHING")
  }

  @Test func longListsAreCounted() {
    let ids = (1...300).map { "-\($0)" }.joined(separator: ",")
    #expect(
      FoldedSQL("SELECT a FROM t WHERE id IN (\(ids)) AND k IN ('x', ?)").text
        == "SELECT a FROM t WHERE id IN (-1,-2,… 300 values) AND k IN ('x', ?)")
    let row = "(\(list("NULL", 9)))"
    #expect(
      FoldedSQL("INSERT INTO t VALUES \(list(row, 50))").text
        == "INSERT INTO t VALUES (NULL, NULL, … 9 values), … 50 rows")
  }

  @Test func shortStatementsAndOtherListsStay() {
    let columns = (1...60).map { "column\($0)" }.joined(separator: ", ")
    for sql in [
      "INSERT INTO t VALUES (1), (2), (3), (4), (5)",
      "SELECT \(columns) FROM t WHERE (a, b) = (1, 2)",
      "INSERT INTO t (\(columns)) SELECT \(columns) FROM u",
    ] {
      #expect(FoldedSQL(sql).text == sql)
    }
  }

  /// 100,000 of them took minutes when each was looked for from its own place.
  @Test(arguments: [")", "(", "()", "(1,"]) func manyParenthesesAreRead(_ text: String) {
    let sql = "SELECT " + String(repeating: text, count: 100_000)
    #expect(FoldedSQL(sql).text == sql)
  }

  @Test(arguments: ["VALUES (", "VALUES (1), (", ")))", "(-", "'", "VALUES (1), )"])
  func survivesWhatIsNoSQL(sql: String) {
    let long = String(repeating: " ", count: 240) + sql
    #expect(FoldedSQL(long).text == long)
  }
}
