// SPDX-License-Identifier: Apache-2.0

/// Splits SQL into words; space and comments are left out.
///
///     SQLTokenizer.tokens(of: "a<=?1 -- b")   // a, <=, ?1
///
/// See <https://www.sqlite.org/lang_expr.html> and <https://www.sqlite.org/lang_comment.html>.
package struct SQLTokenizer {
  private var rest: Substring.UTF8View
  private let sql: Substring

  package static func tokens(of sql: String) -> [SQLToken] { tokens(of: sql[...]) }

  /// The tokens of a part of a text, with their positions in the whole.
  package static func tokens(of sql: Substring) -> [SQLToken] {
    var tokenizer = SQLTokenizer(rest: sql.utf8, sql: sql)
    var tokens: [SQLToken] = []
    while let token = tokenizer.next() { tokens.append(token) }
    return tokens
  }

  /// The first few tokens of a statement, which may be long.
  package static func tokens(of sql: String, max count: Int) -> [SQLToken] {
    var tokenizer = SQLTokenizer(rest: sql[...].utf8, sql: sql[...])
    var tokens: [SQLToken] = []
    while tokens.count < count, let token = tokenizer.next() { tokens.append(token) }
    return tokens
  }

  private init(rest: Substring.UTF8View, sql: Substring) {
    self.rest = rest
    self.sql = sql
  }

  private mutating func next() -> SQLToken? {
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: " "), 0x09...0x0d: rest = rest.dropFirst()
      case UInt8(ascii: "-") where second == UInt8(ascii: "-"):
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      case UInt8(ascii: "/") where second == UInt8(ascii: "*"): skipBlockComment()
      default: return token(from: byte)
      }
    }
    return nil
  }

  private var second: UInt8? { rest.dropFirst().first }

  private mutating func skipBlockComment() {
    rest = rest.dropFirst(2)
    while let byte = rest.first {
      if byte == UInt8(ascii: "*"), second == UInt8(ascii: "/") {
        rest = rest.dropFirst(2)
        return
      }
      rest = rest.dropFirst()
    }
  }

  private mutating func token(from byte: UInt8) -> SQLToken {
    switch byte {
    case UInt8(ascii: "'"): return consume(.text, Self.quotedLength(rest))
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return consume(.quotedName, Self.quotedLength(rest))
    case UInt8(ascii: "["):
      return consume(.quotedName, rest.prefix { $0 != UInt8(ascii: "]") }.count + 1)
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard second == UInt8(ascii: "'") else { return consume(.word, wordLength) }
      return consume(.text, 1 + Self.quotedLength(rest.dropFirst()))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return consume(.number, numberLength)
    case UInt8(ascii: "."):
      guard let digit = second, Self.isDigit(digit) else { return consume(.symbol, 1) }
      return consume(.number, numberLength)
    case UInt8(ascii: "?"):
      return consume(.parameter, 1 + rest.dropFirst().prefix(while: Self.isDigit).count)
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
      return consume(.parameter, 1 + rest.dropFirst().prefix(while: Self.isNameByte).count)
    case _ where Self.isNameByte(byte): return consume(.word, wordLength)
    default: return consume(.symbol, symbolLength(byte))
    }
  }

  private mutating func consume(_ kind: SQLToken.Kind, _ length: Int) -> SQLToken {
    let end =
      rest.index(rest.startIndex, offsetBy: length, limitedBy: rest.endIndex)
      ?? rest.endIndex
    defer { rest = rest[end...] }
    return SQLToken(kind: kind, text: sql[rest.startIndex..<end])
  }

  /// The quote is the first byte; a doubled quote is an escaped one.
  private static func quotedLength(_ bytes: Substring.UTF8View) -> Int {
    guard let quote = bytes.first else { return 0 }
    var length = 1
    var index = bytes.index(after: bytes.startIndex)
    while index < bytes.endIndex {
      let next = bytes.index(after: index)
      length += 1
      if bytes[index] == quote {
        guard next < bytes.endIndex, bytes[next] == quote else { return length }
        length += 1
        index = bytes.index(after: next)
      } else {
        index = next
      }
    }
    return length
  }

  private var wordLength: Int { rest.prefix(while: Self.isNameByte).count }

  private var numberLength: Int {
    var length = 0
    var previous: UInt8 = 0
    for byte in rest {
      let isExponentSign =
        (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"))
        && (previous | 0x20) == UInt8(ascii: "e")
      guard Self.isNameByte(byte) || byte == UInt8(ascii: ".") || isExponentSign else { break }
      previous = byte
      length += 1
    }
    return length
  }

  private func symbolLength(_ byte: UInt8) -> Int {
    guard "<>=!|-".utf8.contains(byte) else { return 1 }
    let two = ["<=", ">=", "<>", "!=", "==", "||", "<<", ">>", "->"]
    return two.contains { rest.starts(with: $0.utf8) } ? (rest.starts(with: "->>".utf8) ? 3 : 2) : 1
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
