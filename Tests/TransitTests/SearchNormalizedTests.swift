// SPDX-License-Identifier: Apache-2.0

import Testing
import TransitModel

@Suite struct SearchNormalizedTests {
  @Test(arguments: [
    ("U G\u{F6}rlitzer Bahnhof (Berlin)", "u gorlitzer bahnhof (berlin)"),
    ("U Go\u{308}rlitzer Bahnhof (Berlin)", "u gorlitzer bahnhof (berlin)"),
    ("Gedenkstätte Dt. Widerstand (Berlin)", "gedenkstatte dt. widerstand (berlin)"),
    ("Weißer Weg", "weißer weg"), ("Łódź", "łodz"), ("Ελλάδα", "ελλαδα"), ("각", "각"), ("", ""),
  ])
  func foldsMarksAndCase(text: String, folded: String) {
    // Bytes, because == of strings holds both forms of ö for equal.
    #expect(Array(text.searchNormalized.utf8) == Array(folded.utf8))
  }

  @Test func foldsWhatIsFoldedIntoItself() {
    let folded = "S+U Überstraße/Jägerweg".searchNormalized
    #expect(folded == "s+u uberstraße/jagerweg")
    #expect(folded.searchNormalized == folded)
  }
}
