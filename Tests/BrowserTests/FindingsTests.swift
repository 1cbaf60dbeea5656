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

  @Test func aFindingLeadsToItsPlaceInTimeAndBack() async throws {
    let run = RunBuilder {
      $0.connect()
      $0.caller(1, line: 42)
      $0.caller(2, line: 50)
      for _ in 1...20 { $0.run("SELECT a FROM book WHERE id = ?", caller: 2) }
      for _ in 1...20 {
        $0.run("SELECT a FROM loan WHERE due = ?", caller: 1, rows: 3, fullScanSteps: 12_800)
      }
      $0.disconnect(1)
    }
    let records = run.records.enumerated().map { index, record in
      var record = record
      record.timestamp = 1_795_270_348_000_000_000 + Int64(index) * 100_000_000
      return record
    }
    let reports = try Reports()
    let page = try BrowserPage(try await reports.html(of: records))
    defer { _ = reports }
    try page.click("#finding-1 button.moment")
    #expect(try page.column("runs", of: "statements") == ["20"])
    #expect(try page.column("line of code", of: "callers") == ["app.py:42"])
    #expect(try page.text("document.activeElement.id") == "timeline")
    let links = "[...document.querySelectorAll('#range .found a')].map((one) => one.hash)"
    #expect(try page.texts(links) == ["#finding-1"])
    try page.click("#range .found a")
    #expect(try page.text("location.hash") == "#finding-1")
    // In the first half nothing was found.
    try page.dragOverTracks(from: 0.001, to: 0.4)
    #expect(try page.texts(links) == [])
    try page.click("#clear-range")
    #expect(try page.column("runs", of: "statements").count == 2)
    #expect(try page.complaints() == [])
  }

  /// Two connections of a recorded program: the finding has the line and the statement of the one that holds.
  @Test func aWaitShowsTheLineOfItsHolder() async throws {
    let reports = try Reports()
    let (script, trace) = (reports.folder.path("app.py"), reports.folder.path("trace"))
    try """
    import sqlite3, sys, threading, time
    def connect(): return sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
    connect().execute("CREATE TABLE t (a)")
    held = threading.Event()
    def hold():
        c = connect()
        c.execute("BEGIN IMMEDIATE")
        c.execute("INSERT INTO t VALUES ('held')")
        held.set()
        time.sleep(1.5)
        c.execute("COMMIT")
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    connect().execute("INSERT INTO t VALUES ('waited')")
    holder.join()
    """.write(toFile: script, atomically: false, encoding: .utf8)
    let run = try await Program("trace-report").run(
      "record", "--log", "-o", trace, "--", "python3", script, reports.folder.path("app.db"))
    #expect(run.status == 0, "\(run.error)")
    let page = try BrowserPage(try await reports.html(of: trace), width: 400, height: 800)
    defer { _ = reports }
    let finding = try page.text("document.querySelector('#finding-1').innerText")
    #expect(finding.contains("app.py:15"), "\(finding)")
    #expect(finding.firstMatch(of: /held by .*app\.py:[6-8]/) != nil, "\(finding)")
    try page.click("#finding-1 button.moment")
    #expect(
      try page.texts("[...document.querySelectorAll('#range .found a')].map((one) => one.hash)")
        .contains("#finding-1"))
    #expect(
      try page.isTrue(
        "Boolean(document.querySelector('[data-track=waits] path').getAttribute('d'))"))
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
