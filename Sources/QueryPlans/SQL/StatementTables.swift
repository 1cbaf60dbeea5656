// SPDX-License-Identifier: Apache-2.0

/// The tables that a statement names.
public enum StatementTables {
  /// The table that is written first, then those that are read, outermost SELECT first; each once.
  ///
  ///     INSERT INTO a SELECT b.x FROM b JOIN c USING (y)
  ///     // a, b, c
  public static func all(in sql: String) -> [String] {
    let outline = StatementOutline(sql)
    let read = outline.scopes.flatMap(\.sources).compactMap(\.table)
      .filter { !outline.isCommonTable($0) }
    var known: Set<String> = []
    return ((WrittenTable(sql: sql).map { [$0.table] } ?? []) + read).filter {
      known.insert($0.lowercased()).inserted
    }
  }
}
