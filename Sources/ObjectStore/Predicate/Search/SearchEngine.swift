// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Synchronization

/// FTS5 over a table in memory: it checks queries, and searches objects that are not saved.
///
/// Both are done by the tokenizer and the parser that search the file, so that memory and file agree.
final class SearchEngine: Sendable {
  private let connection: Mutex<Connection>
  private let insert: String
  private static let select = "SELECT 1 FROM search WHERE search MATCH ?"

  private struct Layout: Hashable {
    let columns: [String]
    let tokenizer: SearchTokenizer
  }

  // One for each different index of the process.
  private static let engines = Mutex<[Layout: SearchEngine]>([:])

  /// The engine of an index, made at its first use.
  static func engine(of index: SearchIndexDescription) throws(SQLiteError) -> SearchEngine {
    let layout = Layout(columns: index.columns, tokenizer: index.tokenizer)
    if let known = engines.withLock({ $0[layout] }) { return known }
    let engine = try SearchEngine(layout)
    return engines.withLock { engines in
      let first = engines[layout] ?? engine
      engines[layout] = first
      return first
    }
  }

  private init(_ layout: Layout) throws(SQLiteError) {
    let connection = try Connection(path: ":memory:")
    let columns = layout.columns.joined(separator: ", ")
    try connection.execute(
      "CREATE VIRTUAL TABLE search USING fts5(\(columns), tokenize='\(layout.tokenizer.rawValue)')")
    let placeholders = Array(repeating: "?", count: layout.columns.count).joined(separator: ", ")
    insert = "INSERT INTO search(\(columns)) VALUES (\(placeholders))"
    self.connection = Mutex(connection)
  }

  /// - Throws: `SQLiteError` if the text is not a query.
  func check(_ query: String) throws(SQLiteError) {
    try connection.withLock { connection throws(SQLiteError) in
      _ = try Self.finds(query, connection)
    }
  }

  /// Whether an object with these texts is found.
  func matches(_ texts: [String?], _ query: String) throws(SQLiteError) -> Bool {
    try connection.withLock { connection throws(SQLiteError) in
      try connection.execute("BEGIN")
      // The table is empty afterwards.
      defer { try? connection.execute("ROLLBACK") }
      let row = try connection.cachedStatement(insert)
      defer { connection.recycle(row) }
      for (index, text) in texts.enumerated() {
        if let text { row.bind(text, at: Int32(index + 1)) }
      }
      try row.run()
      return try Self.finds(query, connection)
    }
  }

  private static func finds(
    _ query: String, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let statement = try connection.cachedStatement(select)
    defer { connection.recycle(statement) }
    statement.bind(query, at: 1)
    return try statement.step()
  }
}
