// SPDX-License-Identifier: Apache-2.0

/// The reason why the metadata of a trace cannot be used.
struct TSDLError: Error {
  let reason: String
  /// Whether the metadata is valid as far as it was read, and describes a layout that is not read.
  var isForeign = false

  static func foreign(_ reason: String) -> Self { Self(reason: reason, isForeign: true) }
}

/// The words of TSDL, the language of a trace's metadata: `integer { size = 32; } := uint32_t;`.
///
/// See <https://diamon.org/ctf/v1.8.3/>, section 7 and appendix C.
struct TSDLLexer {
  enum Token: Equatable {
    case word(String)
    case number(magnitude: UInt64, isNegative: Bool)
    case text(String)
    /// One of `{ } [ ] ( ) < > ; , : = .`
    case symbol(UInt8)
    /// `:=`
    case assignment
    /// `...`
    case ellipsis
    case end
  }

  /// The words that are no name of a member; LTTng puts an underscore before such a one.
  static let reservedWords: Set = [
    "align", "callsite", "char", "clock", "const", "double", "enum", "env", "event", "float",
    "floating_point", "int", "integer", "long", "short", "signed", "stream", "string", "struct",
    "trace", "typealias", "typedef", "unsigned", "variant", "void", "_Bool", "_Complex",
    "_Imaginary",
  ]

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The line that was read last, from 1.
  var line: Int { 1 + bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") } }

  mutating func next() throws(TSDLError) -> Token {
    try skipSpace()
    guard let byte = peek() else { return .end }
    switch byte {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(isNegative: false)
    case UInt8(ascii: "-"), UInt8(ascii: "+"):
      position += 1
      try skipSpace()
      return try number(isNegative: byte == UInt8(ascii: "-"))
    case _ where Self.isOfWord(byte): return .word(word())
    case UInt8(ascii: ":") where peek(1) == UInt8(ascii: "="):
      position += 2
      return .assignment
    case UInt8(ascii: ".") where peek(1) == byte && peek(2) == byte:
      position += 3
      return .ellipsis
    case _ where "{}[]()<>;,:=.".utf8.contains(byte):
      position += 1
      return .symbol(byte)
    default: throw TSDLError(reason: "line \(line): an unexpected byte \(byte)")
    }
  }

  private func peek(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte | 0x20 {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
  }

  private mutating func skipSpace() throws(TSDLError) {
    while let byte = peek() {
      if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        position += 2
        while peek() != UInt8(ascii: "*") || peek(1) != UInt8(ascii: "/") {
          guard position < bytes.count else { throw TSDLError(reason: "a comment without its end") }
          position += 1
        }
        position += 2
      } else if byte == UInt8(ascii: "/"), peek(1) == byte {
        while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
      } else if " \t\n\r".utf8.contains(byte) {
        position += 1
      } else {
        return
      }
    }
  }

  private mutating func word() -> String {
    let start = position
    while let byte = peek(), Self.isOfWord(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// `12`, `0x1F`, `017`, each with `u`, `ul` or `ull` after it or not.
  private mutating func number(isNegative: Bool) throws(TSDLError) -> Token {
    var digits = Substring(word().lowercased())
    let suffix = ["ull", "llu", "ul", "lu", "u"].first { digits.hasSuffix($0) }
    digits = digits.dropLast(suffix?.count ?? 0)
    var radix = 10
    if digits.hasPrefix("0x") {
      radix = 16
      digits.removeFirst(2)
    } else if digits.hasPrefix("0"), digits.count > 1 {
      radix = 8
    }
    guard let magnitude = UInt64(digits, radix: radix) else {
      throw TSDLError(reason: "line \(line): not a number of 64 bits")
    }
    return .number(magnitude: magnitude, isNegative: isNegative)
  }

  private mutating func text() throws(TSDLError) -> String {
    position += 1
    var result: [UInt8] = []
    while let byte = peek(), byte != UInt8(ascii: "\"") {
      guard byte != 0 else { throw TSDLError(reason: "line \(line): a NUL byte in a text") }
      position += 1
      result.append(byte == UInt8(ascii: "\\") ? try escapedByte() : byte)
    }
    guard peek() != nil else { throw TSDLError(reason: "a text without its end") }
    position += 1
    return String(decoding: result, as: UTF8.self)
  }

  /// Reads the rest of an escape: `n`, `"`, `x41`, `101`, as in C.
  private mutating func escapedByte() throws(TSDLError) -> UInt8 {
    let rest = bytes[position...]
    let octal = rest.prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    if !octal.isEmpty { return try byte(octal, radix: 8) }
    guard let escaped = peek() else { throw TSDLError(reason: "a text without its end") }
    position += 1
    if escaped == UInt8(ascii: "x") {
      let digits = rest.dropFirst().prefix(2).prefix { Character(UnicodeScalar($0)).isHexDigit }
      return try byte(digits, radix: 16)
    }
    let (codes, values) = (
      Array("abtnvfr\\\"'?".utf8), Array("\u{7}\u{8}\t\n\u{b}\u{c}\r\\\"'?".utf8)
    )
    guard let index = codes.firstIndex(of: escaped) else {
      throw TSDLError(reason: "line \(line): an unknown escape in a text")
    }
    return values[index]
  }

  private mutating func byte(_ digits: ArraySlice<UInt8>, radix: Int) throws(TSDLError) -> UInt8 {
    position += digits.count
    guard let value = UInt8(String(decoding: digits, as: UTF8.self), radix: radix) else {
      throw .foreign("line \(line): an escape without a byte in a text")
    }
    return value
  }
}
