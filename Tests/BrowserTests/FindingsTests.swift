// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// The findings of a report with many of them, in a window as narrow as a phone's.
@Suite(.serialized, .enabled(if: Chromium.program != nil))
struct FindingsTests {
  private static let shown =
    "String(document.querySelectorAll('article.finding:not([hidden])').length)"

  private func page() async throws -> (page: BrowserPage, reports: Reports) {
    let run = RunBuilder {
      $0.open()
      for line in 1...72 {
        $0.fetch(
          "SELECT 0, t0.Z_PK FROM ZSTOP\(line) t0 WHERE t0.ZNAME = ?",
          at: SourceLocation(file: "transit/Search.swift", line: UInt64(line)), rows: 3,
          fullScanSteps: 12_800)
      }
    }
    let reports = try Reports()
    let path = try await reports.html(of: run.records)
    return (try BrowserPage(path, width: 390, height: 844), reports)
  }

  @Test func manyFindingsBeginFoldedAndUnfold() async throws {
    let (page, reports) = try await page()
    defer { _ = reports }
    #expect(try page.text(Self.shown) == "72")
    let folded = "String(document.querySelectorAll('article.finding.folded').length)"
    #expect(try page.text(folded) == "67")
    try page.evaluate("document.querySelectorAll('button.fold')[70].click()")
    #expect(try page.text(folded) == "66")
    #expect(try page.isTrue("document.documentElement.scrollWidth <= innerWidth"))
  }

  @Test func findingsAreFilteredByRuleSeverityAndLine() async throws {
    let (page, reports) = try await page()
    defer { _ = reports }
    try page.type("search.swift:42", into: "#findings input")
    #expect(try page.text(Self.shown) == "1")
    let count = "document.querySelector('#findings .shown').textContent"
    #expect(try page.text(count) == "1 of 72 findings")
    let options = "[...document.querySelectorAll('#findings option')].map((o) => o.textContent)"
    #expect(
      try page.texts(options)
        == ["all rules", "AvoidFullTableScan (72)", "all severities", "warning (72)"])
  }
}
