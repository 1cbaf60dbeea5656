// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct ComparedExpressionTests {
  @Test(arguments: [
    ("SELECT * FROM customer WHERE lower(email)=lower(?)", "customer: lower(email)"),
    ("SELECT * FROM customer c WHERE lower(c.email) = ?", "customer: lower(email)"),
    ("SELECT * FROM customer WHERE email = ? COLLATE NOCASE", "customer: email COLLATE NOCASE"),
    ("SELECT * FROM customer WHERE email COLLATE NOCASE = ?", "customer: email COLLATE NOCASE"),
    ("SELECT * FROM event WHERE data->>'$.user' = ? AND kind = 3", "event: data ->> '$.user'"),
    (
      "SELECT * FROM event WHERE json_extract(data, '$.user') IN (?, ?)",
      "event: json_extract(data, '$.user')"
    ),
    ("SELECT * FROM t WHERE 10 < a + b", "t: a + b"),
    ("SELECT * FROM t WHERE (substr(a, 1, 7)) = '2026-01'", "t: substr(a, 1, 7)"),
    ("UPDATE t SET a = 1 WHERE abs(b) BETWEEN 1 AND 3", "t: abs(b)"),
    ("SELECT * FROM a JOIN b ON b.a = a.id WHERE upper(b.name) = 'X'", "b: upper(name)"),
  ])
  func comparisonsOfExpressionsAreFound(sql: String, expected: String) {
    #expect(ComparedExpression.all(in: sql).map { "\($0.table): \($0.text)" } == [expected])
  }

  @Test(arguments: [
    "SELECT * FROM t WHERE a = ?", "SELECT * FROM t WHERE a = b",
    "SELECT * FROM t WHERE lower(a) = b",
    "SELECT * FROM t WHERE lower(a) = lower(b)", "SELECT * FROM t WHERE my_function(a) = 1",
    "SELECT * FROM t WHERE random() = 1", "SELECT * FROM t WHERE a + ? = 3",
    "SELECT * FROM t WHERE lower(a) <> 'x'",
    "SELECT * FROM t WHERE lower(a) LIKE 'x%'", "SELECT * FROM a JOIN b WHERE lower(name) = 'x'",
    "SELECT * FROM t WHERE lower(a) IS NOT NULL", "SELECT * FROM t WHERE NOT (a = 1)", "",
  ])
  func whatNoIndexOnAnExpressionServesIsNotFound(sql: String) {
    #expect(ComparedExpression.all(in: sql) == [])
  }

  @Test func theIndexIsNamedAfterItsWords() {
    let expression = ComparedExpression.all(in: "SELECT * FROM \"my t\" WHERE data->>'$.user' = ?")
    #expect(
      expression.map { IndexCandidate($0).sql } == [
        "CREATE INDEX \"my t_data_user\" ON \"my t\" (data ->> '$.user')"
      ])
  }
}
