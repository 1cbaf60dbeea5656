// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading
import TraceRendering

/// The first screen of a terminal of 80 columns and 40 lines.
@Suite struct FirstScreenTests {
  private let terminal = TextStyle(width: 80, isColored: false)

  private func screen(
    _ profile: Profile, _ commands: FirstScreen.Commands = .init(), style: TextStyle? = nil
  ) -> String {
    FirstScreen(profile, review: FindingReview(profile.findings), commands: commands)
      .text(style ?? terminal)
  }

  @Test func hasTheVerdictTheFindingsTheTotalsAndTheNextCommand() {
    let profile = RunBuilder { run in
      run.open()
      for line in 1...5 as ClosedRange<UInt64> {
        run.fetch(
          "SELECT t0.Z_PK, t0.ZTITLE FROM ZBOOK\(line) t0 WHERE t0.ZKIND = ? AND t0.ZSHELF = ? AND "
            + "t0.ZLANGUAGE = ? ORDER BY t0.ZTITLE",
          entity: "Book", at: SourceLocation(file: "app/Books.swift", line: line), rows: 15,
          connection: 1_000_000 * Int64(line), total: 1_000_000 * Int64(line), fullScanSteps: 12_800
        )
      }
      run.close()
    }.profile()
    let text = screen(
      profile,
      .init(
        findings: "trace-report findings trace",
        next: ("next", "trace-report html trace -o report.html")))
    #expect(
      text == #"""
        transit[2367], SQLite 3.40.1
        5 warnings: up to 15.0 ms of 15.0 ms can be saved. Worst: a full scan on 'Book'
        at app/Books.swift:5.
        trace (ctf): 17 events, none lost

        1. app/Books.swift:5  a full scan on 'Book', up to 4.99 ms
           Each run steps through 12,800 rows of a table without an index to return 15
           (1 run). [AvoidFullTableScan]
           SELECT … FROM ZBOOK5 t0 WHERE t0.ZKIND = ? AND t0.ZSHELF = ? AND t0.ZLANGUAG…
           fix: declare Index(\.kind, \.shelf, \.language) in the entity of ZBOOK5, or:
           CREATE INDEX ZBOOK5_ZKIND_ZSHELF_ZLANGUAGE ON ZBOOK5 (ZKIND, ZSHELF,
           ZLANGUAGE) (not measured)

        2. app/Books.swift:4  a full scan on 'Book', up to 4.00 ms
           Each run steps through 12,800 rows of a table without an index to return 15
           (1 run). [AvoidFullTableScan]
           SELECT … FROM ZBOOK4 t0 WHERE t0.ZKIND = ? AND t0.ZSHELF = ? AND t0.ZLANGUAG…
           fix: declare Index(\.kind, \.shelf, \.language) in the entity of ZBOOK4, or:
           CREATE INDEX ZBOOK4_ZKIND_ZSHELF_ZLANGUAGE ON ZBOOK4 (ZKIND, ZSHELF,
           ZLANGUAGE) (not measured)

        3. app/Books.swift:3  a full scan on 'Book', up to 3.00 ms
           Each run steps through 12,800 rows of a table without an index to return 15
           (1 run). [AvoidFullTableScan]
           SELECT … FROM ZBOOK3 t0 WHERE t0.ZKIND = ? AND t0.ZSHELF = ? AND t0.ZLANGUAG…
           fix: declare Index(\.kind, \.shelf, \.language) in the entity of ZBOOK3, or:
           CREATE INDEX ZBOOK3_ZKIND_ZSHELF_ZLANGUAGE ON ZBOOK3 (ZKIND, ZSHELF,
           ZLANGUAGE) (not measured)

        2 more: trace-report findings trace
        5 fetches returned 75 rows and read 64,000 rows in full scans.
        15.0 ms in the store.
        next: trace-report html trace -o report.html

        """#, "\(text)")
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 37)
  }

  @Test func anInputThatWasChangedHasOneLine() {
    var profile = RunBuilder { run in
      run.open()
      run.close()
    }.profile()
    #expect(!screen(profile).contains("HTML"))
    profile.reading.sources[0].changes = ["the log has HTML entities: decoded"]
    #expect(screen(profile).contains("\ntrace: the log has HTML entities: decoded\n"))
  }

  @Test func aRunWithoutFindingsIsShort() {
    let profile = RunBuilder { run in
      run.open()
      run.fetch("SELECT a FROM b", rows: 15)
      run.close()
    }.profile()
    let text = screen(profile, .init(next: ("keep it so", "trace-report baseline trace")))
    #expect(text.contains("\nNo findings.\n"))
    #expect(text.contains("\n1 fetch returned 15 rows.\n"))
    #expect(text.hasSuffix("\nkeep it so: trace-report baseline trace\n"))
  }

  @Test(arguments: RendererTests.Case.allCases, [40, 60, 80, 132]) func fitsTheTerminal(
    _ run: RendererTests.Case, width: Int
  ) {
    let text = screen(run.profile, style: TextStyle(width: width, isColored: false))
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 37 || width < 80)
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(!text.contains("\n1. warning: Forged"))
  }

  @Test func aCommandIsNeverBroken() {
    let path = "/srv/" + String(repeating: "a-long-folder/", count: 10) + "trace"
    let profile = RunBuilder { $0.fetch("SELECT a FROM b", rows: 1) }.profile()
    let text = screen(profile, .init(next: ("next", "trace-report html \(path) -o report.html")))
    #expect(text.hasSuffix("\nnext:\ntrace-report html \(path) -o report.html\n"), "\(text)")
  }

  /// The column that the fix names is on the line, however long the statement is.
  @Test func theCulpritIsNotCutAway() throws {
    let terms = (1...12).map { "t0.ZATTRIBUTE\($0) = ?" }.joined(separator: " AND ")
    let profile = RunBuilder { run in
      run.open()
      run.fetch(
        "SELECT t0.Z_PK FROM ZBOOK t0 WHERE \(terms) ORDER BY t0.ZRANK", rows: 2000,
        vmSteps: 90_000, sorts: 1)
      run.close()
    }.profile()
    let finding = try #require(profile.findings.first)
    #expect(finding.rule == "UseIndexForSort")
    let text = screen(profile)
    #expect(text.contains("   SELECT … FROM ZBOOK t0 … ORDER BY t0.ZRANK\n"), "\(text)")
  }

  @Test func findingsWithOneFixAreOne() {
    let profile = RunBuilder { run in
      run.open()
      for line in 1...3 as ClosedRange<UInt64> {
        run.fetch(
          "SELECT a FROM ZBOOK t0 WHERE t0.ZKIND = ?",
          at: SourceLocation(file: "a.swift", line: line), rows: 15, fullScanSteps: 12_800)
      }
      run.close()
    }.profile()
    #expect(profile.findings.count == 3)
    let text = screen(profile)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("(also for a.swift:2 and 1 more line)"), "\(text)")
    #expect(!text.contains("\n2. "))
    #expect(!text.contains("more:"))
  }
}
