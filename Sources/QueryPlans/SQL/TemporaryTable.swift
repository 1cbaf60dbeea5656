// SPDX-License-Identifier: Apache-2.0

/// The tables of the schema `temp`, which are those of one connection, by the texts of statements.
///
///     CREATE TEMP TABLE chosen(id)      -- creates chosen
///     INSERT INTO temp.chosen …         -- writes a temporary table
///     INSERT INTO chosen …              -- writes one if the connection has created it
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_createtable.html>
public enum TemporaryTable {
  /// The name of the temporary table that a statement creates, in lower case; nil for other statements.
  public static func created(by sql: String) -> String? {
    guard StatementCommand.isNamed("CREATE", sql) else { return nil }
    let words = Words(sql)
    guard words.skip("CREATE") else { return nil }
    let isTemporary = words.skip("TEMP") || words.skip("TEMPORARY")
    guard words.skip("TABLE") else { return nil }
    if words.skip("IF") { _ = words.skip("NOT") && words.skip("EXISTS") }
    guard let (schema, table) = words.name() else { return nil }
    return isTemporary || schema == "temp" ? table : nil
  }

  /// The statements of a program that create its temporary tables and their indexes, without rows.
  ///
  /// A text of several statements is none: the other ones may do anything.
  public static func creations(in statements: [String]) -> [String] {
    let tables = Set(statements.compactMap(created))
    guard !tables.isEmpty else { return [] }
    let indexes = statements.filter { sql in
      let words = Words(sql)
      guard words.skip("CREATE") else { return false }
      _ = words.skip("UNIQUE")
      guard words.skip("INDEX") else { return false }
      if words.skip("IF") { _ = words.skip("NOT") && words.skip("EXISTS") }
      guard words.name() != nil, words.skip("ON"), let table = words.name()?.table else {
        return false
      }
      return tables.contains(table)
    }
    let creations = statements.filter { created(by: $0) != nil }.map(withoutRows) + indexes
    return creations.filter {
      !SQLTokenizer.tokens(of: $0).dropLast().contains { $0.isSymbol(";") }
    }
  }

  /// `CREATE TEMP TABLE t AS SELECT …` with the columns of the SELECT alone.
  private static func withoutRows(_ sql: String) -> String {
    let tokens = SQLTokenizer.tokens(of: sql)
    guard let position = tokens.firstOuter(["AS"], from: 0), position + 1 < tokens.count,
      ["SELECT", "WITH", "VALUES"].contains(where: tokens[position + 1].isWord)
    else { return sql }
    let start = tokens[position + 1].range.lowerBound
    let rows = sql[start...].split(separator: ";", omittingEmptySubsequences: false)[0]
    return "\(sql[..<start])SELECT * FROM (\(rows)) LIMIT 0"
  }

  /// The table that a statement drops, in lower case; nil for other statements.
  public static func dropped(by sql: String) -> String? {
    guard StatementCommand.isNamed("DROP", sql) else { return nil }
    let words = Words(sql)
    guard words.skip("DROP"), words.skip("TABLE") else { return nil }
    if words.skip("IF") { _ = words.skip("EXISTS") }
    return words.name()?.table
  }

  /// Whether an INSERT, UPDATE or DELETE writes a temporary table.
  ///
  /// - Parameter tables: the names of those of its connection, in lower case.
  public static func isWritten(by sql: String, of tables: Set<String>) -> Bool {
    guard let write = WrittenTable(sql: sql) else { return false }
    return write.schema.map { $0.lowercased() == "temp" }
      ?? tables.contains(write.table.lowercased())
  }
}

/// The first words of a statement, one after the other.
private final class Words {
  private let tokens: [SQLToken]
  private var position = 0

  // CREATE UNIQUE INDEX IF NOT EXISTS temp.i ON t: each name is behind fewer words.
  init(_ sql: String) { tokens = SQLTokenizer.tokens(of: sql, max: 12) }

  /// Whether a word is the first one, which is then read.
  func skip(_ word: String) -> Bool {
    guard position < tokens.count, tokens[position].isWord(word) else { return false }
    position += 1
    return true
  }

  /// Reads `t` or `s.t`, in lower case.
  func name() -> (schema: String?, table: String)? {
    guard position < tokens.count, let first = tokens[position].name?.lowercased() else {
      return nil
    }
    position += 1
    guard position + 1 < tokens.count, tokens[position].isSymbol("."),
      let second = tokens[position + 1].name?.lowercased()
    else { return (nil, first) }
    position += 2
    return (first, second)
  }
}
