// SPDX-License-Identifier: Apache-2.0

/// SQL with its clauses on lines of their own.
///
///     SELECT 0, t0.Z_PK
///     FROM ZSTOP t0
///     WHERE ( t0.ZNAME = ?)
///     LIMIT 100
enum SQLLayout {
  static func lines(of sql: String) -> [String] {
    var lines: [String] = []
    var start = sql.startIndex
    var scanner = SQLLayoutScanner(sql)
    while let clause = scanner.nextClause() {
      lines.append(String(sql[start..<clause]))
      start = clause
    }
    lines.append(String(sql[start...]))
    return lines.filter { $0.contains { !$0.isWhitespace } }
  }
}

/// Finds the keywords that stand outside parentheses and quotes.
private struct SQLLayoutScanner {
  private static let clauses = [
    "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "UNION",
  ]
  private let sql: String
  private var index: String.Index
  private var level = 0

  init(_ sql: String) {
    self.sql = sql
    index = sql.startIndex
  }

  mutating func nextClause() -> String.Index? {
    while index < sql.endIndex {
      let character = sql[index]
      let here = index
      index = sql.index(after: index)
      switch character {
      case "(": level += 1
      case ")": level -= 1
      case "'", "\"", "`":
        index = sql[index...].firstIndex(of: character).map(sql.index(after:)) ?? sql.endIndex
      case " ", "\n", "\t":
        let rest = sql[index...]
        if level == 0, Self.clauses.contains(where: { rest.hasPrefix($0 + " ") }) { return here }
      default: break
      }
    }
    return nil
  }
}
