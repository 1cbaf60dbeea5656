// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// The layout of tracks and rows with much content in little room.
@Suite(.serialized, .enabled(if: Chromium.program != nil))
struct DrawingTests {
  let reports: Reports

  init() throws { reports = try Reports() }

  /// A fetch every millisecond, of two statements that begin with the same long list of columns.
  private func records() -> [EventRecord] {
    let columns = (1...6).map { "t0.ZCOLUMN\($0)" }.joined(separator: ", ")
    let run = RunBuilder { run in
      run.open()
      for index in 0..<3000 as Range<UInt64> {
        run.fetch(
          "SELECT 0, t0.Z_PK, \(columns) FROM Z\(index % 2 == 0 ? "STOP" : "TRIP") t0 WHERE t0.ZNAME = ?",
          total: 500_000, bindHash: index)
      }
      run.close()
    }
    return run.records.enumerated().map { index, record in
      var record = record
      record.timestamp = 1_795_270_348_000_000_000 + Int64(index) * 333_333
      return record
    }
  }

  /// Where one bar ends the next begins: a rounding between them is a white line on the screen.
  private static let gaps = """
    [...document.querySelectorAll('.track path')].flatMap((path) => {
      let end = null;
      return [...path.getAttribute('d').matchAll(/M([\\d.-]+) 46V[\\d.]+([hH])([\\d.-]+)/g)].map((bar) => {
        const left = Number(bar[1]);
        const right = bar[2] === 'H' ? Number(bar[3]) : left + Number(bar[3]);
        const gap = end === null ? 0 : Math.abs(left - end);
        end = right;
        return gap > 0.001 && gap < 0.5 ? gap : 0;
      });
    })
    """

  @Test(arguments: [400, 1280, 1600]) func barsLeaveNoGaps(width: Int) async throws {
    let html = try await reports.html(of: records())
    let page = try BrowserPage(html, width: width)
    #expect(try page.number("\(Self.gaps).length") > 100)
    #expect(try page.number("\(Self.gaps).filter((gap) => gap > 0).length") == 0)
    let still = try BrowserPage(html, width: width, scripts: false)
    #expect(try still.number("\(Self.gaps).length") > 100)
    #expect(try still.number("\(Self.gaps).filter((gap) => gap > 0).length") == 0)
  }

  @Test(arguments: [320, 400, 1280]) func ticksAreReadAsAWhole(width: Int) async throws {
    let page = try BrowserPage(try await reports.html(of: records()), width: width)
    for _ in 0..<6 {
      let cut = try page.texts(
        """
        [...document.querySelectorAll('#ticks span')].filter((tick) => tick.textContent
          && tick.getBoundingClientRect().right > document.querySelector('#ticks').getBoundingClientRect().right + 0.5)
          .map((tick) => tick.textContent)
        """)
      #expect(cut == [])
      #expect(try page.number("document.querySelectorAll('#ticks span').length") > 0)
      try page.click("#zoom-in")
    }
  }

  /// All of them begin alike.
  @Test func rowsShowDifferentStatementsOnAPhone() async throws {
    let page = try BrowserPage(try await reports.html(of: records()), width: 400, height: 800)
    let texts = try page.texts(
      "[...document.querySelectorAll('#statements summary code')].map((code) => code.textContent)")
    #expect(
      Set(texts.map { $0.prefix(30) }) == [
        "SELECT … FROM ZSTOP t0 WHERE t", "SELECT … FROM ZTRIP t0 WHERE t",
      ])
  }

  @Test func theBarOfLinksCountsTheFindings() async throws {
    var run = RunBuilder { $0.open() }
    for hash in 0..<20 as Range<UInt64> {
      run.fetch(
        MorningAndEvening.morning, connection: 900_000, total: 1_000_000, fullScanSteps: 12_800,
        bindHash: hash)
    }
    run.close()
    let page = try BrowserPage(try await reports.html(of: run.records))
    let link = "document.querySelector('nav a[href=\"#findings\"]').textContent"
    #expect(try page.text(link) == "Findings (1)")
  }
}
