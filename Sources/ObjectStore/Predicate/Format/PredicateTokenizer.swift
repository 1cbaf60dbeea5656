// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Cuts a predicate format into tokens.
///
///     name BEGINSWITH[cd] %@ AND $x.departureTime >= 3.5e2
struct PredicateTokenizer {
  let format: String
  private let bytes: [UInt8]
  private var position = 0

  init(_ format: String) {
    self.format = format
    bytes = Array(format.utf8)
  }

  func error(at offset: Int, found: String, expected: String) -> PredicateFormatError {
    PredicateFormatError(format, at: offset, found: found, expected: expected)
  }

  private func peek(_ distance: Int = 0) -> UInt8 {
    position + distance < bytes.count ? bytes[position + distance] : 0
  }

  mutating func next() throws(PredicateFormatError) -> PredicateToken {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    let start = position
    let kind = try kind()
    return PredicateToken(kind: kind, start: start, end: position)
  }

  private mutating func kind() throws(PredicateFormatError) -> PredicateToken.Kind {
    guard position < bytes.count else { return .end }
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string(quote: byte))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: ".") where Self.isDigit(peek(1)): return try number()
    case UInt8(ascii: "%"): return .argument(try conversion())
    case UInt8(ascii: "$"):
      position += 1
      return .variable(try identifier("a variable's name"))
    case UInt8(ascii: "#"):
      position += 1
      return .identifier(try identifier("an identifier"))
    case _ where Self.isIdentifierStart(byte):
      let name = try identifier("a name")
      if let word = utiWord(after: name) { return .word(word) }
      // Cheap enough: no reserved word is longer.
      guard name.utf8.count <= 14, let word = PredicateWord(rawValue: name.uppercased()) else {
        return .identifier(name)
      }
      return .word(word)
    default: return .sign(try sign())
    }
  }

  // MARK: - Names

  private mutating func identifier(_ expected: String) throws(PredicateFormatError) -> String {
    let start = position
    while position < bytes.count,
      Self.isIdentifierStart(bytes[position])
        || (position > start && Self.isDigit(bytes[position]))
    {
      position += 1
    }
    guard position > start else {
      throw error(at: start, found: foundCharacter(at: start), expected: expected)
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func utiWord(after name: String) -> PredicateWord? {
    guard peek() == UInt8(ascii: "-"), name.utf8.count == 3, name.uppercased() == "UTI" else {
      return nil
    }
    for word in [PredicateWord.utiConformsTo, .utiEquals] {
      let rest = word.rawValue.dropFirst(3)
      let text = String(decoding: bytes[position...].prefix(rest.utf8.count), as: UTF8.self)
      if text.uppercased() == rest {
        position += rest.utf8.count
        return word
      }
    }
    return nil
  }

  // MARK: - Signs and arguments

  private mutating func sign() throws(PredicateFormatError) -> PredicateToken.Sign {
    let pair = String(decoding: [peek(), peek(1)], as: UTF8.self)
    let double: PredicateToken.Sign? =
      switch pair {
      case "=<": .lessOrEqual
      case "=>": .greaterOrEqual
      case "<>": .notEqual
      default: PredicateToken.Sign(rawValue: pair)
      }
    if let double {
      position += 2
      return double
    }
    let single = String(decoding: [peek()], as: UTF8.self)
    guard let sign = single == "=" ? .equal : PredicateToken.Sign(rawValue: single) else {
      throw error(
        at: position, found: foundCharacter(at: position),
        expected: "a comparison, AND, OR or a value")
    }
    position += 1
    return sign
  }

  /// Reads `%@`, `%K`, `%d`, `%lld`, `%.2f`; widths and precisions do not change a value.
  private mutating func conversion() throws(PredicateFormatError) -> UInt8 {
    let start = position
    position += 1
    while "0123456789.-+#hlqLztj".utf8.contains(peek()), peek() != 0 { position += 1 }
    let letter = peek()
    guard "@KdiuoxXDUOcCsSfFeEgGaA%".utf8.contains(letter) else {
      throw error(
        at: start, found: "\"%\"" + (letter == 0 ? "" : " before " + foundCharacter(at: position)),
        expected: "%@, %K, %%, %d, %f or %s")
    }
    position += 1
    return letter
  }

  /// The text at a position, for an error.
  func foundCharacter(at offset: Int) -> String {
    guard offset < bytes.count else { return "the end" }
    let scalar = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars.first
    return LogText.quoted(scalar.map { String($0) } ?? "")
  }

  func text(_ token: PredicateToken) -> String {
    guard token.kind != .end else { return "the end" }
    let length = min(token.end - token.start, 40)
    let text = String(decoding: bytes[token.start..<(token.start + length)], as: UTF8.self)
    return LogText.quoted(length < token.end - token.start ? text + "…" : text)
  }

  /// A token as it was written, without quotes.
  func name(_ token: PredicateToken) -> String {
    String(decoding: bytes[token.start..<token.end], as: UTF8.self)
  }

  // MARK: - Numbers

  private mutating func number() throws(PredicateFormatError) -> PredicateToken.Kind {
    let start = position
    let radix: Int =
      switch (peek(), peek(1) | 0x20) {
      case (UInt8(ascii: "0"), UInt8(ascii: "x")): 16
      case (UInt8(ascii: "0"), UInt8(ascii: "o")): 8
      case (UInt8(ascii: "0"), UInt8(ascii: "b")): 2
      default: 10
      }
    if radix != 10 { position += 2 }
    var isDouble = false
    while position < bytes.count {
      let byte = bytes[position]
      if radix == 10, byte == UInt8(ascii: "."), Self.isDigit(peek(1)), !isDouble {
        isDouble = true
      } else if radix == 10, byte | 0x20 == UInt8(ascii: "e"),
        Self.isDigit(peek(1)) || ("+-".utf8.contains(peek(1)) && Self.isDigit(peek(2)))
      {
        isDouble = true
        position += 1
      } else if !Self.isDigit(byte), !Self.isIdentifierStart(byte) {
        break
      }
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isDouble {
      if let value = Double(text), value.isFinite { return .double(value) }
    } else if let value = UInt64(radix == 10 ? text : String(text.dropFirst(2)), radix: radix) {
      return .integer(value)
    }
    throw error(
      at: start, found: LogText.quoted(String(text.prefix(40))),
      expected: "a number such as 42, 4.2e1, 0x2a, 0o52 or 0b101010")
  }

  // MARK: - Strings

  private mutating func string(quote: UInt8) throws(PredicateFormatError) -> String {
    let start = position
    var content: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote { return String(decoding: content, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      try appendEscape(to: &content)
    }
    throw error(
      at: start, found: "a string without end",
      expected: "a closing \(LogText.quoted(String(decoding: [quote], as: UTF8.self)))")
  }

  /// Reads the rest of an escape: `\n`, `\ooo`, `\xhh`, `\uhhhh`, or a character itself.
  private mutating func appendEscape(to content: inout [UInt8]) throws(PredicateFormatError) {
    let start = position - 1
    let byte = peek()
    position += 1
    switch byte {
    case UInt8(ascii: "n"): content.append(0x0a)
    case UInt8(ascii: "r"): content.append(0x0d)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      position -= 1
      try appendScalar(digits: 3, radix: 8, from: start, to: &content)
    case UInt8(ascii: "x"): try appendScalar(digits: 2, radix: 16, from: start, to: &content)
    case UInt8(ascii: "u"): try appendScalar(digits: 4, radix: 16, from: start, to: &content)
    case 0 where position > bytes.count:
      throw error(at: start, found: "the end", expected: "a character after the backslash")
    default: content.append(byte)
    }
  }

  private mutating func appendScalar(
    digits: Int, radix: Int, from start: Int, to content: inout [UInt8]
  ) throws(PredicateFormatError) {
    var text = ""
    while text.utf8.count < digits, position < bytes.count,
      let digit = Int(String(decoding: [bytes[position]], as: UTF8.self), radix: radix), digit >= 0
    {
      text.unicodeScalars.append(Unicode.Scalar(bytes[position]))
      position += 1
    }
    guard radix == 8 || text.utf8.count == digits, let value = UInt32(text, radix: radix),
      let scalar = Unicode.Scalar(value)
    else {
      throw error(
        at: start, found: "\"\\\"", expected: "\\ooo, \\xhh or \\uhhhh that is a Unicode scalar")
    }
    content += Array(String(scalar).utf8)
  }

  // MARK: - Characters

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte)
  }
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
  private static func isIdentifierStart(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}
