// SPDX-License-Identifier: Apache-2.0

/// A statement as it may leave a machine: its form, and a short name for it; no value of it.
///
///     SELECT b.title FROM book b JOIN author a ON a.id = b.author WHERE a.name = 'Ada'
///     SELECT b.title FROM book b JOIN author a ON a.id = b.author WHERE a.name = ?
///     SELECT book author
public struct SharedStatement: Hashable, Sendable {
  /// The form, see `SQLFingerprint`, without any number but Core Data's `SELECT 0` and `SELECT 1`.
  ///
  /// A text in double quotes where SQLite may take it for a value is `?`.
  public let text: String
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

  /// Reads a statement.
  public init(sql: String) {
    let form = SQLFingerprint(sql: sql, keepsNumbers: false).description
    let tokens = SQLTokenizer.tokens(of: form)
    operation = Self.operation(in: tokens)
    tables = Self.tables(in: tokens)
    text = Self.withoutQuotedValues(form, tokens)
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

  private static let comparisons: Set = [
    "=", "==", "<>", "!=", "<", ">", "<=", ">=", "||", "LIKE", "GLOB", "MATCH", "REGEXP", "BETWEEN",
    "IS", "THEN", "ELSE",
  ]

  /// SQLite parses `"x"` as a string if there is no column x.
  private static func withoutQuotedValues(_ text: String, _ tokens: [SQLToken]) -> String {
    guard tokens.contains(where: { $0.kind == .quotedName && $0.text.hasPrefix("\"") }) else {
      return text
    }
    var words: [String] = []
    var lists: [Bool] = []
    for (index, token) in tokens.enumerated() {
      let previous = index > 0 ? tokens[index - 1] : nil
      if token.isSymbol("(") {
        lists.append(
          previous?.isWord("IN") == true || previous?.isWord("VALUES") == true
            || (previous?.isSymbol(",") == true && lists.isEmpty && words.contains("VALUES")))
      }
      if token.isSymbol(")") { _ = lists.popLast() }
      let isQuoted = token.kind == .quotedName && token.text.hasPrefix("\"")
      let isName = tokens.dropFirst(index + 1).first?.isSymbol(".") == true
      let isBehindComparison =
        previous.map { comparisons.contains($0.text.uppercased()) } ?? false
      words.append(
        isQuoted && !isName && (isBehindComparison || lists.last == true)
          ? "?" : String(token.text))
    }
    return words.joined(separator: " ")
  }
}
