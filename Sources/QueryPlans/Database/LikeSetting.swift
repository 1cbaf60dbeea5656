// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// `PRAGMA case_sensitive_like`, which decides whether an index of plain text serves LIKE.
///
/// No call of SQLite returns it: it replaces a function of the connection.
public enum LikeSetting {
  /// The value of a statement that sets it; nil for other statements.
  ///
  ///     PRAGMA case_sensitive_like = ON
  ///     PRAGMA main.case_sensitive_like(1)
  public static func value(in sql: String) -> Bool? {
    guard StatementCommand.name(of: sql) == "PRAGMA" else { return nil }
    let words = SQLTokenizer.tokens(of: sql).map { $0.text.lowercased() }
    guard words.first == "pragma", let name = words.firstIndex(of: "case_sensitive_like"),
      name + 2 < words.count
    else { return nil }
    return ["1", "on", "true", "yes"].contains(
      words[name + 2].filter { $0.isLetter || $0.isNumber })
  }
}

extension Connection {
  func setCaseSensitiveLike() { try? execute("PRAGMA case_sensitive_like = ON") }

  /// Takes over the setting of another connection.
  func copyLikeSetting(of source: Connection) {
    if (try? source.texts("SELECT 'a' LIKE 'A'")) == ["0"] { setCaseSensitiveLike() }
  }
}
