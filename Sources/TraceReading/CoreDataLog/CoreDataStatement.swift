// SPDX-License-Identifier: Apache-2.0

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

  fileprivate init(_ sql: UnsafeRawBufferPointer) {
    var words = ByteCursor(sql)
    switch words.takeWord().uppercased() {
    case "SELECT": self = Self.select(sql)
    case "BEGIN": self = .begin
    case "COMMIT", "END": self = .commit
    case "ROLLBACK": self = .rollback
    case "INSERT", "REPLACE": self = Self.write(.insert, words.takeName(after: " INTO "))
    case "DELETE": self = Self.write(.delete, words.takeName(after: " FROM "))
    case "UPDATE":
      // UPDATE OR FAIL Z_PRIMARYKEY …
      var ahead = words
      if ahead.takeWord().uppercased() == "OR" {
        _ = ahead.takeWord()
        words = ahead
      }
      self = Self.write(.update, words.takeName())
    default: self = .housekeeping
    }
  }

  private static func write(_ statement: Self, _ table: String?) -> Self {
    guard let table else { return .housekeeping }
    return isEntityTable(table) ? statement : isJoin(table) ? .join : .housekeeping
  }

  /// Whether a line's text can be SQL of Core Data's at all.
  static func isSQL(_ text: UnsafeRawBufferPointer) -> Bool {
    let word = String(decoding: text.prefix { $0 != UInt8(ascii: " ") }.prefix(12), as: UTF8.self)
    return verbs.contains(word.uppercased().filter(\.isLetter))
  }

  private static let verbs: Set<String> = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "END", "ROLLBACK", "PRAGMA",
    "CREATE", "ALTER", "DROP", "REINDEX", "ANALYZE", "VACUUM", "WITH", "REPLACE", "SAVEPOINT",
    "RELEASE", "EXPLAIN", "ATTACH", "DETACH",
  ]

  private static func select(_ sql: UnsafeRawBufferPointer) -> Self {
    var cursor = ByteCursor(sql)
    guard let table = cursor.takeName(after: " FROM "), isEntityTable(table) || isJoin(table) else {
      return .housekeeping
    }
    return .fetch(kind(sql), table: table)
  }

  /// Of any SELECT: its times in the log are what makes it a fetch.
  static func fetch(_ sql: UnsafeRawBufferPointer) -> (FetchKind, table: String) {
    var cursor = ByteCursor(sql)
    return (kind(sql), cursor.takeName(after: " FROM ") ?? "")
  }

  /// Core Data marks the rows of objects with a 0 or a 1 before the key.
  private static func kind(_ sql: UnsafeRawBufferPointer) -> FetchKind {
    if sql.hasPrefix("SELECT COUNT(") { return .count }
    if sql.hasPrefix("SELECT Z_PK, ") { return .prefetch }
    if sql.hasPrefix("SELECT 0, t0.Z_PK FROM ") { return .ids }
    guard sql.hasPrefix("SELECT 0,") || sql.hasPrefix("SELECT 1,") else { return .dictionaries }
    let isBatch =
      sql.contains("t0.Z_PK IN (SELECT * FROM _Z_intarray") && sql.contains(" LIMIT ")
    return isBatch ? .batch : .objects
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
  /// What it fetches where its times follow, also from a table of history or of CloudKit.
  let fetch: (kind: FetchKind, table: String)
  /// From the SQL text, or 0.
  let limit: UInt64
  let offset: UInt64
  /// The number of `?`.
  let parameterCount: Int
  /// Whether the system's log cut its text, which has at most 1,024 bytes there: `t0.ZNA<…>`.
  let isCut: Bool

  var isSelect: Bool {
    let word = text.drop { !$0.isLetter }.prefix { $0.isLetter }.uppercased()
    return word == "SELECT" || word == "WITH"
  }

  init(_ text: String) {
    var text = text
    id = StatementID(sql: text)
    isCut = text.hasSuffix("<…>")
    (statement, fetch, limit, offset, parameterCount) = text.withUTF8 { utf8 in
      let sql = UnsafeRawBufferPointer(utf8)
      return (
        CoreDataStatement(sql), CoreDataStatement.fetch(sql), sql.lastNumber(after: " LIMIT "),
        sql.lastNumber(after: " OFFSET "), sql.parameterCount
      )
    }
    self.text = text
  }
}

extension ByteCursor {
  fileprivate mutating func takeWord() -> String {
    _ = take { $0 == UInt8(ascii: " ") }
    return String(decoding: take { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }

  /// Parses the name of a table, which has the letters of an entity's name in any alphabet.
  fileprivate mutating func takeName() -> String {
    _ = take { $0 == UInt8(ascii: " ") }
    return String(
      decoding: take { $0.isNameByte || $0.isUpper || $0 >= 0x80 }, as: UTF8.self)
  }

  fileprivate mutating func takeName(after word: StaticString) -> String? {
    takeThrough(word) == nil ? nil : takeName()
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func contains(_ word: StaticString) -> Bool {
    var cursor = ByteCursor(self)
    return cursor.takeThrough(word) != nil
  }

  /// The number of `?` outside of quotes.
  fileprivate var parameterCount: Int {
    var quote: UInt8?
    var count = 0
    for byte in self {
      switch byte {
      case quote: quote = nil
      case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = quote ?? byte
      case UInt8(ascii: "?") where quote == nil: count += 1
      default: break
      }
    }
    return count
  }

  /// The number after the last place of a word, or 0.
  fileprivate func lastNumber(after word: StaticString) -> UInt64 {
    var cursor = ByteCursor(self)
    var number: UInt64 = 0
    while cursor.takeThrough(word) != nil {
      _ = cursor.take { $0 == UInt8(ascii: " ") }
      number = UInt64(decimal: cursor.take { $0.isDigit }) ?? 0
    }
    return number
  }
}
