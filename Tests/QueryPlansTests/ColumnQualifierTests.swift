// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

struct ColumnQualifierTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
      CREATE TABLE orders(number INTEGER PRIMARY KEY, customer_id INT, state TEXT, total REAL, name TEXT);
      CREATE TABLE "odd name"("left" TEXT, number INT);
      CREATE VIEW openOrders AS SELECT * FROM orders WHERE state = 'open';
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO orders SELECT i, i % 100, CASE WHEN i % 9 = 0 THEN 'open' ELSE 'done' END, i, 'o' FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
        INSERT INTO customer SELECT i, 'n' || i, 'c' || (i % 20) FROM n;
      """)
  }

  @Test(arguments: [
    (
      "SELECT city, total FROM orders JOIN customer ON customer_id = id WHERE state = ? ORDER BY total DESC",
      "SELECT customer.city, orders.total FROM orders JOIN customer ON orders.customer_id = customer.id "
        + "WHERE orders.state = ? ORDER BY orders.total DESC"
    ),
    // In several tables; and that of a result.
    (
      "SELECT name, total AS sum FROM orders, customer c WHERE name = ? ORDER BY sum, city",
      "SELECT name, orders.total AS sum FROM orders, customer c WHERE name = ? ORDER BY sum, c.city"
    ),
    // A column of an inner SELECT, and one of the SELECT around it.
    (
      "SELECT id FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = id AND total > ?)",
      "SELECT customer.id FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE "
        + "orders.customer_id = customer.id AND orders.total > ?)"
    ),
    // A clause that is not analyzed, a function, a collation, a table, a text and a number.
    (
      "SELECT count(total), lower(city) FROM customer, orders WHERE city COLLATE NOCASE = 'state' "
        + "GROUP BY state",
      "SELECT count(orders.total), lower(customer.city) FROM customer, orders WHERE "
        + "customer.city COLLATE NOCASE = 'state' GROUP BY state"
    ),
    (
      #"SELECT "left" FROM customer, "odd name" WHERE "left" = city AND [left] > 'a'"#,
      #"SELECT "odd name"."left" FROM customer, "odd name" WHERE "odd name"."left" = customer.city "#
        + #"AND "odd name".[left] > 'a'"#
    ),
    (
      "SELECT city FROM customer, openOrders WHERE state = ?",
      "SELECT customer.city FROM customer, openOrders WHERE openOrders.state = ?"
    ),
    (
      "WITH orders(kind) AS (SELECT 1) SELECT kind FROM orders, customer WHERE name = ?",
      "WITH orders(kind) AS (SELECT 1) SELECT kind FROM orders, customer WHERE customer.name = ?"
    ),
    // The columns of a subquery and of a common table are not known.
    (
      "SELECT state FROM customer, (SELECT 1 AS x) WHERE x = 2 AND city = 'a'",
      "SELECT state FROM customer, (SELECT 1 AS x) WHERE x = 2 AND customer.city = 'a'"
    ),
  ])
  func columnsHaveTheirTable(sql: String, qualified: String) throws {
    #expect(ColumnQualifier(connection).qualified(sql) == qualified)
    // As SQLite reads it: both have the same rows.
    let counts = ([sql, qualified].map { try? connection.prepare($0) })
    #expect((counts[0] == nil) == (counts[1] == nil))
  }

  @Test(arguments: [
    "SELECT id FROM customer WHERE city = ? ORDER BY name",
    "UPDATE orders SET state = ? WHERE total > ?",
    "SELECT o.total FROM orders o JOIN customer c ON o.customer_id = c.id WHERE o.state = ?", "",
    "PRAGMA x",
    "SELECT nothing FROM nowhere, elsewhere WHERE other = 3",
  ])
  func otherStatementsAreUnchanged(sql: String) {
    #expect(ColumnQualifier(connection).qualified(sql) == sql)
  }

  @Test(arguments: [
    (
      "SELECT city, total FROM orders JOIN customer ON customer_id = id WHERE state = ? AND city = ?",
      ["orders": ["customer_id", "state"]]
    ),
    (
      "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE state = ? AND total > ?)",
      ["orders": ["state", "total"]]
    ),
    (
      "SELECT count(*) FROM orders, customer WHERE customer_id = id AND city = ?",
      ["orders": ["customer_id"]]
    ),
  ])
  func theScannedTablesColumnsAreCompared(sql: String, columns: [String: [String]]) throws {
    let scans = try #require(PlanExplainer(connection).explain(sql).judgement?.suspects)
    #expect(!scans.isEmpty)
    for scan in scans {
      #expect(columns[scan.table ?? ""] == scan.comparedColumns, "\(scan)")
    }
  }

  @Test func valuesAreSampledForColumnsWithoutTheirTable() throws {
    let statement = WorkloadStatement(
      id: "1",
      sql:
        "SELECT city FROM orders JOIN customer ON customer_id = id WHERE state = ? AND total > ?",
      runs: 1, counted: CountedRuns(rows: 30))
    #expect(throws: Never.self) { try MeasuredStatement(statement, on: connection) }
  }
}
