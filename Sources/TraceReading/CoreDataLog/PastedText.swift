// SPDX-License-Identifier: Apache-2.0

/// Undoes the changes that pages, editors and terminals make to the lines of a log.
///
///     WHERE  t0.ZTITLE &gt;= ?          WHERE  t0.ZTITLE >= ?
///     [32mCoreData: sql: COMMIT[0m      CoreData: sql: COMMIT
///     CoreData: sql: COMMIT{code}       CoreData: sql: COMMIT
struct PastedText {
  private enum Change: CaseIterable { case spaces, colours, quotes, fences, entities }

  /// The changes that Core Data's own words had, so that values have them as well.
  private var found: Set<Change> = []

  var hasEntities: Bool { found.contains(.entities) }

  /// The text of a line; nil where it is as it stands.
  mutating func decoded(_ line: UnsafeRawBufferPointer) -> String? {
    guard line.contains(where: Self.isMarkup) || ColourCode.mayBe(in: line) else { return nil }
    var text = String(decoding: line, as: UTF8.self)
    for change in Change.allCases {
      let changed = Self.without(change, text)
      guard changed != text else { continue }
      // A value may have such text by itself; SQL and annotations of Core Data do not.
      if found.contains(change) || Self.isOwn(changed, orValue: change == .quotes) {
        found.insert(change)
        text = changed
      }
    }
    return text.utf8.elementsEqual(line) ? nil : text
  }

  private static func isMarkup(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "`")
      || byte == UInt8(ascii: "}")
  }

  /// - Parameter orValue: whether also the quotes of a value are Core Data's.
  private static func isOwn(_ text: String, orValue: Bool) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      let line = CoreDataLine(UnsafeRawBufferPointer(bytes))
      return line.map { line in
        line.category == .sql || line.category == .annotation
          || orValue && line.category == .details
      } ?? false
    }
  }

  private static func without(_ change: Change, _ text: String) -> String {
    switch change {
    case .spaces: return withPlainSpaces(text)
    case .colours: return ColourCode.removed(from: text)
    case .quotes: return withPlainQuotes(text)
    case .fences:
      guard let fence = fences.first(where: text.hasSuffix) else { return text }
      let isAround = fence == "`" && text.hasPrefix("`")
      // SQL may end with a name in such quotes.
      let isPaired = text.count(where: { $0 == "`" }).isMultiple(of: 2)
      if fence == "`", !isAround, isPaired { return text }
      return String(text.dropLast(fence.count).dropFirst(isAround ? 1 : 0))
    case .entities: return text.contains("&") ? withoutEntities(text) : text
    }
  }

  private static let fences = ["{code}", "{noformat}", "```", "`"]

  /// Whether a line is a fence alone, with the name of a language, or the names of the columns of `log show`.
  static func isFrame(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = line.trimmed.first, "`~{T".utf8.contains(first) else { return false }
    let text = String(decoding: line.prefix(100), as: UTF8.self)
    return text.wholeMatch(of: #/[ \t]*(?:(?:```|~~~)[\w+-]*|\{(?:code|noformat)[^{}]*\})\s*/#)
      != nil
      || text.prefixMatch(of: #/Timestamp +(?:Ty +Process|Thread +Type|\(process\))/#) != nil
  }

  /// Replaces spaces that do not break or have another width by spaces, and removes spaces without
  /// a width.
  private static func withPlainSpaces(_ text: String) -> String {
    guard text.utf8.contains(where: { [0xc2, 0xe2, 0xef].contains($0) }) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x200b...0x200f, 0x2060, 0xfeff: continue
      case 0xa0, 0x2000...0x200a, 0x2028, 0x202f, 0x3000: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// An editor changes all quotes of a line.
  private static func withPlainQuotes(_ text: String) -> String {
    guard !text.utf8.contains(where: { "\"'".utf8.contains($0) }) else { return text }
    return String(
      text.map { "“”„".contains($0) ? "\"" : "‘’‚".contains($0) ? "'" : $0 })
  }

  private static let entities: [Substring: String] = [
    "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "amp": "&",
  ]

  /// Each entity once: `&amp;lt;` is the text `&lt;`.
  private static func withoutEntities(_ text: String) -> String {
    text.replacing(#/&(?:#(x?)([0-9A-Fa-f]{1,6})|([a-z]{2,4}));/#) { match in
      let (whole, hex, digits, name) = match.output
      guard let digits else { return name.flatMap { entities[$0] } ?? String(whole) }
      let scalar = UInt32(digits, radix: hex?.isEmpty == false ? 16 : 10).flatMap(
        Unicode.Scalar.init)
      return scalar.map { $0.value == 0xa0 ? " " : String($0) } ?? String(whole)
    }
  }
}
