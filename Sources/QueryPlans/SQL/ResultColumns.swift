// SPDX-License-Identifier: Apache-2.0

/// The columns that the rows of a statement hold, with the tables they are from.
public enum ResultColumns {
  public struct Column: Hashable, Sendable {
    public var table: String
    public var name: String
  }

  /// Reads the outer SELECT; computed columns are left out.
  ///
  ///     SELECT 0, t0.Z_PK, t0.ZBLOB FROM ZPHOTO t0      // ZPHOTO.Z_PK, ZPHOTO.ZBLOB
  ///     SELECT *, p.label AS l FROM photo p             // photo.label, and those that * stands for
  public static func all(
    in sql: String, columns: (String) -> [String] = { _ in [] }
  ) -> [Column] {
    let outline = StatementOutline(sql)
    guard let scope = outline.scopes.first(where: { $0.role == .statement }),
      let range = scope.columns
    else { return [] }
    let tokens = outline.tokens
    return range.split { tokens[$0].isSymbol(",") }.flatMap { positions -> [Column] in
      var words = Array(tokens[positions])
      if words.first?.isWord("DISTINCT") == true { words.removeFirst() }
      // The result's own name.
      if words.count > 2, words[words.count - 2].isWord("AS") { words.removeLast(2) }
      if words.count == 1, words[0].isSymbol("*") {
        return scope.sources.compactMap(\.table).flatMap { table in
          columns(table).map { Column(table: table, name: $0) }
        }
      }
      guard words.count == 3 ? words[1].isSymbol(".") : words.count == 1,
        let table = words.count == 3
          ? words[0].name.flatMap({ scope.source(named: $0) })?.table
          : scope.sources.count == 1 ? scope.sources[0].table : nil
      else { return [] }
      if words[words.count - 1].isSymbol("*") {
        return columns(table).map { Column(table: table, name: $0) }
      }
      return words[words.count - 1].name.map { [Column(table: table, name: $0)] } ?? []
    }
  }
}
