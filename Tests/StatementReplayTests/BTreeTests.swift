// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import StatementReplay

/// The b-trees that a statement opens.
@Suite struct BTreeTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, price INTEGER);
      CREATE INDEX book_title ON book(title); CREATE INDEX book_price ON book(price);
      CREATE TABLE shelf(x); CREATE TABLE log(x);
      CREATE TRIGGER logged AFTER INSERT ON shelf BEGIN INSERT INTO log VALUES (new.x); END;
      """)
  }

  @Test(
    arguments: [
      ("UPDATE book SET price = price + 1", 2, ["book"]),
      ("UPDATE book SET id = id + 1, title = 1, price = 2", 3, ["book"]),
      (
        "-- a comment\nINSERT INTO shelf SELECT title FROM book NOT INDEXED;", 3,
        ["book", "log", "shelf"]
      ),
      ("CREATE INDEX book_both ON book(title, price)", 3, ["book"]), ("BEGIN", 0, []),
    ] as [(String, Int, [String])])
  func thoseOfTheStatementAndOfItsTriggers(sql: String, count: Int, tables: [String]) throws {
    let trees = try BTree.opened(by: sql, on: connection)
    #expect(trees.count == count, "\(trees)")
    #expect(try Set(trees.flatMap { try $0.table(on: connection) }).sorted() == tables)
  }

  @Test func sizesOfTheCacheAreInPages() throws {
    try connection.execute("PRAGMA cache_size = 77")
    #expect(try connection.cachePages == 77)
    try connection.execute("PRAGMA cache_size = -2000")
    #expect(try connection.cachePages == 500)
  }
}
