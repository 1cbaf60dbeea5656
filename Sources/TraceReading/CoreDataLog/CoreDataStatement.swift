// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// What a statement of Core Data's is for, as its words tell.
enum CoreDataStatement: Equatable {
  case fetch(FetchKind, table: String)
  case begin, commit, rollback
  case insert, update, delete
  /// A row of a many-to-many relationship, written by a save.
  case join
  /// Pragmas, metadata, primary keys, persistent history.
  case housekeeping

  init(_ sql: String) {
    let words = sql.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true)
    switch words.first?.uppercased() {
    case "SELECT": self = Self.select(sql)
    case "BEGIN": self = .begin
    case "COMMIT", "END": self = .commit
    case "ROLLBACK": self = .rollback
    case "INSERT", "REPLACE": self = Self.write(.insert, Self.name(after: " INTO ", in: sql))
    case "DELETE": self = Self.write(.delete, Self.name(after: " FROM ", in: sql))
    case "UPDATE":
      // UPDATE OR FAIL Z_PRIMARYKEY …
      let isOr = words.count > 3 && words[1].uppercased() == "OR"
      self = Self.write(.update, (isOr ? words[3] : words.dropFirst().first).map(Self.name))
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

  private static func select(_ sql: String) -> Self {
    guard let table = name(after: " FROM ", in: sql), isEntityTable(table) || isJoin(table) else {
      return .housekeeping
    }
    return .fetch(kind(sql), table: table)
  }

  /// Core Data marks the rows of objects with a 0 or a 1 before the key.
  private static func kind(_ sql: String) -> FetchKind {
    if sql.hasPrefix("SELECT COUNT(") { return .count }
    if sql.hasPrefix("SELECT Z_PK, ") { return .prefetch }
    if sql.hasPrefix("SELECT 0, t0.Z_PK FROM ") { return .ids }
    guard sql.hasPrefix("SELECT 0,") || sql.hasPrefix("SELECT 1,") else { return .dictionaries }
    let isBatch =
      sql.firstRange(of: "t0.Z_PK IN (SELECT * FROM _Z_intarray") != nil
      && sql.firstRange(of: " LIMIT ") != nil
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

  private static func name(after word: String, in sql: String) -> String? {
    guard let range = sql.firstRange(of: word) else { return nil }
    return name(sql[range.upperBound...])
  }

  private static func name(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }

  /// The number after ` LIMIT ` or ` OFFSET `, or 0.
  static func number(after word: String, in sql: String) -> UInt64 {
    guard let range = sql.ranges(of: word).last else { return 0 }
    return UInt64(sql[range.upperBound...].drop { $0 == " " }.prefix { $0.isNumber }) ?? 0
  }
}
