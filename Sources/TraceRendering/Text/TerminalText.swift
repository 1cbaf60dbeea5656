// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Text from data, made safe for a terminal, cut and wrapped by the columns it fills.
enum TerminalText {
  /// The escaped text, cut to a width with `…`; an escape is never cut in two.
  static func fitted(_ text: String, to width: Int) -> String {
    cut(escaped(text), to: width)
  }

  /// The same for a text that is already escaped.
  static func cut(_ text: String, to width: Int) -> String {
    let units = units(ofEscaped: text)
    if units.reduce(0, { $0 + $1.width }) <= width { return units.map(\.text).joined() }
    var result = ""
    var used = 1
    for unit in units {
      used += unit.width
      if used > width { break }
      result += unit.text
    }
    return width > 0 ? result + "…" : ""
  }

  /// The escaped text, cut at its beginning: `…/Search.swift:42` of a long path.
  static func fittedToEnd(_ text: String, to width: Int) -> String {
    let units = units(of: text)
    if units.reduce(0, { $0 + $1.width }) <= width { return units.map(\.text).joined() }
    var used = 1
    let end = units.reversed().prefix { unit in
      used += unit.width
      return used <= width
    }
    return width > 0 ? "…" + end.reversed().map(\.text).joined() : ""
  }

  /// The escaped text in lines of at most a width, broken at spaces where there are any.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    let width = max(width, 1)
    var lines: [String] = []
    var line = ""
    var used = 0
    func flush() {
      lines.append(line)
      line = ""
      used = 0
    }
    for word in escaped(text).split(separator: " ", omittingEmptySubsequences: true) {
      let word = Self.units(ofEscaped: String(word))
      let needed = word.reduce(0) { $0 + $1.width }
      if used > 0, used + 1 + needed > width { flush() }
      if used > 0 {
        line += " "
        used += 1
      }
      for unit in word {
        if used > 0, used + unit.width > width { flush() }
        line += unit.text
        used += unit.width
      }
    }
    if used > 0 || lines.isEmpty { flush() }
    return lines
  }

  /// The text behind spaces that fill a width.
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - self.width(text), 0)) + text
  }

  /// The columns that a text fills, its escapes included.
  static func width(_ text: String) -> Int { units(of: text).reduce(0) { $0 + $1.width } }

  /// The columns that a text fills which is escaped already.
  static func width(ofEscaped text: String) -> Int {
    units(ofEscaped: text).reduce(0) { $0 + $1.width }
  }

  private typealias Unit = (text: String, width: Int)

  private static func units(of text: String) -> [Unit] { units(ofEscaped: escaped(text)) }

  /// The escaped text; a backslash that does not begin an escape is unchanged: `Index(\.name)`.
  static func escaped(_ text: String) -> String {
    let escaped = LogText.escaped(text)
    guard escaped.contains(#"\\"#) else { return escaped }
    var result = ""
    var rest = escaped[...]
    while let character = rest.popFirst() {
      result.append(character)
      guard character == "\\", let second = rest.popFirst() else { continue }
      let isAmbiguous = rest.first.map(#"\nrtu""#.contains) ?? true
      if second != "\\" || isAmbiguous { result.append(second) }
    }
    return result
  }

  /// `a\u{1b}漢` is three units: a letter, an escape of six columns, a character of two.
  private static func units(ofEscaped text: String) -> [Unit] {
    var units: [Unit] = []
    var rest = text[...]
    while let character = rest.popFirst() {
      var unit = String(character)
      if character == "\\", let kind = rest.popFirst() {
        unit.append(kind)
        if kind == "u", rest.first == "{", let end = rest.firstIndex(of: "}") {
          unit += rest[...end]
          rest = rest[rest.index(after: end)...]
        }
        units.append((unit, unit.count))
      } else {
        units.append((unit, character.terminalColumns))
      }
    }
    return units
  }
}

extension Character {
  /// Two for East Asian wide characters and emoji, zero for combining marks, otherwise one.
  ///
  /// See <https://www.unicode.org/reports/tr11/>.
  var terminalColumns: Int {
    guard let first = unicodeScalars.first, first.value >= 0x300 else { return 1 }
    switch first.value {
    case 0x1100...0x115f, 0x231a...0x231b, 0x23e9...0x23ec, 0x25fd...0x25fe, 0x2614...0x2615,
      0x2648...0x2653, 0x26aa...0x26ab, 0x26bd...0x26be, 0x26c4...0x26c5, 0x26f2...0x26f3,
      0x270a...0x270b, 0x2753...0x2755, 0x2795...0x2797, 0x2b1b...0x2b1c, 0x2e80...0xa4cf,
      0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1b000...0x1b2ff,
      0x1f1e6...0x1f1ff, 0x1f200...0x1f265, 0x1f300...0x1f64f, 0x1f680...0x1f6ff,
      0x1f7e0...0x1f7eb, 0x1f900...0x1f9ff, 0x1fa70...0x1faff, 0x20000...0x3fffd:
      return 2
    default: break
    }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    // U+FE0F selects the coloured form, which is wide.
    default: return unicodeScalars.contains("\u{fe0f}") ? 2 : 1
    }
  }
}
