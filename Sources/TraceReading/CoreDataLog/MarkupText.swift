// SPDX-License-Identifier: Apache-2.0

/// Decodes a log that was copied from a web page: HTML entities, and spaces that do not break.
///
///     WHERE  t0.ZTITLE &gt;= ?          WHERE  t0.ZTITLE >= ?
struct MarkupText {
  /// Whether Core Data's own words had entities, so that values have them as well.
  private(set) var hasEntities = false

  private static let entities: [(name: String, text: String)] = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"),
    ("&#34;", "\""), ("&#60;", "<"), ("&#62;", ">"), ("&nbsp;", " "), ("&#160;", " "),
    // Last, since `&amp;lt;` is the text `&lt;`.
    ("&amp;", "&"),
  ]

  /// The text of a line; nil where it is as it stands.
  mutating func decoded(_ line: UnsafeRawBufferPointer) -> String? {
    let hasMarks = line.contains(UInt8(ascii: "&"))
    guard hasMarks || line.contains(0xc2) else { return nil }
    var text = String(decoding: line, as: UTF8.self)
    if text.contains("\u{a0}") {
      var spaced = text.replacing("\u{a0}", with: " ")
      if spaced.withUTF8({ CoreDataLine(UnsafeRawBufferPointer($0))?.isMarked == true }) {
        text = spaced
      }
    }
    if hasMarks, hasEntities || isOfMarkup(text) {
      hasEntities = true
      for entity in Self.entities { text.replace(entity.name, with: entity.text) }
    }
    return text.utf8.elementsEqual(line) ? nil : text
  }

  /// Whether SQL or an annotation of Core Data has an entity, which neither has by itself.
  private func isOfMarkup(_ text: String) -> Bool {
    var text = text
    let isOwn = text.withUTF8 { bytes in
      let line = CoreDataLine(UnsafeRawBufferPointer(bytes))
      return line.map { $0.category == .sql || $0.category == .annotation } ?? false
    }
    return isOwn && ["&lt;", "&gt;", "&quot;", "&#39;"].contains(where: text.contains)
  }
}
