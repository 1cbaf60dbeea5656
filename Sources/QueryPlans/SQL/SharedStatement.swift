// SPDX-License-Identifier: Apache-2.0

/// A statement as it may leave a machine: its form, and a short name for it; no value of it.
///
///     SELECT b.title FROM book b JOIN author a ON a.id = b.author WHERE a.name = 'Ada'
///     SELECT b.title FROM book b JOIN author a ON a.id = b.author WHERE a.name = ?
///     SELECT book author
public struct SharedStatement: Hashable, Sendable {
  /// The form, see `SQLFingerprint`.
  public let text: String
  /// The statement with `?` for each of its values: it has the same form, and SQLite compiles it.
  ///
  ///     SELECT b.title FROM book b WHERE b.id IN (?, ?, ?) ORDER BY 1
  public let template: String
  /// The first word, such as `SELECT`; that after the common tables of WITH.
  public let operation: String
  /// The tables, each once, in their order.
  public let tables: [String]

  // 255 is the limit of OpenTelemetry's db.query.summary.
  private static let maxSummary = 255

  /// `SELECT book author`, at most 255 bytes, cut between words.
  public var summary: String {
    var summary = operation
    for table in tables where summary.utf8.count + 1 + table.utf8.count <= Self.maxSummary {
      summary += " " + table
    }
    return summary
  }

  public init(sql: String) {
    text = SQLFingerprint(sql: sql).description
    template = Self.template(of: sql)
    let tokens = SQLTokenizer.tokens(of: text)
    operation = Self.operation(in: tokens)
    tables = Self.tables(in: tokens)
  }

  /// The text as it is, but for values and comments.
  private static func template(of sql: String) -> String {
    let tokens = SQLTokenizer.tokens(of: sql)
    let values = SQLValues.positions(in: tokens)
    var template = ""
    var end = sql.startIndex
    for (index, token) in tokens.enumerated() {
      let gap = sql[end..<token.range.lowerBound]
      template += gap.allSatisfy(\.isWhitespace) ? gap : " "
      let isValue = values.contains(index) && !isOrdinal(index, in: tokens)
      template += isValue ? "?" : token.text
      end = token.range.upperBound
    }
    let rest = sql[end...]
    return rest.allSatisfy(\.isWhitespace) ? template + rest : template
  }

  /// Whether a number is a column of the result, as in ORDER BY 2: it is no value.
  private static func isOrdinal(_ index: Int, in tokens: [SQLToken]) -> Bool {
    guard tokens[index].kind == .number else { return false }
    let after = tokens.dropFirst(index + 1).first
    guard after.map({ $0.kind == .word || [",", ")", ";"].contains($0.text) }) ?? true else {
      return false
    }
    var position = index - 1
    guard position >= 0, tokens[position].isWord("BY") || tokens[position].isSymbol(",") else {
      return false
    }
    var depth = 0
    while position >= 0 {
      let token = tokens[position]
      if token.isSymbol(")") { depth += 1 }
      if token.isSymbol("(") { depth -= 1 }
      if depth < 0 || token.isWord("LIMIT") || token.isWord("SELECT") { return false }
      if depth == 0, token.isWord("BY") { return true }
      position -= 1
    }
    return false
  }

  private static let operations: Set = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES", "BEGIN", "COMMIT", "END",
    "ROLLBACK",
    "SAVEPOINT", "RELEASE", "CREATE", "DROP", "ALTER", "PRAGMA", "VACUUM", "ANALYZE", "REINDEX",
    "ATTACH", "DETACH", "EXPLAIN",
  ]

  /// Behind WITH, the first operation outside all parentheses.
  private static func operation(in tokens: [SQLToken]) -> String {
    guard tokens.first?.isWord("WITH") == true else {
      let word = tokens.first?.text.uppercased() ?? ""
      return operations.contains(word) ? word : "SQL"
    }
    var depth = 0
    for token in tokens {
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      let word = token.text.uppercased()
      if depth == 0, operations.contains(word) { return word }
    }
    return "WITH"
  }

  /// Names after FROM, JOIN, INTO, UPDATE and TABLE, and in a list of FROM.
  private static func tables(in tokens: [SQLToken]) -> [String] {
    var tables: [String] = []
    var depth = 0
    // The depth of parentheses at which a list of tables continues, if any.
    var list: Int?
    var isExpected = false
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") {
        depth += 1
        isExpected = isExpected && tokens[index...].dropFirst().first?.isWord("SELECT") != true
        continue
      }
      if token.isSymbol(")") { depth -= 1 }
      let word = token.kind == .word ? token.text.uppercased() : ""
      switch word {
      case "FROM", "JOIN", "INTO", "TABLE": (isExpected, list) = (true, depth)
      case "UPDATE": (isExpected, list) = (index == 0 || isExpected, nil)
      case "OR" where isExpected, "REPLACE" where isExpected, "IGNORE" where isExpected,
        "ABORT" where isExpected, "FAIL" where isExpected, "ROLLBACK" where isExpected,
        "IF" where isExpected, "NOT" where isExpected, "EXISTS" where isExpected:
        break
      case "WHERE", "GROUP", "ORDER", "LIMIT", "SET", "ON", "VALUES", "SELECT":
        (isExpected, list) = (false, nil)
      default:
        if token.isSymbol(","), list == depth { isExpected = true }
        guard isExpected, token.kind == .word || token.kind == .quotedName else { continue }
        // `main.book`: the name is after the dot.
        if tokens.dropFirst(index + 1).first?.isSymbol(".") == true { continue }
        let name = token.text.filter { !"\"`[]".contains($0) }
        if !tables.containsName(name), !name.isEmpty { tables.append(name) }
        isExpected = false
      }
    }
    return tables
  }
}
