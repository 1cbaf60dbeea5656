// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// The page of `diff --html` in a real browser.
@Suite(.serialized, .enabled(if: Chromium.program != nil))
struct DifferencePageTests {
  private static let search = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = ?"
  private static let scan = "SELECT 0, t0.Z_PK FROM ZTRIP t0"
  private static let count = "SELECT COUNT(*) FROM ZTRIP t0"

  private func page() async throws -> BrowserPage {
    let reports = try Reports()
    let before = RunBuilder {
      $0.open()
      $0.fetch(Self.search, total: 9_000_000, fullScanSteps: 12_800)
      $0.fetch(Self.scan, entity: "Trip", at: SourceLocation(file: "a/A.swift", line: 1))
      $0.close()
    }
    let after = RunBuilder {
      $0.open()
      $0.fetch(Self.search, total: 1_000_000)
      $0.fetch(Self.count, entity: "Trip", at: SourceLocation(file: "b/B.swift", line: 2))
      $0.close()
    }
    var paths: [String] = []
    for (name, run) in [("before", before), ("after", after)] {
      paths.append(reports.folder.path("\(name).log"))
      try Reports.log(of: run.records).write(
        toFile: paths[paths.count - 1], atomically: false, encoding: .utf8)
    }
    for (name, index) in [("old", ""), ("new", "CREATE INDEX byName ON ZSTOP(ZNAME);")] {
      try await makeStore(reports.folder.path("\(name).sqlite"), index: index)
    }
    let html = reports.folder.path("diff.html")
    let run = try await Program("trace-report").run(
      "diff", paths[0], paths[1], "--html", html, "--database", reports.folder.path("old.sqlite"),
      "--database", reports.folder.path("new.sqlite"))
    #expect(run.status == 0, "\(run.error)")
    return try BrowserPage(html)
  }

  private func makeStore(_ path: String, index: String) async throws {
    let rows = (1...500).map { "(\($0), 'stop \($0)')" }.joined(separator: ",")
    let sql = """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZNAME TEXT); INSERT INTO ZSTOP VALUES \(rows);
      CREATE TABLE ZTRIP(Z_PK INTEGER PRIMARY KEY); \(index)
      """
    let shell = Process()
    shell.executableURL = URL(filePath: "/usr/bin/sqlite3")
    shell.arguments = [path, sql]
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
  }

  @Test func showsChangesAndThePlansOfBoth() async throws {
    let page = try await page()
    #expect(try Set(page.column("change", of: "pairs")) == ["9.00× faster", "new", "gone"])
    #expect(try page.column("scan steps", of: "pairs").contains("12,800 → 0"))
    let row = try page.text("document.querySelector('#pairs-0').textContent")
    #expect(row.contains("FULL SCAN → search"))
    #expect(row.contains("SCAN t0"))
    #expect(row.contains("SEARCH t0 USING COVERING INDEX byName"))
    #expect(try page.complaints() == [])
  }

  @Test func chipsLeaveTheRowsOfOneKind() async throws {
    let page = try await page()
    try page.click("[data-chip=new]")
    #expect(try page.column("change", of: "pairs") == ["new"])
    try page.click("[data-chip=new]")
    try page.click("[data-chip=plan-changed]")
    #expect(try page.column("change", of: "pairs") == ["9.00× faster"])
    #expect(
      try page.text("document.querySelector('[data-chip=plan-changed]').ariaPressed") == "true")
    try page.click("[data-chip=plan-changed]")
    #expect(try page.column("change", of: "pairs").count == 3)
  }
}
