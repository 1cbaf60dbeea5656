// SPDX-License-Identifier: Apache-2.0

/// Text of a manual page, in the macros of man(7).
struct Roff {
  private(set) var text = ""

  mutating func macro(_ name: String, _ arguments: String...) {
    text += ([".\(name)"] + arguments).joined(separator: " ") + "\n"
  }

  /// A line of running text, escaped if it starts like a macro.
  mutating func line(_ words: String) {
    let words = Self.escaped(words)
    text += (words.hasPrefix(".") || words.hasPrefix("'") ? "\\&" : "") + words + "\n"
  }

  /// A line that already contains font escapes.
  mutating func raw(_ line: String) { text += line + "\n" }

  /// Paragraphs; lines that begin with the tool's name are examples.
  mutating func discussion(_ text: String) {
    var isExample = false
    for (index, line) in text.split(separator: "\n").enumerated() {
      let startsExample = line.hasPrefix("trace-report ")
      if startsExample, !isExample {
        macro("PP")
        macro("EX")
      } else if isExample, !startsExample {
        macro("EE")
        macro("PP")
      } else if index == 0 {
        macro("PP")
      }
      isExample = startsExample
      self.line(String(line))
    }
    if isExample { macro("EE") }
  }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// Escapes backslashes, literal hyphens, and characters that are not ASCII.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
    return result
  }
}
