// SPDX-License-Identifier: Apache-2.0

/// A statement with pseudonyms for its literals and values.
///
///     SELECT * FROM book WHERE title LIKE 'Emma%' AND year > 1815 LIMIT 10  -- for Jane
///     SELECT * FROM book WHERE title LIKE 'aab.%' AND year > 4 LIMIT 10
struct PseudonymousStatement {
  private let statement: CapsuleStatement
  private let tokens: [SQLToken]
  /// The literals, by the position of their tokens.
  private var literals: [Int: Literal] = [:]
  private let tuple: [Literal]

  /// A value, or a pattern by the text before its first wildcard.
  private enum Literal {
    case value(BindValue)
    case pattern(String, wildcard: Character)

    var value: BindValue {
      switch self {
      case .value(let value): value
      case .pattern(let text, _): .text(text)
      }
    }
  }

  /// The values that need a pseudonym.
  var values: [BindValue] { literals.values.map(\.value) + tuple.map(\.value) }

  init(_ statement: CapsuleStatement) {
    self.statement = statement
    let tokens = SQLTokenizer.tokens(of: statement.sql)
    self.tokens = tokens
    let hasPatterns = tokens.contains { $0.isWord("LIKE") || $0.isWord("GLOB") }
    let positions = SQLValues.positions(in: tokens)
    for (index, token) in tokens.enumerated() where !Self.stays(index, tokens) {
      switch token.kind {
      case .number where positions.contains(index):
        literals[index] = BindValue(number: token.text).map {
          .value(Self.isNegative(index, tokens) ? $0.negated : $0)
        }
      case .text where token.text.first != "'": literals[index] = Self.blob(token)
      case .text:
        literals[index] = token.name.map { Self.literal(.text($0), hasPatterns) }
      // SQLite takes it for a text where no column has the name.
      case .quotedName where token.text.first == "\"":
        literals[index] = token.name.map { .value(.text($0)) }
      default: break
      }
    }
    let count = ParameterNumbering(statement.sql).count
    tuple = (statement.values.first { $0.count == count } ?? []).map {
      Self.literal($0, hasPatterns)
    }
  }

  func written(with pseudonyms: Pseudonyms) -> CapsuleV1.Statement {
    var sql = ""
    var end = statement.sql.startIndex
    for (index, token) in tokens.enumerated() {
      // Comments may contain values.
      if index > 0, end < token.range.lowerBound { sql += " " }
      end = token.range.upperBound
      guard let literal = literals[index] else {
        sql += token.text
        continue
      }
      let value = Self.text(literal, pseudonyms)
      switch (token.kind, value) {
      case (.quotedName, .text(let text)): sql += PlanExplainer.quoted(text)
      case (.quotedName, _): sql += "\"\""
      case (.number, .null): sql += "0"
      case (.number, _):
        sql += "\(Self.isNegative(index, tokens) ? value.negated : value)"
      default: sql += "\(value)"
      }
    }
    return CapsuleV1.Statement(
      sql: sql, values: tuple.map { "\(Self.text($0, pseudonyms))" }, work: statement.work)
  }

  private static func text(_ literal: Literal, _ pseudonyms: Pseudonyms) -> BindValue {
    guard case .pattern(_, let wildcard) = literal else { return pseudonyms.value(literal.value) }
    guard case .text(let start) = pseudonyms.value(literal.value) else { return .null }
    return .text(start.isEmpty ? "\(wildcard)a\(wildcard)" : "\(start)\(wildcard)")
  }

  private static func literal(_ value: BindValue, _ hasPatterns: Bool) -> Literal {
    guard hasPatterns, case .text(let text) = value,
      let wildcard = text.firstIndex(where: { "%_*?[".contains($0) })
    else { return .value(value) }
    return .pattern(
      String(text[..<wildcard]), wildcard: "%_".contains(text[wildcard]) ? "%" : "*")
  }

  private static func blob(_ token: SQLToken) -> Literal? {
    (try? BindValue(String(token.text))).map { .value($0) }
  }

  /// Whether a literal is part of the query: a number of rows, a column's number, the character of ESCAPE.
  private static func stays(_ index: Int, _ tokens: [SQLToken]) -> Bool {
    guard index > 0 else { return false }
    if tokens[index - 1].isWord("ESCAPE") { return true }
    guard tokens[index].kind == .number, tokens[index].text.utf8.count <= 6 else { return false }
    // `LIMIT 10, 5`, `ORDER BY 2 DESC, 3`.
    let clause = tokens[..<index].last { token in
      !(token.kind == .number || token.isSymbol(",") || token.isSymbol("-")
        || token.isWord("ASC") || token.isWord("DESC"))
    }
    return clause.map { ["LIMIT", "OFFSET", "BY"].contains(where: $0.isWord) } ?? false
  }

  private static func isNegative(_ index: Int, _ tokens: [SQLToken]) -> Bool {
    guard index > 1, tokens[index - 1].isSymbol("-") else { return false }
    let before = tokens[index - 2]
    return before.kind == .symbol && !before.isSymbol(")")
      || ["AND", "OR", "IN", "BETWEEN", "THEN", "ELSE", "SELECT", "WHERE"]
        .contains(where: before.isWord)
  }
}

extension BindValue {
  fileprivate var negated: BindValue {
    switch self {
    case .integer(let number): .integer(number == .min ? .max : -number)
    case .real(let number): .real(-number)
    default: self
    }
  }
}
