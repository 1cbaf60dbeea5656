// SPDX-License-Identifier: Apache-2.0

/// An expression of columns that a SELECT compares with values: an index on the expression finds the rows,
/// one on its columns does not.
///
///     SELECT … FROM customer c WHERE lower(c.email) = lower(?)     // customer: lower(email)
///     SELECT … FROM customer WHERE email = ? COLLATE NOCASE        // customer: email COLLATE NOCASE
///
/// See <https://www.sqlite.org/expridx.html>.
public struct ComparedExpression: Hashable, Sendable {
  public var table: String
  /// Without the table's alias, one space between words.
  public var text: String
  public var columns: [String]
  /// Whether the comparison specifies a collation.
  public var hasCollation: Bool {
    SQLTokenizer.tokens(of: text).contains { $0.isWord("COLLATE") }
  }

  public func calls(_ function: String) -> Bool {
    let tokens = SQLTokenizer.tokens(of: text)
    return zip(tokens, tokens.dropFirst()).contains {
      $0.name?.lowercased() == function.lowercased() && $1.isSymbol("(")
    }
  }

  /// Reads the tables of all SELECTs of a statement, outermost first.
  ///
  /// - Parameter programFunctions: functions that the program makes, which an index may call as well if
  ///   they are deterministic.
  public static func all(
    in sql: String, programFunctions: [String] = []
  ) -> [ComparedExpression] {
    let outline = StatementOutline(sql)
    let functions = functions.union(programFunctions.map { $0.lowercased() })
    var seen: Set<ComparedExpression> = []
    return outline.scopes.flatMap { all(in: $0, outline, functions) }
      .filter { seen.insert($0).inserted }
  }

  /// Reads the tables of one SELECT.
  static func all(
    in scope: SelectScope, _ outline: StatementOutline, _ functions: Set<String> = functions
  ) -> [ComparedExpression] {
    scope.conditions.flatMap { TermTree($0, of: outline.tokens).terms }
      .flatMap { all(in: $0, scope, outline.tokens, functions) }
  }

  private static func all(
    in term: Range<Int>, _ scope: SelectScope, _ tokens: [SQLToken], _ functions: Set<String>
  ) -> [ComparedExpression] {
    let term = TermTree.unwrapped(term, tokens)
    guard let position = operatorPosition(in: term, tokens) else { return [] }
    let sides = [term.lowerBound..<position, position + 1..<term.upperBound]
    let isList = tokens[position].isWord("IN") || tokens[position].isWord("BETWEEN")
    return zip(sides, sides.reversed()).prefix(isList ? 1 : 2).compactMap { side, value in
      // A value of another table's row is known where that table is read first.
      guard !names(in: value, tokens).contains(where: { $0.qualifier == nil }) else { return nil }
      return ComparedExpression(side, comparedWith: value, scope, tokens, functions)
    }
  }

  private init?(
    _ side: Range<Int>, comparedWith value: Range<Int>, _ scope: SelectScope, _ tokens: [SQLToken],
    _ functions: Set<String>
  ) {
    let side = TermTree.unwrapped(side, tokens)
    let names = Self.names(in: side, tokens)
    // `+a` is written to use no index.
    guard !names.isEmpty, !tokens[side.lowerBound].isSymbol("+"),
      let table = Self.table(of: names, scope), Self.isIndexable(side, tokens, functions)
    else { return nil }
    self.table = table
    columns = names.map(\.column)
    text = Self.text(side, tokens)
    // A column alone belongs to `ComparedColumns`, unless it is compared with another collation.
    guard names.count == 1, side.count == (names[0].qualifier == nil ? 1 : 3) else { return }
    guard let collation = Self.collation(at: value, tokens) else { return nil }
    text += " COLLATE \(collation)"
  }

  // MARK: - Reading

  private static func operatorPosition(in term: Range<Int>, _ tokens: [SQLToken]) -> Int? {
    var level = 0
    for index in term {
      if tokens[index].isSymbol("(") || tokens[index].isWord("CASE") { level += 1 }
      if tokens[index].isSymbol(")") || tokens[index].isWord("END") { level -= 1 }
      guard level == 0, let kind = ColumnComparison.Kind(tokens[index]) else { continue }
      return kind == .pattern || kind == .other || tokens[index].isWord("IS") ? nil : index
    }
    return nil
  }

  struct Name {
    var qualifier: String?
    var column: String
  }

  /// The columns among the tokens: names that are neither functions nor keywords.
  static func names(in range: Range<Int>, _ tokens: [SQLToken]) -> [Name] {
    range.compactMap { index in
      let token = tokens[index]
      guard token.kind == .word || token.kind == .quotedName, let name = token.name,
        index + 1 == tokens.count || !tokens[index + 1].isSymbol("(")
      else { return nil }
      if token.kind == .word, keywords.contains(name.uppercased()) { return nil }
      if index > range.lowerBound,
        tokens[index - 1].isWord("COLLATE") || tokens[index - 1].isWord("AS")
      {
        return nil
      }
      if index + 1 < range.upperBound, tokens[index + 1].isSymbol(".") { return nil }
      let isQualified = index >= range.lowerBound + 2 && tokens[index - 1].isSymbol(".")
      return Name(qualifier: isQualified ? tokens[index - 2].name : nil, column: name)
    }
  }

  /// The one table that has these columns.
  static func table(of names: [Name], _ scope: SelectScope) -> String? {
    let sources = Set(
      names.map { name in
        name.qualifier.map { scope.source(named: $0) }
          ?? (scope.sources.count == 1 ? scope.sources[0] : nil)
      })
    guard sources.count == 1, let source = sources.first else { return nil }
    return source?.table
  }

  /// Whether it has one value for a row: no parameter, no subquery, and functions that SQLite takes in an
  /// index.
  static func isIndexable(
    _ range: Range<Int>, _ tokens: [SQLToken], _ functions: Set<String>
  ) -> Bool {
    range.allSatisfy { index in
      let token = tokens[index]
      // Only Core Data has its functions and collations.
      if token.kind == .parameter || token.isWord("SELECT") || token.isLocalizedCollation
        || token.isName(from: "NSCoreData")
      {
        return false
      }
      let isFunction =
        token.kind == .word && index + 1 < range.upperBound && tokens[index + 1].isSymbol("(")
      return !isFunction || functions.contains(token.text.lowercased())
    }
  }

  private static func collation(at range: Range<Int>, _ tokens: [SQLToken]) -> String? {
    guard range.count > 2, tokens[range.upperBound - 2].isWord("COLLATE"),
      !tokens[range.upperBound - 1].isLocalizedCollation
    else { return nil }
    return String(tokens[range.upperBound - 1].text)
  }

  /// The tokens except for the table's alias: an index belongs to one table.
  static func text(_ range: Range<Int>, _ tokens: [SQLToken]) -> String {
    SQLFingerprint.joined(
      range.filter { index in
        let isQualifier = index + 1 < range.upperBound && tokens[index + 1].isSymbol(".")
        return !isQualifier && !tokens[index].isSymbol(".")
      }.map { tokens[$0].text })
  }

  private static let keywords: Set = [
    "NULL", "TRUE", "FALSE", "COLLATE", "AS", "CAST", "AND", "OR", "CURRENT_DATE", "CURRENT_TIME",
    "CURRENT_TIMESTAMP", "ESCAPE", "CASE", "WHEN", "THEN", "ELSE", "END", "NOT", "IN", "BETWEEN",
    "IS", "LIKE", "GLOB",
  ]

  // Deterministic functions of SQLite; functions of dates are, unless they read the time.
  static let functions: Set = [
    "abs", "cast", "coalesce", "date", "datetime", "hex", "ifnull", "instr", "json_extract",
    "julianday",
    "length", "lower", "ltrim", "nullif", "replace", "round", "rtrim", "strftime", "substr",
    "substring",
    "time", "trim", "unicode", "unixepoch", "upper",
  ]
}
