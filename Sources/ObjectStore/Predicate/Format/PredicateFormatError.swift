// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A predicate format that cannot be read, and where.
public struct PredicateFormatError: Error, Hashable, Sendable {
  /// The format string.
  public var format: String
  /// From 1.
  public var line: Int
  /// In characters, from 1.
  public var column: Int
  /// The unexpected text, such as `")"` or `the end`.
  public var found: String
  /// The expected text, such as `a value`.
  public var expected: String

  /// - Parameter offset: the offset in the format, in UTF-8 bytes.
  init(_ format: String, at offset: Int, found: String, expected: String) {
    self.format = format
    self.found = found
    self.expected = expected
    let utf8 = format.utf8
    let index = utf8.index(utf8.startIndex, offsetBy: min(offset, utf8.count))
    let before = format[..<index]
    line = 1 + before.utf8.count { $0 == UInt8(ascii: "\n") }
    let start = before.utf8.lastIndex(of: UInt8(ascii: "\n")).map { format.utf8.index(after: $0) }
    column = 1 + format[(start ?? format.startIndex)..<index].count
  }
}

extension PredicateFormatError: CustomStringConvertible {
  /// The sentence, the line of the format, and a caret under the position.
  public var description: String {
    let lines = format.split(separator: "\n", omittingEmptySubsequences: false)
    let text = line <= lines.count ? lines[line - 1] : ""
    // 60 characters to either side keep a caret in sight; a tab would move it.
    let from = max(0, column - 61)
    let shown = text.dropFirst(from).prefix(120).map { $0.isWhitespace ? " " : $0 }
    return
      "predicate format, line \(line), column \(column): found \(found), expected \(expected)\n"
      + LogText.escaped(String(shown)) + "\n" + String(repeating: " ", count: column - 1 - from)
      + "^"
  }
}
