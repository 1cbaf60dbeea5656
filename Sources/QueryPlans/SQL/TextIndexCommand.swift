// SPDX-License-Identifier: Apache-2.0

/// A command of a full-text table that reads or writes its whole index.
///
///     INSERT INTO doc(doc) VALUES('rebuild')      -- doc, rebuild
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#special_insert_commands>
public struct TextIndexCommand: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case rebuild, optimize
    case integrityCheck = "integrity-check"
  }

  public var table: String
  public var kind: Kind

  /// Returns nil for other statements, and for a command that is bound as a value.
  public init?(sql: String) {
    // INSERT OR REPLACE INTO main.doc(doc) VALUES('rebuild');
    let tokens = SQLTokenizer.tokens(of: sql, max: 16)
    guard let table = WrittenTable(sql: sql), table.kind == .insert,
      let open = tokens.firstIndex(where: { $0.isSymbol("(") }), open + 6 < tokens.count,
      tokens[open + 1].name?.lowercased() == table.table.lowercased(),
      tokens[open + 2].isSymbol(")"), tokens[open + 3].isWord("VALUES"),
      tokens[open + 4].isSymbol("("), tokens[open + 6].isSymbol(")"),
      let kind = Kind(
        rawValue: tokens[open + 5].text.lowercased().filter { $0.isLetter || $0 == "-" })
    else { return nil }
    (self.table, self.kind) = (table.table, kind)
  }
}
