// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// The text of a statement in a log, line by line.
struct StatementText {
  private(set) var text: String
  /// The quote or comment that is open at its end.
  private var open: Quote?
  /// The position after the first semicolon outside of quotes; 0 without one.
  private(set) var end = 0
  /// Where the values of ActiveRecord begin behind two spaces: `  [["id", 3]]`.
  var values: String.Index? { valuesOffset.map { text.utf8.index(text.startIndex, offsetBy: $0) } }
  private var valuesOffset: Int?
  private var position = 0

  private enum Quote: Equatable { case quoted(UInt8), block, line }

  // 1 MiB is arbitrary: as much as SQLite accepts.
  private static let maxLength = 1 << 20

  init(_ text: String) {
    self.text = text
    scan()
  }

  /// Whether a text in quotes or a comment continues in the next line.
  var isOpen: Bool { open != nil && open != .line }

  /// Whether it ends with a semicolon, as of the shell; that of a trigger's body is not its end.
  var isTerminated: Bool {
    guard !isOpen, text.utf8.last(where: { !$0.isSpace }) == UInt8(ascii: ";") else { return false }
    let tokens = SQLTokenizer.tokens(of: text)
    guard tokens.first?.isWord("CREATE") == true,
      tokens.prefix(3).contains(where: { $0.isWord("TRIGGER") })
    else { return true }
    return tokens.dropLast().last?.isWord("END") == true
  }

  var isTooLong: Bool { text.utf8.count > Self.maxLength }

  mutating func append(_ line: String) {
    text += "\n" + line
    scan()
  }

  private mutating func scan() {
    text.withUTF8 { bytes in
      while position < bytes.count {
        let byte = bytes[position]
        let next = position + 1 < bytes.count ? bytes[position + 1] : 0
        switch open {
        case .quoted(let quote): if byte == quote { open = nil }
        case .line: if byte == UInt8(ascii: "\n") { open = nil }
        case .block:
          if byte == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
            open = nil
            position += 1
          }
        case nil:
          switch byte {
          case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): open = .quoted(byte)
          case UInt8(ascii: "["):
            if next == byte, position > 1, bytes[position - 1] == 0x20, bytes[position - 2] == 0x20
            {
              valuesOffset = valuesOffset ?? position - 2
            }
            open = .quoted(UInt8(ascii: "]"))
          case UInt8(ascii: "-") where next == byte: open = .line
          case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
            open = .block
            position += 1
          case UInt8(ascii: ";"): if end == 0 { end = position + 1 }
          default: break
          }
        }
        position += 1
      }
    }
  }

  // MARK: - Words

  private static let commands: Set<String> = [
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END",
    "EXPLAIN", "INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT",
    "SELECT",
    "UPDATE", "VACUUM", "VALUES", "WITH",
  ]

  /// Whether a text begins with a statement's first word, also behind a comment.
  static func isSQL(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first(where: { !$0.isSpace }),
      first.isUpper || first.isLower || "/-".utf8.contains(first)
    else { return false }
    // A comment and a word are among the first few.
    return isSQL(String(decoding: bytes.prefix(1000), as: UTF8.self))
  }

  /// Whether a line alone is taken for a statement: prose may begin with such a word.
  static func isStatement(_ line: String) -> Bool {
    let word = line.prefix { $0.isLetter }
    guard word.uppercased() == word || word.lowercased() == word, isSQL(line) else { return false }
    let tokens = SQLTokenizer.tokens(of: line[line.startIndex...]).dropFirst().prefix(2)
    let next: [String: [String]] = [
      "DELETE": ["FROM"], "INSERT": ["INTO", "OR"], "REPLACE": ["INTO"], "ALTER": ["TABLE"],
      "END": ["TRANSACTION"], "COMMIT": ["TRANSACTION"],
      "BEGIN": ["TRANSACTION", "DEFERRED", "IMMEDIATE", "EXCLUSIVE"],
      "ROLLBACK": ["TRANSACTION", "TO"],
    ]
    if word.uppercased() == "UPDATE", tokens.first?.isWord("OR") == false,
      let third = tokens.dropFirst().first
    {
      return third.isSymbol(".") || ["SET", "AS", "INDEXED", "NOT"].contains(where: third.isWord)
    }
    guard let expected = next[word.uppercased()], let second = tokens.first else { return true }
    return second.isSymbol(";") || expected.contains(where: second.isWord)
  }

  static func isSQL(_ text: String) -> Bool {
    commands.contains(StatementCommand.name(of: String(text.drop(while: \.isWhitespace))))
  }

  /// Whether a line begins as the middle of a statement: with a space, a symbol or a keyword.
  static func isPart(_ line: String) -> Bool {
    guard let first = line.first else { return false }
    if "()=<>,|+*/".contains(first) { return true }
    return clauses.contains(line.drop(while: \.isWhitespace).prefix { $0.isLetter }.uppercased())
  }

  private static let clauses: Set<String> = [
    "AND", "AS", "ASC", "CASE", "CROSS", "DESC", "ELSE", "END", "EXCEPT", "FROM", "GROUP", "HAVING",
    "IN",
    "INNER", "INTERSECT", "INTO", "IS", "JOIN", "LEFT", "LIKE", "LIMIT", "NOT", "OFFSET", "ON",
    "OR", "ORDER",
    "RETURNING", "SELECT", "SET", "THEN", "UNION", "USING", "VALUES", "WHEN", "WHERE", "WINDOW",
    "WITH",
  ]

  /// Whether a statement changes a database, by its command.
  static func isWrite(_ sql: String) -> Bool {
    var command = StatementCommand.name(of: sql)
    if command == "WITH" {
      let tokens = SQLTokenizer.tokens(of: sql)
      command = tokens.command.map { tokens[$0].text.uppercased() } ?? command
    }
    return [
      "ALTER", "ANALYZE", "CREATE", "DELETE", "DROP", "INSERT", "REINDEX", "REPLACE", "UPDATE",
      "VACUUM",
    ].contains(command)
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
  fileprivate var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
