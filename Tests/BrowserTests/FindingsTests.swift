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

  /// Without scrolling: the verdict, and the first finding with its fix.
  @Test(arguments: [(1280, 720), (400, 800)])
  func theVerdictAndTheFirstFindingAreOnTheFirstScreen(width: Int, height: Int) async throws {
    let run = RunBuilder {
      $0.connect()
      $0.caller(1, line: 42)
      for _ in 1...20 {
        $0.run(
          "SELECT loan.id, book.title FROM loan JOIN book ON book.id = loan.book WHERE loan.due < ?",
          caller: 1, rows: 3, step: 4_000_000, open: 4_000_000, vmSteps: 90_000,
          fullScanSteps: 12_800)
      }
      $0.disconnect(1)
    }
    let reports = try Reports()
    let path = try await reports.html(of: run.records)
    let page = try BrowserPage(path, width: width, height: height)
    defer { _ = reports }
    let verdict = try page.text("document.querySelector('.notice strong').textContent")
    #expect(verdict.contains("Worst: a full scan on 'loan' at app.py:42."), "\(verdict)")
    func bottom(_ selector: String) throws -> Double {
      try page.number("document.querySelector('\(selector)').getBoundingClientRect().bottom")
    }
    #expect(try bottom(".notice") < Double(height))
    #expect(try bottom("article.finding .fix") < Double(height))
    #expect(try page.isTrue("document.documentElement.scrollWidth <= innerWidth"))
    #expect(try page.complaints() == [])
  }

  @Test func theFixIsCopied() async throws {
    let run = RunBuilder {
      $0.connect()
      $0.caller(1, line: 42)
      $0.run("SELECT a FROM loan WHERE due = ?", caller: 1, rows: 3, fullScanSteps: 12_800)
      $0.disconnect(1)
    }
    let reports = try Reports()
    let path = try await reports.html(of: run.records)
    let page = try BrowserPage(path)
    defer { _ = reports }
    try page.evaluate(
      "navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    try page.click("article.finding button.copy")
    #expect(try page.text("window.copied") == "CREATE INDEX loan_due ON loan (due);")
    #expect(try page.text("document.querySelector('button.copy').textContent") == "Copied")
  }
}
