// SPDX-License-Identifier: Apache-2.0

/// Text that was copied from a page, a mail or a terminal, as its program printed it.
enum PlainText {
  /// The lines without markup, entities, colours, quotation marks and unusual spaces.
  static func lines(of text: String) -> [Substring] {
    var text = text
    if text.contains("\u{1b}") {
      text.replace(#/\u{1b}\[[0-9;?]*[ -\/]*[@-~]/#, with: "")
    }
    if text.contains("</") || text.contains("<br") { text = withoutTags(text) }
    // `&amp;gt;` was escaped twice.
    for _ in 0..<2 where text.contains("&") { text = withoutEntities(text) }
    text.unicodeScalars = String.UnicodeScalarView(
      text.unicodeScalars.compactMap(Self.printed(_:)))
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.indices.map { index in
      let neighbours = lines[max(0, index - 1)...min(lines.count - 1, index + 1)]
      guard isQuoted(lines[index]) else { return lines[index] }
      let rest = lines[index].trimmingPrefix(#/(\s*>\s?)+/#)
      // A line of SQL may begin with the same sign.
      let isAlone = neighbours.count(where: isQuoted) == 1
      return isAlone && rest.prefixMatch(of: #/[\[{(]|sqlite>|EXPLAIN |QUERY PLAN/#) == nil
        ? lines[index] : rest
    }
  }

  /// A scalar as it is meant: the separators of `.mode ascii`, the spaces of pages.
  private static func printed(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\u{feff}", "\u{200b}"..."\u{200f}", "\u{2060}", "\u{ad}", "\0": nil
    case "\u{1e}": "\n"
    case "\u{1f}": "|"
    case "\u{2018}", "\u{2019}": "'"
    case "\u{201c}", "\u{201d}": "\""
    case _ where scalar.properties.generalCategory == .spaceSeparator: " "
    default: scalar
    }
  }

  private static func isQuoted(_ line: Substring) -> Bool {
    line.drop { $0 == " " }.first == ">"
  }

  private static func withoutTags(_ text: String) -> String {
    var text = text
    text.replace(#/<\/t[dh]>\s*(?=<t[dh])/#.ignoresCase(), with: "|")
    text.replace(#/<br\s*\/?>\n?|<\/(p|div|li|tr|pre|blockquote)>\n?/#.ignoresCase(), with: "\n")
    text.replace(
      #/<\/?(p|div|li|ul|ol|tr|t[dh]|table|tbody|thead|pre|code|blockquote|span)(\s[^<>]*)?>/#
        .ignoresCase(), with: "")
    return text
  }

  private static func withoutEntities(_ text: String) -> String {
    var text = text
    text.replace(#/&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-z]{2,6});/#) { match in
      let name = match.1
      let number =
        name.hasPrefix("#x") || name.hasPrefix("#X")
        ? UInt32(name.dropFirst(2), radix: 16)
        : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      if let scalar = number.flatMap(Unicode.Scalar.init) { return String(scalar) }
      return named[String(name)] ?? String(match.0)
    }
    return text
  }

  private static let named = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'", "nbsp": " ",
  ]
}
