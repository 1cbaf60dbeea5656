// SPDX-License-Identifier: Apache-2.0

/// Reads the values that babeltrace2 prints.
struct PrettyCursor {
  private var rest: Substring.UTF8View.SubSequence

  init(_ text: Substring.UTF8View) { rest = text[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// The text up to a mark, behind which the cursor moves; its first part stays if that is `", s"`.
  mutating func word(to mark: String, or other: String? = nil) -> String {
    var bytes: [UInt8] = []
    while !rest.isEmpty {
      if rest.starts(with: mark.utf8) || other.map({ rest.starts(with: $0.utf8) }) == true {
        rest = rest.dropFirst(other == nil ? mark.utf8.count : 2)
        break
      }
      bytes.append(rest.removeFirst())
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `{ a = 1, b = "text" }`; `nil` if it is not complete.
  mutating func members() -> [String: PrettyEvent.Value]? {
    guard take("{") else { return nil }
    if take(" }") || take("}") { return [:] }
    var result: [String: PrettyEvent.Value] = [:]
    repeat {
      _ = take(" ")
      let name = word(to: " = ")
      guard let value = value() else { return nil }
      result[name] = value
    } while take(",")
    return take(" }") ? result : nil
  }

  private mutating func value() -> PrettyEvent.Value? {
    switch rest.first {
    case UInt8(ascii: "\""): return text().map { .text($0) }
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): return skip() ? .other : nil
    default:
      let bytes = rest.prefix { !", ".utf8.contains($0) }
      rest = rest.dropFirst(bytes.count)
      return .number(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Moves behind a value in brackets.
  private mutating func skip() -> Bool {
    var depth = 0
    while let byte = rest.first {
      if byte == UInt8(ascii: "\"") {
        guard text() != nil else { return false }
        continue
      }
      rest.removeFirst()
      if "{[(".utf8.contains(byte) { depth += 1 }
      if "}])".utf8.contains(byte) { depth -= 1 }
      if depth == 0 { return true }
    }
    return false
  }

  private mutating func text() -> String? {
    rest.removeFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { return nil }
      switch Character(UnicodeScalar(escaped)) {
      case "a": bytes.append(7)
      case "b": bytes.append(8)
      case "t": bytes.append(9)
      case "n": bytes.append(10)
      case "v": bytes.append(11)
      case "f": bytes.append(12)
      case "r": bytes.append(13)
      case "e": bytes.append(27)
      case "x":
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      default: bytes.append(escaped)
      }
    }
    return nil
  }
}
