// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import QueryPlans

/// Statements of two versions of a program.
@Suite struct StatementShapeTests {
  @Test(arguments: [
    [
      "SELECT id, title FROM book WHERE id = ?", "select title, id, isbn from book where id = :id;",
    ],
    [
      "SELECT T0.\"id\", T1.name FROM book T0 INNER JOIN author AS T1 ON (T1.id = T0.author)",
      "SELECT b.id, b.isbn, a.name FROM book b INNER JOIN author a ON (a.id = b.author)",
    ],
    [
      "INSERT INTO book(id, title) VALUES (?)",
      "INSERT INTO \"book\" (\"id\", \"isbn\", \"title\") VALUES (?)",
    ],
    ["UPDATE book SET title = ? WHERE id = ?", "UPDATE book SET title = ?, isbn = ? WHERE id = ?"],
    [
      "SELECT id FROM book WHERE author IN (SELECT U0.id FROM author U0)",
      "SELECT id FROM book WHERE author IN (SELECT V1.id FROM author V1)",
    ],
    [
      "INSERT INTO book(id) VALUES (?) RETURNING id",
      "INSERT INTO book(id, isbn) VALUES (?) RETURNING id, isbn",
    ],
  ])
  func aColumnMoreAndOtherAliasesAreTheSameShape(_ texts: [String]) {
    #expect(StatementShape(sql: texts[0]).description == StatementShape(sql: texts[1]).description)
  }

  @Test(arguments: [
    ["SELECT id FROM book", "SELECT id FROM author"],
    ["SELECT id FROM book WHERE id = ?", "SELECT id FROM book WHERE title = ?"],
    ["SELECT COUNT(*) FROM book", "SELECT id FROM book"],
    ["SELECT id FROM book LIMIT ?", "SELECT id FROM book"],
    ["SELECT id FROM book ORDER BY id", "SELECT id FROM book ORDER BY title"],
    [
      "SELECT a.id FROM book a JOIN book b ON b.id = a.id WHERE a.id = ?",
      "SELECT a.id FROM book a JOIN book b ON b.id = a.id WHERE b.id = ?",
    ],
    ["DELETE FROM book WHERE id = ?", "SELECT id FROM book WHERE id = ?"],
  ])
  func otherTermsTablesAndClausesAreAnotherShape(_ texts: [String]) {
    #expect(StatementShape(sql: texts[0]).description != StatementShape(sql: texts[1]).description)
  }

  @Test func columnsAreCounted() {
    #expect(StatementShape(sql: "SELECT a, b, COUNT(*) FROM t GROUP BY a, b").columns == 2)
    #expect(StatementShape(sql: "INSERT INTO t(a, b, c) VALUES (?)").columns == 3)
    #expect(StatementShape(sql: "UPDATE t SET a = ?, b = ? WHERE c = ?").columns == 2)
  }

  @Test(arguments: ["", "SELECT", "INSERT INTO t(", "UPDATE t SET", "SELECT (", "RETURNING", ")(;"])
  func brokenTextIsRead(_ sql: String) { _ = StatementShape(sql: sql) }
}
