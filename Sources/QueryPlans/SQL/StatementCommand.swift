// SPDX-License-Identifier: Apache-2.0

/// The first word of a statement, which names what it does.
public enum StatementCommand {
  /// The word behind spaces and comments, in upper case; empty without one.
  ///
  ///     StatementCommand.name(of: "-- name: Add :exec\ninsert into t values (1)")   // INSERT
  public static func name(of sql: String) -> String {
    if let first = sql.utf8.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7a {
      return sql.prefix(while: \.isLetter).uppercased()
    }
    guard let token = SQLTokenizer.firstToken(of: sql), token.kind == .word else { return "" }
    return token.text.uppercased()
  }

  /// Whether it begins, ends or marks a transaction: such a statement reads nothing.
  public static func isTransactionControl(_ sql: String) -> Bool {
    ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains(name(of: sql))
  }
}
