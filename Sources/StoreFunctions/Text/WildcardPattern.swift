// SPDX-License-Identifier: Apache-2.0

/// A pattern of LIKE: `?` is one character, `*` any number; `\` quotes the next one.
///
/// Characters are Swift's: "é" is one, of one scalar or of two.
struct WildcardPattern {
  private enum Element<Unit: Equatable>: Equatable {
    case unit(Unit)
    case one
    case any
  }

  private let folding: StringFolding
  private var elements: [Element<Character>] = []
  /// The same for a text of ASCII, where each byte is a character; empty if the pattern is not.
  private var bytes: [Element<UInt8>] = []

  init(_ pattern: String, _ folding: StringFolding) {
    self.folding = folding
    var rest = pattern.unicodeScalars[...]
    var literal = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "?", "*":
        append(&literal)
        if scalar == "?" {
          elements.append(.one)
        } else if elements.last != .any {
          elements.append(.any)
        }
      case "\\": literal.append(rest.popFirst() ?? scalar)
      default: literal.append(scalar)
      }
    }
    append(&literal)
    bytes = Self.bytes(of: elements)
  }

  private mutating func append(_ literal: inout String.UnicodeScalarView) {
    elements += folding.folded(String(literal)).map(Element.unit)
    literal = .init()
  }

  private static func bytes(of elements: [Element<Character>]) -> [Element<UInt8>] {
    var bytes: [Element<UInt8>] = []
    for element in elements {
      switch element {
      case .one: bytes.append(.one)
      case .any: bytes.append(.any)
      case .unit(let character):
        // CR and LF together are one character.
        guard let byte = character.asciiValue, character.utf8.count == 1, byte != 0x0D else {
          return []
        }
        bytes.append(.unit(byte))
      }
    }
    return bytes
  }

  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if !bytes.isEmpty, !folding.contains(.localized),
      text.allSatisfy({ $0 < 0x80 && $0 != 0x0D })
    {
      return folding.contains(.case)
        ? Self.matches(text.lazy.map(StringFolding.lowered), bytes) : Self.matches(text, bytes)
    }
    return Self.matches(Array(folding.folded(String(decoding: text, as: UTF8.self))), elements)
  }

  /// Takes time in proportion to pattern × text at worst: only the last `*` is tried again.
  private static func matches<Text: RandomAccessCollection>(
    _ text: Text, _ elements: [Element<Text.Element>]
  ) -> Bool where Text.Index == Int {
    var position = text.startIndex
    var element = 0
    var retry: (position: Int, element: Int)?
    while position < text.endIndex {
      if element < elements.count, elements[element] == .any {
        element += 1
        retry = (position, element)
      } else if element < elements.count,
        elements[element] == .one || elements[element] == .unit(text[position])
      {
        element += 1
        position += 1
      } else if let last = retry {
        retry = (last.position + 1, last.element)
        (position, element) = (last.position + 1, last.element)
      } else {
        return false
      }
    }
    return elements[element...].allSatisfy { $0 == .any }
  }
}
