// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StoreInstruments

@Suite struct TraceStringTests {
  @Test(arguments: [
    ("", ""), ("Stop", "Stop"),
    ("U Görlitzer Bahnhof (Berlin) 🚉", "U Görlitzer Bahnhof (Berlin) 🚉"),
    ("\0", "\\u{0}"), ("a\0b\0\0", "a\\u{0}b\\u{0}\\u{0}"),
    (
      String(repeating: "long ", count: 500) + "\0!",
      String(repeating: "long ", count: 500) + "\\u{0}!"
    ),
  ])
  func embeddedNULDoesNotCutText(text: String, expected: String) {
    #expect(text.withoutNUL == expected)
  }
}
