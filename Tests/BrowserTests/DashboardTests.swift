// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// The dashboard in a real browser; `make test-browser` sets BROWSER.
@Suite(.serialized, .enabled(if: Chromium.program != nil))
struct DashboardTests {
  let reports: Reports

  init() throws { reports = try Reports() }

  private func page(
    width: Int = 1400, height: Int = 1000, scripts: Bool = true
  ) async throws -> BrowserPage {
    let path = try await reports.html(of: MorningAndEvening().records)
    return try BrowserPage(path, width: width, height: height, scripts: scripts)
  }

  // MARK: - Tables

  @Test func needsNoOptionAndReportsNoError() async throws {
    let page = try await page()
    for selector in [".track svg", ".lane svg"] { try page.hoverOver(selector, at: 0.05) }
    try page.click("#theme")
    try page.dragOverTracks(from: 0.2, to: 0.8)
    #expect(try page.complaints() == [])
    // The page's own policy, tried: an image from elsewhere is not requested.
    try page.evaluate(
      "document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))")
    try page.settle()
    #expect(try page.complaints().contains { $0.contains("Content Security Policy") })
  }

  @Test func sortsByTheColumnThatIsClicked() async throws {
    let page = try await page()
    #expect(try page.column("runs", of: "statements") == ["20", "30", "30"])
    try page.click("table[data-table=statements] th:nth-child(3) button")
    #expect(try page.column("runs", of: "statements") == ["30", "30", "20"])
    #expect(
      try page.text(
        "document.querySelector('table[data-table=statements] th:nth-child(3)').ariaSort")
        == "descending")
    try page.click("table[data-table=statements] th:nth-child(3) button")
    #expect(try page.column("runs", of: "statements") == ["20", "30", "30"])
    // Words sort from A on.
    try page.click("table[data-table=callers] th:nth-child(1) button")
    #expect(
      try page.column("line of code", of: "callers") == [
        "transit/Search.swift:42", "transit/Trips.swift:7",
      ])
  }

  @Test func searchLeavesTheRowsThatHoldAllWords() async throws {
    let page = try await page()
    try page.type("ztrip order", into: "#statements input")
    #expect(try page.column("runs", of: "statements") == ["30"])
    #expect(
      try page.text("document.querySelector('#statements .shown').textContent")
        == "1 of 3 rows")
    try page.type(" nothing-has-this", into: "#statements input")
    #expect(try page.column("runs", of: "statements") == [])
  }

  @Test func rowsOpenByPointerAndByKeyboard() async throws {
    let page = try await page()
    let isOpen = "document.querySelector('#statements-0 details').open"
    try page.click("#statements-0 .row td")
    #expect(try page.isTrue(isOpen))
    let sheet = try page.text("document.querySelector('#statements-0 .sheet').innerText")
    #expect(sheet.contains("HOW LONG A RUN TAKES"))
    #expect(sheet.contains("FROM Z"))
    #expect(sheet.contains("transit/"))
    try page.click("#statements-0 .row td")
    #expect(try !page.isTrue(isOpen))
    try page.evaluate("document.querySelector('#statements-0 summary').focus()")
    try page.press(.enter)
    #expect(try page.isTrue(isOpen))
  }

  // MARK: - Tracks

  private static let tellsThatEntitiesAreWhole =
    "document.querySelector('#entities [data-whole]').checkVisibility()"

  @Test func statementsWithoutARowAreSummedForARange() async throws {
    let html = try await reports.html(of: MorningAndEvening().records, "--top", "1")
    let page = try BrowserPage(html)
    #expect(try page.column("runs", of: "statements") == ["20"])
    try page.dragOverTracks(from: 0.7, to: 0.999)
    #expect(try page.column("runs", of: "statements") == [])
    let others = "document.querySelector('#statements .range-others').textContent"
    #expect(try page.text(others).hasPrefix("and 60 more in the range, 30.2 ms"))
  }

  @Test func aRangeFiltersTheTablesAndTotals() async throws {
    let page = try await page()
    #expect(try page.total("fetches") == "50")
    try page.dragOverTracks(from: 0.001, to: 0.3)
    #expect(try page.total("fetches") == "20")
    #expect(try page.total("rows") == "60")
    #expect(try page.total("faults") == "0")
    #expect(try page.total("saves") == "0")
    #expect(try page.column("runs", of: "statements") == ["20"])
    #expect(try page.column("rows", of: "statements") == ["60"])
    #expect(try page.column("total", of: "statements") == ["40.0 ms"])
    #expect(try page.column("mean", of: "statements") == ["2.00 ms"])
    // One by one in their buckets: known exactly.
    #expect(try page.column("p95", of: "statements") == ["2.00 ms"])
    #expect(try page.column("p50", of: "callers") == ["2.00 ms"])
    #expect(try page.column("line of code", of: "callers") == ["transit/Search.swift:42"])
    #expect(try page.column("misses", of: "faults") == [])
    #expect(try page.text("document.querySelector('#range p').textContent").contains("20 fetches"))
    #expect(try page.isTrue(Self.tellsThatEntitiesAreWhole))

    try page.dragOverTracks(from: 0.7, to: 0.999)
    #expect(try page.total("fetches") == "30")
    #expect(try page.total("faults") == "30")
    #expect(try page.total("saves") == "3")
    #expect(try page.column("runs", of: "statements").reduce(0) { $0 + (Int($1) ?? 0) } == 60)
    #expect(try page.column("misses", of: "faults") == ["30"])
    #expect(try page.column("saves", of: "saves") == ["3"])

    try page.click("#clear-range")
    #expect(try page.total("fetches") == "50")
    #expect(try page.column("runs", of: "statements") == ["20", "30", "30"])
    #expect(try page.column("p95", of: "statements").allSatisfy { $0 != "–" })
    #expect(try !page.isTrue(Self.tellsThatEntitiesAreWhole))
    #expect(try page.complaints() == [])
  }

  /// A hundred runs of 1 to 100 ms in one bucket: percentiles are known by their steps' ends.
  @Test func aRangeBoundsItsPercentiles() async throws {
    var run = RunBuilder { $0.open() }
    for length in 1...100 { run.fetch(MorningAndEvening.morning, total: Int64(length) * 1_000_000) }
    let burst = run.records.count
    run.fetch(MorningAndEvening.evening, entity: "Trip", total: 1_000_000)
    run.close()
    let records = run.records.enumerated().map { index, record in
      var record = record
      record.timestamp = 1_795_270_348_000_000_000 + Int64(index) * 1000
      record.timestamp += index < burst ? 1_000_000_000 * Int64(min(index, 1)) : 10_000_000_000
      return record
    }
    let page = try BrowserPage(try await reports.html(of: records))
    try page.dragOverTracks(from: 0.05, to: 0.5)
    #expect(try page.column("runs", of: "statements") == ["100"])
    #expect(try page.column("p50", of: "statements") == ["≤ 50.3 ms"])
    #expect(try page.column("p95", of: "statements") == ["≤ 100 ms"])
    #expect(try page.column("max", of: "statements") == ["100 ms"])
    #expect(try page.complaints() == [])
  }

  private static let firstPath = "document.querySelector('.track path').getAttribute('d')"
  private static let ticks = "document.querySelector('#ticks').textContent"

  @Test func zoomsAndMoves() async throws {
    let page = try await page()
    let whole = try page.text(Self.ticks)
    try page.click("#zoom-in")
    try page.click("#zoom-in")
    let closer = try page.text(Self.ticks)
    #expect(closer != whole)
    // In the middle nothing happens.
    #expect(try page.text(Self.firstPath) == "")
    try page.dragOverTracks(from: 0.1, to: 0.9, shift: true)
    #expect(try page.text(Self.ticks) != closer)
    #expect(try page.isTrue("document.querySelector('#range').hidden"))
    try page.click("#pan-left")
    try page.click("#pan-left")
    #expect(try page.text(Self.firstPath) != "")
    try page.click("#zoom-all")
    #expect(try page.text(Self.ticks) == whole)
    try page.wheel(".track svg", delta: -300, control: true)
    #expect(try page.text(Self.ticks) != whole)
    try page.wheel(".track svg", delta: 3000, control: true)
    #expect(try page.text(Self.ticks) == whole)
    #expect(try page.complaints() == [])
  }

  @Test func theKeyboardDoesTheSameAsThePointer() async throws {
    let page = try await page()
    try page.evaluate("document.querySelector('#timeline').focus()")
    try page.press(.home)
    for _ in 0..<8 { try page.press(.right, shift: true) }
    #expect(try page.total("fetches") == "20")
    let whole = try page.text(Self.ticks)
    try page.press(.enter)
    #expect(try page.text(Self.ticks) != whole)
    try page.press(.zero)
    #expect(try page.text(Self.ticks) == whole)
    try page.press(.plus)
    #expect(try page.text(Self.ticks) != whole)
    try page.press(.minus)
    try page.press(.escape)
    #expect(try page.total("fetches") == "50")
    // The keyboard gets there: the tracks are in the order of the tabs.
    try page.evaluate("document.querySelector('#by-time').focus()")
    try page.press(.tab)
    #expect(try page.text("document.activeElement.id") == "timeline")
  }

  @Test func hoveringReportsTheSliceUnderThePointer() async throws {
    let page = try await page()
    let tip = "document.querySelector('#tip').innerText"
    try page.hoverOver(".track svg", at: 0.5)
    #expect(try page.text(tip).contains("nothing ended here"))
    // The third fetch ended 110 ms after the first event, of ten seconds and a little.
    try page.hoverOver(".lane svg", at: 0.011)
    #expect(try page.text(tip).contains("fetch 2.00 ms"))
    #expect(try page.text(tip).contains("transit/Search.swift:42"))
    #expect(try page.text(tip).contains("FROM ZSTOP"))
    try page.hoverOver("h1")
    #expect(try page.isTrue("document.querySelector('#tip').hidden"))
  }

  // MARK: - Looks

  private static let paper = "getComputedStyle(document.body).backgroundColor"

  @Test func isLightOrDarkAsTheSystemOrTheReaderWants() async throws {
    let page = try await page()
    func prefer(_ scheme: String) throws {
      try page.send(
        "Emulation.setEmulatedMedia",
        ["features": [["name": "prefers-color-scheme", "value": scheme]]])
    }
    try prefer("light")
    let light = try page.text(Self.paper)
    try prefer("dark")
    let dark = try page.text(Self.paper)
    #expect(light == "rgb(255, 255, 255)")
    #expect(dark != light)
    try page.click("#theme")
    #expect(try page.text(Self.paper) == light)
    try prefer("light")
    try page.click("#theme")
    #expect(try page.text(Self.paper) == dark)
    try page.click("#theme")
    #expect(try page.text(Self.paper) == light)
  }

  @Test(arguments: [390, 640, 1000, 1600]) func noElementOverflowsThePage(width: Int) async throws {
    let page = try await page(width: width, height: 844)
    try page.evaluate("for (const row of document.querySelectorAll('details')) row.open = true")
    #expect(try page.number("document.documentElement.scrollWidth") <= Double(width))
  }

  @Test func isReadWithoutScripts() async throws {
    let page = try await page(scripts: false)
    #expect(try page.number("document.querySelectorAll('table[data-table] tbody').length") >= 6)
    #expect(try page.text("document.querySelector('#statements').innerText").contains("FROM ZTRIP"))
    #expect(try page.text("document.querySelector('.track path').getAttribute('d')").hasPrefix("M"))
    #expect(try page.text("document.querySelector('#totals').innerText").contains("50"))
    #expect(try page.text("document.querySelector('#ticks').innerText").contains("10.0 s"))
    // Controls that need scripts are absent.
    for selector in ["#toolbar", "#theme", ".tools", "#range"] {
      #expect(try page.isTrue("document.querySelector('\(selector)').hidden"), "\(selector)")
    }
    try page.click("#statements-0 summary")
    #expect(try page.isTrue("document.querySelector('#statements-0 details').open"))
    #expect(try page.complaints() == [])
  }

  /// See <https://www.w3.org/TR/WCAG22/#contrast-minimum>.
  @Test(arguments: ["light", "dark"]) func textStandsOutFromItsGround(scheme: String) async throws {
    let page = try await page()
    try page.send(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": scheme]]])
    try page.evaluate("for (const row of document.querySelectorAll('details')) row.open = true")
    let faint = try page.texts(
      """
      (() => {
        const luminance = (color) => {
          const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
            const value = part / 255;
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = (element) => {
          const color = getComputedStyle(element).backgroundColor;
          return color.endsWith(", 0)") && element.parentElement ? ground(element.parentElement) : color;
        };
        const ratio = (element) => {
          const both = [getComputedStyle(element).color, ground(element)].map(luminance);
          return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
        };
        return [...document.querySelectorAll("body *")]
          .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
          .filter((one) => one.checkVisibility() && ratio(one) < 4.5)
          .map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}: ${ratio(one)}`);
      })()
      """)
    #expect(faint == [])
  }

  @Test func everythingHasAName() async throws {
    let page = try await page()
    let nameless = try page.texts(
      """
      [...document.querySelectorAll("button, input, table, nav, svg[role=img]")].filter((one) =>
        !(one.ariaLabel || one.caption?.textContent || one.textContent.trim())).map((one) => one.outerHTML)
      """)
    #expect(nameless == [])
    #expect(
      try page.texts("[...document.querySelectorAll('[id]')].map((one) => one.id)").allAreUnique)
  }

  @Test func paperGetsNoButtons() async throws {
    let page = try await page()
    try page.send(
      "Emulation.setEmulatedMedia",
      ["media": "print", "features": [["name": "prefers-color-scheme", "value": "dark"]]])
    #expect(try page.text(Self.paper) == "rgb(255, 255, 255)")
    for selector in [".bar", "#toolbar", ".tools"] {
      #expect(
        try page.text("getComputedStyle(document.querySelector('\(selector)')).display") == "none")
    }
    #expect(try page.send("Page.printToPDF")["data"] as? String != nil)
  }
}

extension [String] {
  fileprivate var allAreUnique: Bool { Set(self).count == count }
}
