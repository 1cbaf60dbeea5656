// SPDX-License-Identifier: Apache-2.0

/// The columns that the rows of a statement hold, with the tables they are from.
public enum ResultColumns {
  public struct Column: Hashable, Sendable {
    public var table: String
    public var name: String
  }

  /// Reads the outer SELECT; what is computed is left out.
  ///
  ///     SELECT 0, t0.Z_PK, t0.ZBLOB FROM ZPHOTO t0      // ZPHOTO.Z_PK, ZPHOTO.ZBLOB
  public static func all(in sql: String) -> [Column] {
    let outline = StatementOutline(sql)
    guard let scope = outline.scopes.first(where: { $0.role == .statement }),
      let range = scope.columns
    else { return [] }
    let tokens = outline.tokens
    return range.split { tokens[$0].isSymbol(",") }.compactMap { places -> Column? in
      guard places.count == 3, let first = places.first, tokens[first + 1].isSymbol("."),
        let alias = tokens[first].name, let name = tokens[first + 2].name,
        let table = scope.source(named: alias)?.table
      else { return nil }
      return Column(table: table, name: name)
    }
  }
}
