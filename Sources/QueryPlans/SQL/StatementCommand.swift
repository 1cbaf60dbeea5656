// SPDX-License-Identifier: Apache-2.0

/// The first words of a statement, which name its action.
public enum StatementCommand {
  /// The word behind spaces and comments, in upper case; empty without one.
  ///
  ///     StatementCommand.name(of: "-- name: Add :exec\ninsert into t values (1)")   // INSERT
  public static func name(of sql: String) -> String {
    let letters = sql.utf8.prefix { 0x61...0x7a ~= $0 | 0x20 }
    guard letters.isEmpty else {
      return String(unsafeUninitializedCapacity: letters.count) { upper in
        for (index, letter) in letters.enumerated() { upper[index] = letter & 0xdf }
        return letters.count
      }
    }
    guard let token = SQLTokenizer.tokens(of: sql, max: 1).first, token.kind == .word else {
      return ""
    }
    return token.text.uppercased()
  }

  /// Whether it begins with a word, in upper case.
  static func isNamed(_ name: String, _ sql: String) -> Bool {
    // Most statements differ in the first letter.
    if let first = sql.utf8.first.map({ $0 & 0xdf }), 0x41...0x5a ~= first {
      guard first == name.utf8.first else { return false }
    }
    return self.name(of: sql) == name
  }

  /// Whether it begins, ends or marks a transaction: such a statement reads nothing.
  public static func isTransactionControl(_ sql: String) -> Bool {
    switch name(of: sql) {
    case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE": true
    default: false
    }
  }

  public static func commits(_ sql: String) -> Bool { ["COMMIT", "END"].contains(name(of: sql)) }

  /// Whether it deletes all rows of a table.
  ///
  ///     StatementCommand.emptiesTable("DELETE FROM main.a;")   // true
  public static func emptiesTable(_ sql: String) -> Bool {
    guard isNamed("DELETE", sql) else { return false }
    var words = SQLTokenizer.tokens(of: sql, max: 7).dropFirst()[...]
    if words.last?.isSymbol(";") == true { words.removeLast() }
    guard words.popFirst()?.isWord("FROM") == true else { return false }
    return words.count == 1 || words.count == 3 && words.dropFirst().first?.isSymbol(".") == true
  }

  public static func releases(_ sql: String) -> Bool { isNamed("RELEASE", sql) }

  /// Whether it reads or writes rows of the program: not DDL, a PRAGMA, a look-up of the schema, or the start of a
  /// transaction.
  ///
  /// COMMIT and RELEASE are included, because each may wait for the disk.
  public static func isOwnWork(_ sql: String) -> Bool {
    let others: Set = [
      "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CREATE", "DETACH", "DROP", "EXPLAIN", "PRAGMA",
      "REINDEX", "ROLLBACK",
      "SAVEPOINT", "VACUUM",
    ]
    guard !others.contains(name(of: sql)) else { return false }
    return !StatementOutline(sql).readsSchemaAlone
  }

  /// Whether one of its tables is SQLite's own table of the schema.
  public static func readsSchema(_ sql: String) -> Bool {
    !StatementClauses(sql: sql).tables.isDisjoint(with: schemaTables)
  }

  /// Whether the rows of tables alone decide the result of a SELECT: it has no parameters, and nothing that SQLite
  /// changes by itself.
  public static func isConstant(_ sql: String) -> Bool {
    let changing: Set = [
      "random", "randomblob", "changes", "total_changes", "last_insert_rowid", "current_date",
      "current_time", "current_timestamp", "unixepoch", "'now'",
    ]
    return ["SELECT", "WITH"].contains(name(of: sql)) && !StatementClauses(sql: sql).tables.isEmpty
      && !SQLTokenizer.tokens(of: sql).contains {
        $0.kind == .parameter || changing.contains($0.text.lowercased())
      }
  }

  static let schemaTables: Set = [
    "sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema",
  ]

  public static func beginsExclusively(_ sql: String) -> Bool {
    let tokens = SQLTokenizer.tokens(of: sql, max: 2)
    return tokens.count == 2 && tokens[0].isWord("BEGIN") && tokens[1].isWord("EXCLUSIVE")
  }

  /// The name of a PRAGMA without its schema, in lower case; nil for other statements.
  ///
  ///     StatementCommand.pragma(of: "PRAGMA main.wal_checkpoint(TRUNCATE)")   // wal_checkpoint
  public static func pragma(of sql: String) -> String? {
    guard isNamed("PRAGMA", sql) else { return nil }
    let tokens = SQLTokenizer.tokens(of: sql, max: 4)
    let isQualified = tokens.count == 4 && tokens[2].isSymbol(".")
    return tokens.dropFirst(isQualified ? 3 : 1).first?.name?.lowercased()
  }

  /// The text that a statement such as `SELECT 'text'` begins with; nil for other statements.
  public static func selectedText(of sql: String) -> String? {
    guard isNamed("SELECT", sql) else { return nil }
    let tokens = SQLTokenizer.tokens(of: sql, max: 2)
    return tokens.count == 2 && tokens[1].kind == .text ? tokens[1].name : nil
  }
}

/// Reads `ATTACH DATABASE 'path' AS name`.
public enum AttachedDatabase {
  /// - Returns: nil for another statement, and for a path that is bound.
  public static func parse(_ sql: String) -> (path: String, name: String)? {
    var tokens = SQLTokenizer.tokens(of: sql)[...]
    guard tokens.popFirst()?.isWord("ATTACH") == true else { return nil }
    if tokens.first?.isWord("DATABASE") == true { tokens = tokens.dropFirst() }
    guard tokens.count >= 3, let first = tokens.first,
      first.kind == .text || first.kind == .quotedName,
      let path = first.name, tokens.dropFirst().first?.isWord("AS") == true,
      let name = tokens.dropFirst(2).first?.name
    else { return nil }
    return (path, name)
  }
}
