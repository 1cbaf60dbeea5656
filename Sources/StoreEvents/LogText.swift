// SPDX-License-Identifier: Apache-2.0

/// Text from data made safe for one line of a log, and back.
///
/// The backslash and all that is unsafe in text (``Swift/Unicode/Scalar/isUnsafeInText``) are escaped,
/// so that no value can forge a line, move a terminal's cursor or hide a part of itself.
public enum LogText {
  /// `a⏎b\c` becomes `a\nb\\c`; other control characters become `\u{1b}`.
  public static func escaped(_ text: String) -> String { escaped(text, quote: false) }

  /// A value between double quotes, `"` escaped as well.
  public static func quoted(_ text: String) -> String { "\"" + escaped(text, quote: true) + "\"" }

  private static func escaped(_ text: String, quote: Bool) -> String {
    guard text.unicodeScalars.contains(where: { needsEscape($0) || quote && $0 == "\"" }) else {
      return text
    }
    // Scalars, not characters: `"` before a combining mark is still a quote to a reader.
    var result = String.UnicodeScalarView()
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += #"\\"#.unicodeScalars
      case "\n": result += #"\n"#.unicodeScalars
      case "\r": result += #"\r"#.unicodeScalars
      case "\t": result += #"\t"#.unicodeScalars
      case "\"" where quote: result += #"\""#.unicodeScalars
      case _ where needsEscape(scalar):
        result += scalar.visibleEscape.unicodeScalars
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Undoes ``escaped(_:)`` and the inside of ``quoted(_:)``; an unknown escape stands for itself.
  public static func unescaped(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let escape = rest.popFirst() else {
        result.append(scalar)
        continue
      }
      switch escape {
      case "n": result.append("\n")
      case "r": result.append("\r")
      case "t": result.append("\t")
      case "u":
        if rest.first == "{", let end = rest.firstIndex(of: "}"),
          let value = UInt32(String(rest[rest.index(after: rest.startIndex)..<end]), radix: 16),
          let scalar = Unicode.Scalar(value)
        {
          result.append(scalar)
          rest = rest[rest.index(after: end)...]
        } else {
          result.append("\\")
          result.append("u")
        }
      default: result.append(escape)
      }
    }
    return String(result)
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\\" || scalar.isUnsafeInText
  }
}
