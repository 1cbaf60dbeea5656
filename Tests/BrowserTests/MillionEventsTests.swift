// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The dashboard of a million events: small enough to send, quick enough to use.
@Suite(.serialized, .enabled(if: Chromium.program != nil))
struct MillionEventsTests {
  @Test func aMillionEventsAreUnderTenMegabytesAndUsable() async throws {
    let reports = try Reports()
    let log = reports.folder.path("million.log")
    let emitted = try await Program("event-emitter").run(
      "mix", "1000000", environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    #expect(emitted.status == 0, "\(emitted.error)")
    let html = try await reports.html(of: log)
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: html)[.size] as? Int)
    #expect(size < 10_000_000)

    let page = try BrowserPage(html)
    let all = try number(page.total("fetches"))
    let rows = "[...document.querySelectorAll('table[data-table=statements] tbody')]"
    let wholeRuns = try runs(page)
    #expect(all > 10_000)
    try page.dragOverTracks(from: 0.25, to: 0.75)
    let part = try number(page.total("fetches"))
    // The events are spread evenly, as far as a busy machine lets them.
    #expect(part > 0 && part < all)
    #expect(try runs(page) < wholeRuns)
    try page.click("#zoom-range")
    try page.hoverOver(".lane svg")
    try page.click("table[data-table=statements] th:nth-child(3) button")
    try page.type("select", into: "#statements input")
    #expect(try page.number("\(rows).filter((row) => !row.hidden).length") > 0)
    try page.click("#clear-range")
    #expect(try number(page.total("fetches")) == all)
    #expect(try runs(page) == wholeRuns)
    #expect(try page.complaints() == [])
  }

  /// The runs of all statements that are shown.
  private func runs(_ page: BrowserPage) throws -> Int {
    try page.column("runs", of: "statements").reduce(0) { $0 + number($1) }
  }

  private func number(_ text: String) -> Int {
    Int(text.filter(\.isNumber)) ?? 0
  }
}
