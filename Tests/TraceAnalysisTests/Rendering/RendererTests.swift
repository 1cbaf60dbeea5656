// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

/// Every renderer passes the same list of runs.
@Suite struct RendererTests {
  enum Case: CaseIterable {
    case normal, empty, oneRow, longText, hostileText

    static let hostile = "a\n1. warning: Forged\u{1b}[31m<script>alert('&')</script>\u{202e}\\"

    var profile: Profile { timedProfile.profile }

    var timedProfile: TimedProfile {
      RunBuilder { trace in
        switch self {
        case .empty: break
        case .oneRow: trace.fetch("SELECT a")
        case .normal:
          trace.open()
          for _ in 1...3 { trace.fetch(ScanRuleTests.geo, rows: 15, fullScanSteps: 12_800) }
          trace.fault()
          trace.save()
        case .longText:
          let long = String(repeating: "ä漢", count: 3000)
          trace.open(path: long)
          trace.process.name = long
          trace.fetch(
            "SELECT \(long) FROM \(long) WHERE \(long) = ?", entity: long,
            at: SourceLocation(file: long, line: .max), rows: 1, fullScanSteps: 12_800)
          trace.fault(long, relationship: long)
        case .hostileText:
          let text = Self.hostile
          trace.open(path: text)
          trace.process.name = text
          trace.fetch(
            "SELECT 0 FROM \(text) t0 WHERE t0.x = ? OR t0.\"\(text)\" = ?", entity: text,
            at: SourceLocation(file: text, line: 1), rows: 1, fullScanSteps: 12_800)
          for pk in 1...20 as ClosedRange<Int64> {
            trace.fault(
              text, relationship: text, pk: pk, at: SourceLocation(file: text, line: 1))
          }
        }
        if self != .empty { trace.close() }
      }.timedProfile(path: self == .hostileText ? Self.hostile : "trace")
    }
  }

  @Test(arguments: Case.allCases, [30, 40, 60, 80, 132]) func textFitsItsWidth(
    _ run: Case, width: Int
  ) {
    let text = Document(summary: run.profile).text(TextStyle(width: width, isColored: false))
    for line in text.split(separator: "\n") { #expect(columns(line) <= width, "\(line)") }
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(!text.unicodeScalars.contains("\u{202e}"))
    #expect(!text.contains("\n1. warning: Forged"))
  }

  /// A number that is cut is another number, and a line of code without its line is none.
  @Test func narrowTablesKeepTheirNumbersAndLines() {
    let folder = String(repeating: "Sources/Features/", count: 5)
    let place = SourceLocation(file: "\(folder)Search.swift", line: 1_234)
    let profile = RunBuilder { trace in
      trace.open()
      for _ in 1...20 {
        trace.fetch("SELECT a FROM b", at: place, rows: 150_000, total: 4_480_000)
        trace.fault("Picture", at: place, duration: 24_400)
      }
      trace.save(total: 9_000_000)
      trace.close()
    }.profile()
    func text(_ width: Int) -> String {
      Document(summary: profile).text(TextStyle(width: width, isColored: false))
    }
    #expect(
      text(40).contains(
        """
        total 89.6 ms  share 99%  runs 20
          rows 3,000,000  mean 4.48 ms
          p50 4.48 ms  p95 4.48 ms  p99 4.48 ms
          max 4.48 ms
            SELECT a FROM b
        """), "\(text(40))")
    for width in [40, 60, 80] {
      let faults = text(width).components(separatedBy: "Faults by the line")[1]
      #expect(faults.contains("…"))
      #expect(faults.contains("arch.swift:1234"), "\(faults)")
      #expect(text(width).contains("×20"))
      #expect(text(width).contains("3,000,000"))
    }
    #expect(text(80).contains("  total  share  runs "))
  }

  /// A thousand placeholders, and a text that nothing folds.
  @Test(arguments: [
    ("VALUES \(repeatElement("(?, ?)", count: 499).joined(separator: ", "))", "… 499 rows"),
    (
      "SELECT \(repeatElement("a.b + c.d", count: 900).joined(separator: ", "))", " more characters"
    ),
  ]) func aLongStatementIsShortInText(tail: String, note: String) {
    let profile = RunBuilder { trace in
      trace.open()
      trace.fetch("INSERT INTO t (a, b) \(tail)", rows: 1, fullScanSteps: 12_800)
      trace.close()
    }.profile()
    #expect(!profile.findings.isEmpty)
    let document = Document(summary: profile)
    for text in [
      document.text(.plain), document.text(TextStyle(width: 80, isColored: false)),
      document.markdown(),
    ] {
      #expect(text.utf8.count < 5000)
      #expect(text.contains(note), "\(text)")
    }
  }

  @Test func manyFindingsAreReportedByTheirNumber() throws {
    let profile = RunBuilder { trace in
      for number in 1...300 as ClosedRange<Int> {
        trace.fetch(
          "SELECT a FROM t\(number) WHERE b = ?",
          at: SourceLocation(file: "a.swift", line: UInt64(number)), connection: 1_000_000,
          total: 1_000_000, fullScanSteps: 12_800)
      }
    }.profile()
    #expect(profile.findings.count == 300)
    let text = Document(summary: profile).text(.plain)
    #expect(text.contains("\nFindings (20 of 300)\n"))
    #expect(text.contains("\n20. warning"))
    #expect(!text.contains("\n21. warning"))
    #expect(
      text.contains(
        """

        280 more findings, which cost less: see --top, or --json for all.
        Rules on plans, indexes and large columns were not checked: they need --database FILE.

        """))
    let all = Document(summary: profile, options: SummaryOptions(top: 300)).text(.plain)
    #expect(all.contains("\nFindings (300)\n"))
    #expect(all.contains("\n300. warning"))
    let html = try DashboardPage(TimedProfile(profile: profile)).html()
    #expect(html.contains("<h2>Findings (100 of 300)</h2>"))
    #expect(html.components(separatedBy: "<article").count == 101)
    #expect(html.contains("200 more findings, which cost less: see --top."))
    #expect(html.contains("were not checked: they need --database FILE."))
    var review = FindingReview(profile.findings)
    review.hasDatabase = true
    #expect(!Document(summary: profile, review: review).text(.plain).contains("not checked"))
    #expect(
      try !DashboardPage(TimedProfile(profile: profile), review: review).html()
        .contains("not checked"))
  }

  @Test(arguments: Case.allCases) func colorsAreTheOnlyEscapes(_ run: Case) throws {
    let text = Document(summary: run.profile).text(TextStyle(width: 80, isColored: true))
    let plain = Document(summary: run.profile).text(TextStyle(width: 80, isColored: false))
    #expect(text.replacing(/\u{1b}\[[0-9]+m/, with: "") == plain)
  }

  @Test(arguments: Case.allCases) func jsonIsReadAsItWasWritten(_ run: Case) throws {
    let report = ReportV1(SharedProfile(run.profile, withSQL: true))
    let text = try JSONText.encoded(report)
    #expect(try JSONDecoder().decode(ReportV1.self, from: Data(text.utf8)) == report)
    #expect(!text.utf8.contains(0x1b))
  }

  @Test(arguments: Case.allCases) func htmlHoldsNoMarkupOfTheData(_ run: Case) throws {
    let html = try DashboardPage(run.timedProfile).html()
    expectPage(html, scripts: run == .empty ? 1 : 2)
    if run == .hostileText { #expect(html.contains("&lt;script&gt;")) }
  }

  /// The probe reads no journal mode and no size of pages.
  @Test func htmlNamesTheRecordedFactsOfAStore() throws {
    let run = RunBuilder {
      $0.connect()
      $0.run("SELECT a")
    }
    let html = try DashboardPage(run.timedProfile()).html()
    #expect(html.contains("store app.db, SQLite 3.40.1<"))
  }

  @Test func htmlReportsFirstThatEventsWereLost() throws {
    let run = RunBuilder {
      $0.open()
      $0.fetch("SELECT a")
      $0.close(missing: 3)
    }
    let html = try DashboardPage(run.timedProfile(eventsLost: 5)).html()
    let notice = try #require(html.range(of: "Incomplete: 5 events were lost"))
    let totals = try #require(html.range(of: "<dl class=\"facts\""))
    #expect(notice.upperBound < totals.lowerBound)
    #expect(html.contains("emitted 3 more events than were read"))
    #expect(!html.contains("Complete:"))
    let verdict = try #require(html.range(of: "No findings, but data is missing"))
    #expect(verdict.upperBound < notice.lowerBound)
  }

  @Test func diffCountsFaults() throws {
    let before = RunBuilder {
      $0.fetch("SELECT a", total: 1_000_000)
      for _ in 0..<184 { $0.fault(duration: 50_000) }
    }
    let after = RunBuilder { $0.fetch("SELECT b", total: 5_100_000) }
    let html = try DifferencePage(
      ProfileDifference(before: before.profile(), after: after.profile()), before: "a", after: "b"
    ).html()
    #expect(html.contains("<strong>1 finding is gone: cache misses 184 → 0.</strong>"), "\(html)")
  }

  @Test func htmlOfSumsReportsThatTheyHaveNoPlaceInTime() throws {
    let html = try DashboardPage(TimedProfile(profile: Case.normal.profile)).html()
    #expect(html.contains("No tracks over time"))
    var both = Case.normal.timedProfile
    both.profile = .merged([both.profile, Case.normal.profile])
    #expect(try DashboardPage(both).html().contains("are not in the tracks"))
  }

  @Test(arguments: Case.allCases) func textOfDiffAndGateFitsTheWidth(_ run: Case) throws {
    let difference = ProfileDifference(before: run.profile, after: Case.normal.profile)
    let gate = Gate().compare(run.profile, with: BaselineV1(Case.normal.profile))
    for width in [40, 80] {
      for document in [
        Document(difference: difference, before: Case.hostile, after: "b"),
        Document(gate: gate, baseline: Case.hostile, update: "update"),
      ] {
        let text = document.text(TextStyle(width: width, isColored: false))
        for line in text.split(separator: "\n") { #expect(columns(line) <= width, "\(line)") }
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
      }
    }
    expectPage(try DifferencePage(difference, before: Case.hostile, after: "b").html(), scripts: 1)
  }

  /// A whole page, whose scripts are our own.
  private func expectPage(_ html: String, scripts: Int) {
    #expect(html.hasPrefix("<!DOCTYPE html>"))
    #expect(html.hasSuffix("</html>\n"))
    #expect(html.components(separatedBy: "<script").count == scripts + 1)
    #expect(!html.contains("{{"))
    #expect(!html.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(!html.unicodeScalars.contains("\u{202e}"))
  }

  /// Two columns for a character of East Asian writing.
  private func columns(_ line: Substring) -> Int {
    line.reduce(0) { $0 + ($1 == "漢" ? 2 : 1) }
  }
}
