// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing

@Suite struct LogTextTests {
  private func hasBareQuote(_ text: some Sequence<Unicode.Scalar>) -> Bool {
    var isEscaped = false
    for scalar in text {
      if scalar == "\"" && !isEscaped { return true }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return false
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("Görlitzer", "Görlitzer"), ("a\nb", #"a\nb"#),
    ("a\r\nb", #"a\r\nb"#), ("tab\t", #"tab\t"#), (#"back\slash"#, #"back\\slash"#),
    ("\u{1b}[31mred", #"\u{1b}[31mred"#), ("\u{0}", #"\u{0}"#), ("\u{2028}", #"\u{2028}"#),
    ("\u{202e}evil", #"\u{202e}evil"#), ("\u{85}", #"\u{85}"#),
  ])
  func escapesTextThatCouldForgeALine(text: String, escaped: String) {
    #expect(LogText.escaped(text) == escaped)
    #expect(LogText.unescaped(escaped[...]) == text)
  }

  @Test func quotesStayInsideTheQuotes() {
    #expect(LogText.quoted(#"say "hi""#) == #""say \"hi\"""#)
    #expect(LogText.quoted("\"\u{301}") == "\"\\\"\u{301}\"")
  }

  @Test func unknownEscapesStandForThemselves() {
    #expect(LogText.unescaped(#"\q\u{}\u{zz}\u"#) == #"q\u{}\u{zz}\u"#)
  }

  @Test func anyTextSurvivesTheRoundTrip() {
    var random = SeededGenerator(seed: 42)
    let pool: [Unicode.Scalar] = [
      "a", "\\", "\"", "\n", "\r", "\t", "u", "{", "}", "1", "\u{0}", "\u{1b}", "\u{301}", "ö",
      "\u{2028}", "\u{202e}", "😀", "n", " ",
    ]
    for _ in 0..<20_000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        view.append(pool[Int.random(in: 0..<pool.count, using: &random)])
      }
      let text = String(view)
      let escaped = LogText.escaped(text)
      #expect(LogText.unescaped(escaped[...]).unicodeScalars.elementsEqual(text.unicodeScalars))
      #expect(!escaped.unicodeScalars.contains { $0.value < 0x20 })
      let quoted = LogText.quoted(text)
      let inside = quoted.unicodeScalars.dropFirst().dropLast()
      #expect(!hasBareQuote(inside))
      #expect(
        LogText.unescaped(Substring(inside)).unicodeScalars.elementsEqual(text.unicodeScalars))
    }
  }
}
