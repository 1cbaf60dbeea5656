// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// The order of the tables' rows in a range of the tracks, on the screen and in a screen reader.
@Suite(.serialized, .enabled(if: Chromium.program != nil))
struct RangeOrderTests {
  let reports: Reports

  init() throws { reports = try Reports() }

  /// Over the whole trace stops took longest, then trips, then lines; in the evening lines did, then
  /// trips; stops were fetched most often, and their objects fired most faults, at all times but
  /// the evening.
  ///
  ///     0 s              1 s                   9 s             10 s
  ///     stop stop stop …                       line trip stop …
  private func page() async throws -> BrowserPage {
    var run = RunBuilder { $0.open() }
    var times: [Int64] = [0]
    func fetch(
      _ entity: String, _ total: Nanoseconds, runs: Int, faults: Int, from begin: Double
    ) {
      for index in 0..<runs {
        let place = SourceLocation(file: "transit/\(entity).swift", line: 1)
        let id = run.fetch(
          "SELECT 0, t0.Z_PK FROM Z\(entity.uppercased()) t0", entity: entity, at: place,
          total: total * 1_000_000, fullScanSteps: 100)
        for pk in 0..<faults { run.fault(entity, pk: Int64(pk), origin: id, at: place) }
        while times.count < run.records.count {
          times.append(Int64((begin + Double(index) / 100) * 1e9) + Int64(times.count) * 1000)
        }
      }
    }
    fetch("Stop", 50, runs: 20, faults: 3, from: 0.1)
    fetch("Trip", 30, runs: 10, faults: 0, from: 0.5)
    fetch("Line", 70, runs: 3, faults: 2, from: 9)
    fetch("Trip", 20, runs: 4, faults: 0, from: 9.2)
    fetch("Stop", 2, runs: 5, faults: 1, from: 9.4)
    run.close()
    times.append(10_000_000_000)
    let records = zip(run.records, times).map { record, time in
      var record = record
      record.timestamp = 1_795_270_348_000_000_000 + time
      return record
    }
    return try BrowserPage(try await reports.html(of: records))
  }

  private static let tables =
    "#statements > div > table, #callers > div > table, #faults > div > table"
  private static let heard = "document.querySelector('#announcement').textContent"

  private func lines(_ page: BrowserPage) throws -> [String] {
    try page.column("line of code", of: "callers").map {
      $0.replacing("transit/", with: "").replacing(".swift:1", with: "")
    }
  }

  /// The text that a screen reader reads, once nothing changes any more.
  private func heard(_ page: BrowserPage) throws -> String {
    try page.evaluate("new Promise((done) => setTimeout(done, 600))")
    return try page.text(Self.heard)
  }

  @Test func theHeadShowsTheSortKey() async throws {
    let page = try await page()
    let sorted = try page.texts(
      """
      [...document.querySelectorAll("\(Self.tables)")].map((table) => {
        const heads = [...table.tHead.rows[0].cells].filter((cell) => cell.ariaSort);
        return table.dataset.table + ": " + heads.map((cell) => `${cell.dataset.title} ${cell.ariaSort}`);
      })
      """)
    #expect(
      sorted == [
        "statements: total descending", "callers: total descending", "faults: misses descending",
      ])
    #expect(try page.column("total", of: "statements").first == "1.01 s")
  }

  @Test func aRangeSortsByItsOwnValues() async throws {
    let page = try await page()
    let whole = try (page.column("total", of: "statements"), lines(page))
    #expect(whole.0.filter { $0 != "355 µs" } == ["1.01 s", "380 ms", "210 ms"])
    #expect(whole.1 == ["Stop", "Trip", "Line"])
    try page.dragOverTracks(from: 0.85, to: 0.999)
    #expect(
      try page.column("total", of: "statements").prefix(3) == ["210 ms", "80.0 ms", "10.0 ms"])
    #expect(try lines(page) == ["Line", "Trip", "Stop"])
    #expect(try page.column("misses", of: "faults") == ["6", "5"])
    #expect(try page.column("fetched at", of: "faults").first == "transit/Line.swift:1")
    try page.click("#clear-range")
    #expect(try page.column("total", of: "statements") == whole.0)
    #expect(try lines(page) == whole.1)
    #expect(try page.column("misses", of: "faults") == ["65", "6"])
    #expect(try page.complaints() == [])
  }

  @Test func aRangeSortsByTheColumnThatWasClicked() async throws {
    let page = try await page()
    try page.click("table[data-table=callers] th:nth-child(4) button")
    #expect(try page.column("runs", of: "callers") == ["90", "14", "9"])
    try page.dragOverTracks(from: 0.85, to: 0.999)
    #expect(try page.column("runs", of: "callers") == ["10", "9", "4"])
    #expect(try lines(page) == ["Stop", "Line", "Trip"])
    // In the range, by another column; without the range by that one still.
    try page.click("table[data-table=callers] th:nth-child(6) button")
    #expect(try lines(page) == ["Line", "Trip", "Stop"])
    try page.click("#clear-range")
    #expect(try page.column("mean", of: "callers") == ["27.1 ms", "23.3 ms", "11.2 ms"])
    #expect(try lines(page) == ["Trip", "Line", "Stop"])
  }

  @Test func totalsOfTheWholeTraceAreHiddenInARange() async throws {
    let page = try await page()
    let notes =
      "[...document.querySelectorAll('#callers tr.notes')].filter((row) => row.checkVisibility()).length"
    let remark =
      "getComputedStyle(document.querySelector('#statements-0 .sheet'), '::before').content"
    // The work of a run, and the faults on objects that two of the lines fetched.
    #expect(try page.number(notes) == 5)
    #expect(try page.text(remark) == "none")
    try page.dragOverTracks(from: 0.85, to: 0.999)
    #expect(try page.number(notes) == 0)
    #expect(try page.text(remark).contains("Of the whole trace"))
    try page.click("#clear-range")
    #expect(try page.number(notes) == 5)
    #expect(try page.text(remark) == "none")
  }

  @Test func changesAreNotified() async throws {
    let page = try await page()
    #expect(
      try page.texts(
        "['role', 'aria-live'].map((name) => document.querySelector('#announcement').getAttribute(name))"
      ) == ["status", "polite"])
    // It is there before its text changes; a region that appears together with its text is not read
    // aloud.
    #expect(try page.isTrue("document.querySelector('#announcement').checkVisibility()"))
    #expect(try heard(page) == "")
    try page.evaluate("document.querySelector('#timeline').focus()")
    try page.press(.end)
    for _ in 0..<6 { try page.press(.left, shift: true) }
    #expect(try lines(page) == ["Line", "Trip", "Stop"])
    let range = try heard(page)
    #expect(range.contains("12 fetches, 11 faults, 11 cache misses"))
    #expect(range.contains("Callers: 3 rows, by total, largest first"))
    #expect(range.contains("Faults: 2 rows, by misses, largest first"))
    try page.press(.escape)
    let whole = try heard(page)
    #expect(whole.hasPrefix("The whole trace again: 42 fetches"))
    #expect(whole.contains("Callers: 3 rows, by total, largest first"))
    try page.click("table[data-table=callers] th:nth-child(1) button")
    #expect(try heard(page) == "Callers: 3 rows, by line of code, from A on.")
    try page.click("table[data-table=callers] th:nth-child(1) button")
    #expect(try heard(page) == "Callers: 3 rows, by line of code, from Z on.")
    try page.type("ztrip", into: "#statements input")
    #expect(try heard(page).hasPrefix("Statements: 1 of "))
    // Only one element is announced.
    #expect(try page.number("document.querySelectorAll('[role=status], [aria-live]').length") == 1)
  }

  /// In the evening it saved, at a line with fetches in the morning.
  @Test func aLinesTotalHoldsItsSaves() async throws {
    let page = try BrowserPage(try await reports.html(of: MorningAndEvening().records))
    #expect(try page.column("total", of: "callers") == ["40.0 ms", "30.2 ms"])
    try page.dragOverTracks(from: 0.7, to: 0.999)
    #expect(
      try page.column("line of code", of: "callers") == [
        "transit/Trips.swift:7", "transit/Search.swift:42",
      ])
    #expect(try page.column("total", of: "callers") == ["30.2 ms", "27.0 µs"])
    #expect(try page.column("runs", of: "callers") == ["60", "0"])
    #expect(try page.column("mean", of: "callers").last == "–")
    try page.click("#clear-range")
    #expect(try page.column("total", of: "callers") == ["40.0 ms", "30.2 ms"])
    #expect(try page.complaints() == [])
  }

  @Test func clearingKeepsTheKeyboardsPlace() async throws {
    let page = try await page()
    try page.dragOverTracks(from: 0.85, to: 0.999)
    try page.evaluate("document.querySelector('#clear-range').focus()")
    try page.press(.enter)
    #expect(try page.total("fetches") == "42")
    #expect(try page.text("document.activeElement.id") == "timeline")
  }
}
