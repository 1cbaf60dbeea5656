// SPDX-License-Identifier: Apache-2.0

/// A code by which a terminal or a console colours the text after it.
///
///     ESC[1;31m      of a terminal
///     ESC[fg0,0,255; of Xcode's consoles until 2015; ESC[; ends it
///
/// Copied text often has another character instead of the escape character, or none.
enum ColourCode {
  /// The text without its codes, also codes without their escape character.
  static func removed(from text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "[")) else { return text }
    var text = text
    return text.withUTF8 { bytes in
      let plain = removed(from: UnsafeRawBufferPointer(bytes), isEscaped: false)
      return String(decoding: plain, as: UTF8.self)
    }
  }

  /// Whether a line has a bracket as of a code, and not as of `Notes[4711:1a2b]`.
  static func mayBe(in line: UnsafeRawBufferPointer) -> Bool {
    var cursor = ByteCursor(line)
    while cursor.consumeThrough("[") != nil {
      let numbers = cursor.consume { $0.isDigit || ",;".utf8.contains($0) }
      if numbers.last == UInt8(ascii: ";") { return true }
      if let next = cursor.next, "mfb".utf8.contains(next) { return true }
    }
    return false
  }

  /// - Parameter isEscaped: whether only codes with the escape character itself are removed.
  static func removed(from line: UnsafeRawBufferPointer, isEscaped: Bool) -> [UInt8] {
    var plain: [UInt8] = []
    var cursor = ByteCursor(line)
    while let byte = cursor.next {
      if !cursor.consumeColour(isEscaped: isEscaped) {
        plain.append(byte)
        cursor.skip()
      }
    }
    return plain
  }
}

extension ByteCursor {
  /// The escape character, and how it is shown: `^[`, `\033`, U+241B, U+FFFD, `#033` of syslog.
  private static let escapes: [StaticString] = [
    "\u{1b}", "^[", "\\033", "\\x1b", "\\x1B", "\\e", "\\u001b", "\\u001B", "\u{241b}",
    "\u{fffd}", "\u{2190}", "#033",
  ]

  fileprivate mutating func consumeColour(isEscaped: Bool) -> Bool {
    var ahead = self
    let hasEscape =
      isEscaped ? ahead.consume("\u{1b}") : Self.escapes.contains { ahead.consume($0) }
    guard hasEscape || !isEscaped, ahead.consume("[") else { return false }
    var terminal = ahead
    let numbers = terminal.consume { $0.isDigit || $0 == UInt8(ascii: ";") }
    if terminal.consume("m"), hasEscape || !numbers.isEmpty {
      self = terminal
      return true
    }
    let isNamed = ahead.consume("fg") || ahead.consume("bg")
    let channels = ahead.consume { $0.isDigit || $0 == UInt8(ascii: ",") }
    if ahead.consume(";"), isNamed || channels.isEmpty {
      self = ahead
      return true
    }
    return isEscaped && consumeOtherSequence()
  }

  /// Consumes a code of a terminal that is no colour, such as `ESC[K`.
  private mutating func consumeOtherSequence() -> Bool {
    _ = consume("\u{1b}[")
    _ = consume { !(0x40...0x7e).contains($0) }
    if !isAtEnd { skip() }
    return true
  }
}
