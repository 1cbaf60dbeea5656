// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The kind of a Core Data statement, from its text.
enum CoreDataStatement: Equatable {
  case fetch(FetchKind, table: String)
  case begin, commit, rollback
  case insert, update, delete
  /// A row of a many-to-many relationship, written by a save.
  case join
  /// Pragmas, metadata, primary keys, persistent history.
  case housekeeping

  var isFetch: Bool { if case .fetch = self { true } else { false } }

  fileprivate init(_ tokens: [SQLToken]) {
    switch tokens.first?.text.uppercased() {
    case "SELECT": self = Self.select(tokens)
    case "BEGIN": self = .begin
    case "COMMIT", "END": self = .commit
    case "ROLLBACK": self = .rollback
    case "INSERT", "REPLACE": self = Self.write(.insert, tokens.name(after: "INTO"))
    case "DELETE": self = Self.write(.delete, tokens.name(after: "FROM"))
    case "UPDATE":
      // UPDATE OR FAIL Z_PRIMARYKEY …
      let index = tokens.dropFirst().first?.isWord("OR") == true ? 3 : 1
      self = Self.write(.update, tokens.dropFirst(index).first?.tableName)
    default: self = .housekeeping
    }
  }

  private static func write(_ statement: Self, _ table: String?) -> Self {
    guard let table else { return .housekeeping }
    return isEntityTable(table) ? statement : isJoin(table) ? .join : .housekeeping
  }

  /// Whether a line's text can be SQL of Core Data's at all.
  static func isSQL(_ text: UnsafeRawBufferPointer) -> Bool {
    // 200 is arbitrary: a comment may stand before the word.
    verbs.contains(StatementCommand.name(of: String(decoding: text.prefix(200), as: UTF8.self)))
  }

  private static let verbs: Set<String> = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "END", "ROLLBACK", "PRAGMA",
    "CREATE", "ALTER", "DROP", "REINDEX", "ANALYZE", "VACUUM", "WITH", "REPLACE", "SAVEPOINT",
    "RELEASE", "EXPLAIN", "ATTACH", "DETACH",
  ]

  private static func select(_ tokens: [SQLToken]) -> Self {
    guard let table = tokens.name(after: "FROM"), isEntityTable(table) || isJoin(table) else {
      return .housekeeping
    }
    return .fetch(kind(tokens), table: table)
  }

  /// For any SELECT: its times in the log make it a fetch.
  fileprivate static func fetch(_ tokens: [SQLToken]) -> (FetchKind, table: String) {
    (kind(tokens), tokens.name(after: "FROM") ?? "")
  }

  /// Core Data marks the rows of objects with a 0 or a 1 before the key.
  private static func kind(_ tokens: [SQLToken]) -> FetchKind {
    let words = tokens.map { ($0.name ?? String($0.text)).uppercased() }
    var columns = words.dropFirst().prefix { $0 != "FROM" }
    if columns.first == "DISTINCT" { columns.removeFirst() }
    if columns.starts(with: ["COUNT", "("]) { return .count }
    if columns.starts(with: ["Z_PK", ","]) { return .prefetch }
    guard columns.starts(with: ["0", ","]) || columns.starts(with: ["1", ","]) else {
      return .dictionaries
    }
    if columns.count == 5, columns.first == "0", columns.last == "Z_PK" { return .ids }
    let batch = ["Z_PK", "IN", "(", "SELECT", "*", "FROM"]
    let isBatch = tokens.indices.dropLast(batch.count).contains { index in
      words[index...].starts(with: batch)
        && tokens[index + batch.count].isName(from: "_Z_intarray")
    }
    return isBatch && tokens.number(after: "LIMIT") != nil ? .batch : .objects
  }

  /// `ZSTOP`, not `Z_METADATA` or `Z_1TAGS`.
  private static func isEntityTable(_ name: String) -> Bool {
    name.hasPrefix("Z") && !name.hasPrefix("Z_")
  }

  /// `Z_1TAGS`, which joins two entities.
  private static func isJoin(_ name: String) -> Bool {
    name.hasPrefix("Z_") && name.dropFirst(2).first?.isNumber == true
  }
}

/// A statement of Core Data's log, taken apart once for all its runs.
struct CoreDataSQL {
  let text: String
  let id: StatementID
  let statement: CoreDataStatement
  /// The fetch that its times show, also from a table of history or of CloudKit.
  let fetch: (kind: FetchKind, table: String)
  /// From the SQL text, or 0.
  let limit: UInt64
  let offset: UInt64
  /// The number of `?`.
  let parameterCount: Int
  /// Whether the system's log cut its text, which has at most 1,024 bytes there: `t0.ZNA<…>`.
  let isCut: Bool

  /// Whether it is a SELECT, also behind WITH.
  let isSelect: Bool
  /// The mode in `pragma journal_mode=wal`; nil in other statements.
  let journalMode: String?

  init(_ text: String) {
    let tokens = SQLTokenizer.tokens(of: text)
    self.text = text
    id = StatementID(sql: text)
    isCut = text.hasSuffix("<…>")
    statement = CoreDataStatement(tokens)
    fetch = CoreDataStatement.fetch(tokens)
    limit = tokens.number(after: "LIMIT") ?? 0
    offset = tokens.number(after: "OFFSET") ?? 0
    parameterCount = tokens.count { $0.kind == .parameter }
    isSelect = tokens.first.map { $0.isWord("SELECT") || $0.isWord("WITH") } ?? false
    let isMode =
      tokens.count > 3 && tokens[0].isWord("PRAGMA") && tokens[1].isWord("JOURNAL_MODE")
      && tokens[2].isSymbol("=")
    journalMode = isMode ? tokens[3].name?.lowercased() : nil
  }
}

extension SQLToken {
  /// A name, in the case of Core Data's tables if it is one of them.
  fileprivate var tableName: String? {
    name.map { $0.first == "z" ? $0.uppercased() : $0 }
  }
}

extension [SQLToken] {
  /// The name of the table after the first occurrence of a keyword.
  fileprivate func name(after keyword: String) -> String? {
    firstIndex { $0.isWord(keyword) }.flatMap { dropFirst($0 + 1).first?.tableName }
  }

  /// The number after the last occurrence of a keyword; nil without the keyword.
  fileprivate func number(after keyword: String) -> UInt64? {
    lastIndex { $0.isWord(keyword) }.map { index in
      dropFirst(index + 1).first.flatMap { UInt64($0.text) } ?? 0
    }
  }
}
