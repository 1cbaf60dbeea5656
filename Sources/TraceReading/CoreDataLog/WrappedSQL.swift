// SPDX-License-Identifier: Apache-2.0

/// How the lines of a statement that a terminal or an editor wrapped belong together.
///
///     SELECT 0, t0.Z_PK FROM ZST      at a column, also within a word
///     OP t0 WHERE  t0.ZNAME = ?
///
///     SELECT 0, t0.Z_PK FROM          between two words, whose space is lost
///     ZSTOP t0 WHERE  t0.ZNAME = ?
enum WrappedSQL {
  enum Joint: Equatable {
    /// One of the lines has the space, or there was none.
    case direct
    case space
    /// A word goes on: the lines have a fixed width.
    case withinWord
  }

  /// Returns `nil` if the line cannot continue the statement: it is another program's.
  static func joint(_ before: String, _ line: String) -> Joint? {
    guard let last = before.utf8.last, let first = line.utf8.first, isSQL(line, after: before)
    else { return nil }
    let (tail, head) = (lastWord(of: before), firstWord(of: line))
    guard !tail.isEmpty, !head.isEmpty else {
      guard head.isEmpty || isTable(after: before) || isWhole(head) && canBegin(head, after: before)
      else { return nil }
      if last == UInt8(ascii: " ") || first == UInt8(ascii: " ") { return .direct }
      // `>=`, `||`; `,` and `)` follow the text before them.
      let isOperator = "<>=!|".utf8.contains(last) && "=>|".utf8.contains(first)
      let isCall = first == UInt8(ascii: "(") && !keywords.contains(tail)
      return isOperator || isCall || ",)".utf8.contains(first) ? .direct : .space
    }
    if isSpaced(tail, head), canFollow(tail, head, line.dropFirst(head.count)) { return .space }
    return isWithinWord(tail, head) ? .withinWord : nil
  }

  /// Whether all words of a line belong to Core Data's SQL, in which only few have small letters.
  private static func isSQL(_ line: String, after before: String) -> Bool {
    var isFirst = !lastWord(of: before).isEmpty && line.utf8.first.map(isWord) == true
    for part in line.utf8.split(omittingEmptySubsequences: true, whereSeparator: { !isWord($0) }) {
      let word = String(decoding: part, as: UTF8.self)
      // The first word may be the end of one, the last its beginning.
      let isKnown =
        word == "t" || !word.contains(where: \.isLowercase) || isAliased(word)
        || functions.contains(word)
        || names.contains { $0.hasPrefix(word) || word.hasPrefix($0) }
      guard isKnown || isFirst else { return false }
      isFirst = false
    }
    return line.utf8.allSatisfy { isWord($0) || " ,()?=<>!'\"|*+-/%".utf8.contains($0) }
  }

  private static func isSpaced(_ tail: String, _ head: String) -> Bool {
    if tail.last == "." || head.first == "." { return false }
    let isAfterKeyword = keywords.contains(tail)
    // After `LIMIT` a number begins; after `LIMIT 1` and `ZNAME1` it goes on.
    if head.allSatisfy(\.isNumber) { return isAfterKeyword }
    return isTable(after: tail) || isWhole(tail) && isWhole(head)
  }

  /// Whether a number is where one can be: `LIMIT 20`, `IN (1, 2)`.
  private static func canBegin(_ head: String, after before: String) -> Bool {
    guard head.first?.isNumber == true, let last = before.utf8.last(where: { $0 != 0x20 }) else {
      return true
    }
    return isWord(last) || ",(=<>|*+-/%".utf8.contains(last)
  }

  /// Whether a keyword follows a column, and is not the end of its name: `t0.ZAUTH` `OR = ?`.
  private static func canFollow(_ tail: String, _ head: String, _ rest: Substring) -> Bool {
    guard tail.contains("."), keywords.contains(head) else { return true }
    let next = rest.drop { $0 == " " }
    switch head {
    case "AND", "OR":
      let word = firstWord(of: String(next))
      return next.first.map { !"=,)<>|".contains($0) } ?? true
        && (!keywords.contains(word) || ["NOT", "EXISTS", "CASE", "CAST"].contains(word))
    case "IN": return next.first.map { $0 == "(" } ?? true
    default: return followers.contains(head)
    }
  }

  private static let followers: Set<String> = [
    "AS", "ASC", "BETWEEN", "COLLATE", "DESC", "ELSE", "END", "ESCAPE", "EXCEPT", "FROM", "GLOB",
    "GROUP", "HAVING", "INTERSECT", "IS", "LIKE", "LIMIT", "MATCH", "NOT", "OFFSET", "ORDER",
    "THEN", "UNION", "WHEN", "WHERE",
  ]

  /// Whether the name of a table follows, which may have no `Z`: `FROM ATRANSACTION t0`.
  private static func isTable(after text: String) -> Bool {
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }.map(text.utf8.index(after:))
    let word = lastWord(of: String(text[..<(end ?? text.startIndex)]))
    return ["FROM", "JOIN", "INTO", "UPDATE"].contains(word)
  }

  /// Whether two parts can be one word.
  private static func isWithinWord(_ tail: String, _ head: String) -> Bool {
    let whole = tail + head
    if names.contains(where: { $0.hasPrefix(whole) || whole.hasPrefix($0) && $0.hasPrefix(tail) }) {
      return true
    }
    if keywords.contains(where: { $0.hasPrefix(whole) }) || isAliased(whole) { return true }
    let column = whole.split(separator: ".").last ?? ""
    return !head.contains(where: \.isLowercase)
      && (column.first == "Z" || column.allSatisfy(\.isNumber))
  }

  /// Whether it can be a word of Core Data's SQL from its beginning to its end.
  private static func isWhole(_ word: String) -> Bool {
    let name = word.split(separator: ".").last.map(String.init) ?? word
    return keywords.contains(name) || functions.contains(name) || names.contains(name)
      || word.allSatisfy(\.isNumber) || isAliased(word) || (name.hasPrefix("Z") && name.count > 2)
      || (name.hasPrefix("_Z_intarray") && name.last?.isNumber == true)
  }

  /// `t0`, `t0.ZNAME`.
  private static func isAliased(_ word: String) -> Bool {
    guard word.first == "t" else { return false }
    let rest = word.dropFirst().drop(while: \.isNumber)
    return rest.count < word.count - 1
      && (rest.isEmpty || rest.first == "." && !rest.contains(where: \.isLowercase))
  }

  private static func lastWord(of text: String) -> String {
    let start = text.utf8.lastIndex { !isWord($0) }.map(text.utf8.index(after:))
    return String(text.utf8[(start ?? text.utf8.startIndex)...]) ?? ""
  }

  private static func firstWord(of text: String) -> String {
    String(text.utf8.prefix(while: isWord)) ?? ""
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isNameByte || byte.isUpper || byte == UInt8(ascii: ".") || byte >= 0x80
  }

  private static let keywords: Set<String> = [
    "ALL", "AND", "AS", "ASC", "BETWEEN", "BY", "CASE", "CAST", "COLLATE", "CROSS", "DEFAULT",
    "DELETE", "DESC", "DISTINCT", "ELSE", "END", "ESCAPE", "EXCEPT", "EXISTS", "FAIL", "FROM",
    "GLOB", "GROUP", "HAVING", "IN", "INDEX", "INNER", "INSERT", "INTERSECT", "INTO", "IS", "JOIN",
    "LEFT", "LIKE", "LIMIT", "MATCH", "NATURAL", "NOT", "NULL", "OFFSET", "ON", "OR", "ORDER",
    "OUTER", "REPLACE", "SELECT", "SET", "TABLE", "THEN", "UNION", "UPDATE", "USING", "VALUES",
    "WHEN", "WHERE", "WITH", "COUNT", "MIN", "MAX", "SUM", "AVG", "TOTAL",
  ]

  private static let functions: Set<String> = ["abs", "avg", "count", "max", "min", "sum", "total"]

  /// The functions, collations and tables of Core Data with letters that are not all upper case.
  private static let names: Set<String> = [
    "NSCollateFinderlike", "NSCollateLocaleSensitive", "NSCollateLocaleSensitiveNoCase",
    "NSCollateNoCase", "NSCoreDataLike", "NSCoreDataMatches", "NSCoreDataNow",
    "NSCoreDataStringCompare", "NSCoreDataStringFold", "NSCoreDataStringSearch", "_Z_intarray",
  ]
}

/// The width at which a terminal cut the lines of a log, as far as the lines show it.
struct LineWrapping {
  /// The length of the lines that ended within a word; nil if there is none.
  private var width: Int?
  /// The length of the previous line.
  private var length = 0

  mutating func end(_ line: UnsafeRawBufferPointer) {
    length = line.count
    // Lines that are longer were not cut there.
    if let width, length > width { self.width = nil }
  }

  /// How a line continues a statement; nil if it does not.
  mutating func joint(_ sql: String, _ line: UnsafeRawBufferPointer) -> WrappedSQL.Joint? {
    if length == width { return .direct }
    let joint = WrappedSQL.joint(sql, String(decoding: line, as: UTF8.self))
    if joint == .withinWord { width = length }
    return joint
  }
}
