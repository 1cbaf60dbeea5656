// SPDX-License-Identifier: Apache-2.0

/// The source of a web page, as of a log viewer: its tags are removed, and its rows become lines.
///
///     <div class="line"><span>CoreData:</span> sql: COMMIT</div>
///
/// becomes the line
///
///     CoreData: sql: COMMIT
///
/// Entities stay: the reader of Core Data's lines decodes them.
struct MarkupConversion: TextConversion {
  private enum State { case text, tag, comment }

  private var state = State.text
  private var tag: [UInt8] = []
  /// `script` or `style`, until it ends.
  private var skipped: String?

  // 4 KiB is arbitrary: a tag may have a picture in an attribute, and that is then text.
  private static let maxTag = 4 << 10

  private static let rows: Set = [
    "article", "blockquote", "body", "br", "dd", "div", "dl", "dt", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "tbody", "tfoot", "thead", "title", "tr", "ul",
  ]
  private static let cells: Set = ["td", "th"]
  private static let words: Set = [
    "a", "b", "button", "code", "em", "font", "i", "img", "input", "kbd", "label", "link", "mark",
    "meta", "s", "samp", "script", "small", "span", "strong", "style", "sub", "sup", "tt", "u",
  ]

  /// Whether a text begins with a tag, or has one in a line of Core Data's own words.
  static func isNeeded(head: [UInt8]) -> Bool {
    let text = head.drop { " \t\r\n".utf8.contains($0) }
    if text.first == UInt8(ascii: "<"), startsTag(text) { return true }
    return head.split(separator: UInt8(ascii: "\n")).contains { line in
      line.withUnsafeBytes { bytes in
        var cursor = ByteCursor(bytes)
        guard cursor.consumeThrough("CoreData: ") != nil, !cursor.rest.hasPrefix("details: ") else {
          return false
        }
        return line.indices.contains { line[$0] == UInt8(ascii: "<") && startsTag(line[$0...]) }
      }
    }
  }

  private static func startsTag(_ text: ArraySlice<UInt8>) -> Bool {
    let tag = text.prefix { $0 != UInt8(ascii: ">") }
    return text.starts(with: "<!doctype".utf8) || text.starts(with: "<!DOCTYPE".utf8)
      || text.starts(with: "<!--".utf8)
      || tag.endIndex < text.endIndex && name(of: tag.dropFirst()) != nil
  }

  /// The name of a tag of HTML; nil for other text, such as `<x-coredata://…` and `<NSManagedObject: 0x…`.
  private static func name(of tag: ArraySlice<UInt8>) -> String? {
    let body = tag.drop { $0 == UInt8(ascii: "/") }
    let name = String(
      decoding: body.prefix { $0.isNameByte || $0.isUpper || $0.isDigit }, as: UTF8.self
    ).lowercased()
    guard rows.contains(name) || cells.contains(name) || words.contains(name) else { return nil }
    let next = body.dropFirst(name.utf8.count).first
    return next.map { " \t\r\n/".utf8.contains($0) } ?? true ? name : nil
  }

  mutating func convert(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    var text: [UInt8] = []
    for byte in bytes { read(byte, &text) }
    if isLast, state == .tag { text += tag }
    return text
  }

  private mutating func read(_ byte: UInt8, _ text: inout [UInt8]) {
    switch state {
    case .text:
      if byte == UInt8(ascii: "<") {
        (state, tag) = (.tag, [byte])
      } else if skipped == nil {
        text.append(byte)
      }
    case .tag:
      if byte == UInt8(ascii: "<") {
        endText(&text)
        tag = []
      }
      tag.append(byte)
      if tag.starts(with: "<!--".utf8) {
        state = .comment
      } else if byte == UInt8(ascii: ">") {
        endTag(&text)
      } else if tag.count > Self.maxTag {
        endText(&text)
      }
    case .comment:
      tag = tag.suffix(2) + [byte]
      if tag.elementsEqual("-->".utf8) { state = .text }
    }
  }

  /// Ends a text that looked like a tag.
  private mutating func endText(_ text: inout [UInt8]) {
    state = .text
    if skipped == nil { text += tag }
  }

  private mutating func endTag(_ text: inout [UInt8]) {
    let isEnd = tag.dropFirst().first == UInt8(ascii: "/")
    guard let name = Self.name(of: tag.dropFirst().dropLast()) else {
      if tag.dropFirst().first == UInt8(ascii: "!") { return state = .text }
      return endText(&text)
    }
    state = .text
    if isEnd, name == skipped { skipped = nil }
    guard skipped == nil else { return }
    if Self.rows.contains(name) {
      if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
    } else if Self.cells.contains(name) {
      if !isEnd { text.append(UInt8(ascii: " ")) }
    } else if !isEnd, name == "script" || name == "style" {
      skipped = name
    }
  }
}
