// SPDX-License-Identifier: Apache-2.0

extension WrittenTable {
  /// The statement for a part of the rows: `UPDATE t SET a = 1 WHERE rowid BETWEEN :first AND :last`.
  ///
  /// - Returns: nil where a clause follows its WHERE, or where another table is joined.
  public func batched(_ sql: String) -> String? {
    let tokens = SQLTokenizer.tokens(of: sql).filter { !$0.isSymbol(";") }
    guard let last = tokens.last,
      tokens.firstOuter(["FROM", "RETURNING", "ORDER", "LIMIT"], from: kind == .delete ? 2 : 0)
        == nil
    else { return nil }
    let range = "rowid BETWEEN :first AND :last"
    guard let place = tokens.firstOuter(["WHERE"]) else {
      // SQLite empties a table without reading its rows.
      guard kind == .update else { return nil }
      return "\(sql[..<last.range.upperBound]) WHERE \(range)"
    }
    let condition = tokens[place + 1].range.lowerBound..<last.range.upperBound
    return "\(sql[..<condition.lowerBound])\(range) AND (\(sql[condition]))"
  }
}
