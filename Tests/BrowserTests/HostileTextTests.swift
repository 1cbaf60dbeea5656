// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// Markup in names and SQL, in a real browser: it has no effect.
@Suite(.serialized, .enabled(if: Chromium.program != nil))
struct HostileTextTests {
  static let texts = [
    "<img src=x onerror=\"hacked=1\">", "</script><script>hacked=1</script>",
    "</style><svg onload=hacked=1>", "\" onmouseover=\"hacked=1\" x=\"", "'-hacked=1-'",
    "{{{title}}} {{#sections}}", "--><!--<script>", "javascript:alert(1)",
    // A quote and a combining mark are one character to Swift, and two to a browser.
    "\"\u{301} onfocus=hacked=1 autofocus x=\"\u{301}", "a\u{2028}b\u{202e}c\u{0}d",
  ]

  @Test(arguments: texts) func markupOfTheDataDoesNothing(text: String) async throws {
    let reports = try Reports()
    var run = RunBuilder()
    run.process.name = text
    run.open(path: text)
    let place = SourceLocation(file: text, line: 1)
    for index in 0..<20 as Range<Int64> {
      let id = run.fetch(
        "SELECT \(index) FROM \(text) WHERE \"\(text)\" = ?", entity: text, at: place,
        fullScanSteps: 12_800)
      run.fault(text, relationship: text, pk: index, origin: id, at: place)
    }
    run.save()
    run.close()
    let html = try await reports.html(of: run.records)
    let page = try BrowserPage(html)
    for part in [0.01, 0.5, 0.99] {
      try page.hoverOver(".lane svg", at: part)
      try page.hoverOver(".track svg", at: part)
    }
    try page.dragOverTracks(from: 0.1, to: 0.9)
    try page.evaluate("for (const row of document.querySelectorAll('details')) row.open = true")
    try page.settle()
    #expect(try page.text("typeof hacked") == "undefined")
    #expect(try page.number("document.images.length") == 0)
    #expect(try page.number("document.scripts.length") == 2)
    #expect(try page.number("document.querySelectorAll('svg:not(.plot, .meter)').length") == 0)
    #expect(
      try page.number(
        "[...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length"
      ) == 0)
    #expect(try page.complaints() == [])
    // It is there to be read, though.
    let shown = try page.text("document.querySelector('#statements').textContent")
    #expect(shown.contains(text.unicodeScalars.contains("\u{2028}") ? "a\\u{2028}b" : text))
  }
}
