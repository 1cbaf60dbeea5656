// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Testing

@Suite struct SearchNormalizedTests {
  @Test(arguments: [
    ("U G\u{F6}rlitzer Bahnhof (Berlin)", "u gorlitzer bahnhof (berlin)"),
    ("U Go\u{308}rlitzer Bahnhof (Berlin)", "u gorlitzer bahnhof (berlin)"),
    ("Gedenkstätte Dt. Widerstand (Berlin)", "gedenkstatte dt. widerstand (berlin)"),
    ("Weißer Weg", "weißer weg"), ("Łódź", "łodz"), ("Ελλάδα", "ελλαδα"), ("각", "각"), ("", ""),
    ("İstanbul", "istanbul"), ("A\0B", "a\0b"),
  ])
  func foldsMarksAndCase(text: String, folded: String) {
    // Bytes, because == of strings holds both forms of ö for equal.
    #expect(Array(text.searchNormalized.utf8) == Array(folded.utf8))
  }

  /// Foundation's normal forms, which the store does without.
  private func expected(_ text: String) -> String {
    var stripped = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
    where scalar.properties.generalCategory != .nonspacingMark { stripped.append(scalar) }
    return String(stripped).lowercased().precomposedStringWithCanonicalMapping
  }

  @Test func agreesWithFoundationAndIsIdempotent() {
    var generator = SeededGenerator(7)
    let ranges: [ClosedRange<UInt32>] = [
      0x00...0x7f, 0x80...0x24f, 0x300...0x36f, 0x370...0x5ff, 0x900...0x9ff, 0x1e00...0x1fff,
      0xac00...0xd7a3, 0x1100...0x11ff, 0x2100...0x214f, 0xe000...0xffff, 0x1_0000...0x1_ffff,
      0x10_fff0...0x10_ffff,
    ]
    for _ in 0..<5_000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) {
          text.append(scalar)
        }
      }
      let normalized = String(text).searchNormalized
      #expect(Array(normalized.utf8) == Array(expected(String(text)).utf8))
      #expect(Array(normalized.searchNormalized.utf8) == Array(normalized.utf8))
    }
  }

  @Test func losesNoMoreThanMarksAndCase() {
    #expect("S+U Überstraße/Jägerweg".searchNormalized == "s+u uberstraße/jagerweg")
    #expect("s+u uberstraße/jagerweg".searchNormalized == "s+u uberstraße/jagerweg")
  }
}
