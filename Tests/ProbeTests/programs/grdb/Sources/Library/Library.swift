// SPDX-License-Identifier: Apache-2.0

public import GRDB

/// Authors and their books, by GRDB.
public struct Library {
  public let queue: DatabaseQueue

  /// - Parameter prepare: called with the connection once GRDB has opened it.
  public init(prepare: @escaping @Sendable (Database) throws -> Void = { _ in }) throws {
    var configuration = Configuration()
    configuration.prepareDatabase(prepare)
    queue = try DatabaseQueue(configuration: configuration)
    try queue.write { database in
      // By SQL: GRDB's own way to make tables reads the schema, which its trace does not count in rows.
      try database.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL);
          CREATE INDEX book_authorId ON book (authorId);
          """)
      for number in 1...20 {
        try database.execute(
          sql: "INSERT INTO author(name) VALUES (?)", arguments: ["author \(number)"])
        try database.execute(
          sql: "INSERT INTO book(authorId, title) VALUES (?, 'a'), (?, 'b')",
          arguments: [number, number])
      }
    }
  }

  /// The titles of each author: a statement for each.
  public func titlesOneByOne() throws -> [[String]] {
    try queue.read { database in
      try Int64.fetchAll(database, sql: "SELECT id FROM author").map { author in
        try String.fetchAll(
          database, sql: "SELECT title FROM book WHERE authorId = ?", arguments: [author])
      }
    }
  }

  /// The titles of each author, by one statement.
  public func titles() throws -> [[String]] {
    let rows = try queue.read { database in
      try Row.fetchAll(database, sql: "SELECT authorId, title FROM book ORDER BY authorId, id")
    }
    return Dictionary(grouping: rows) { $0[0] as Int64 }.sorted { $0.key < $1.key }
      .map { $0.value.map { $0["title"] } }
  }
}
