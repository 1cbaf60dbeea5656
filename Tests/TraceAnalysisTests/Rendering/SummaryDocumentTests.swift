// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading
import TraceRendering

@Suite struct SummaryDocumentTests {
  @Test func fitsATerminalOfEightyColumns() {
    let trace = RunBuilder { trace in
      trace.open()
      for _ in 1...3 {
        trace.fetch(
          "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND"
            + "  t0.ZLONGITUDE <= ?)  LIMIT 100", rows: 15, connection: 800_000,
          total: 1_300_000)
      }
      trace.fault(source: .rowCache, duration: 100)
      trace.save(total: 9_000_000)
      trace.close(tracingTime: 4_550)
    }
    let text = Document(summary: trace.profile()).text(TextStyle(width: 80, isColored: false))
    #expect(
      text == """
        transit[2367], SQLite 3.40.1
        No findings.
        trace (ctf): 13 events, none lost
        Rules on plans, indexes and large columns were not checked: they need --database
        FILE.

        fetches              3   rel. faults          0   in faults       100 ns
        counts               0   cache misses         0   saving         9.00 ms
        rows                45   cache hits        100%   rows/fetch          15
        saves                1   in SQLite      2.40 ms   faults/fetch      0.33
        faults               1   fetching       3.90 ms   errors               0
        Tracing itself took about 4.55 µs of the program's time, 455 ns an event.

        Statements by total time

          total  share  runs  rows     mean      p50      p95      p99      max
        3.90 ms   100%     3    45  1.30 ms  1.30 ms  1.30 ms  1.30 ms  1.30 ms
            SELECT … FROM ZSTOP t0 WHERE (? <= t0.ZLONGITUDE AND t0.ZLONGITUDE <= ?)
            LIMIT 100
            d0418e2d218139e5 · transit/Search.swift:42 ×3
            per run 15 rows, 10 VM steps

        Faults by the line that fetched

        misses  hits  rows  /fetch  time  fault  fetched at
             0     1     0    0.33  0 ns  Stop   transit/Search.swift:42

        Saves

          total  saves  ins  upd  del     wait    write   commit  saved at
        9.00 ms      1    1    2    3  1.00 µs  5.00 µs  3.00 µs  …ansit/Search.swift:42
            8 statements a save, p50 9.00 ms, p95 9.00 ms, max 9.00 ms

        """)
  }

  @Test func aLineThatOnlySavesHasATotal() {
    let trace = RunBuilder { trace in
      trace.fetch("SELECT a", at: SourceLocation(file: "a.swift", line: 1), total: 3_000_000)
      trace.save(total: 9_000_000)
    }
    let text = Document(
      summary: trace.profile(), options: SummaryOptions(grouping: .caller)
    ).text(TextStyle(width: 80, isColored: false))
    #expect(
      text.contains(
        """
        9.00 ms    75%     0     0        –     0 ns     0 ns     0 ns     0 ns
            transit/Search.swift:42
            1 save, 9.00 ms
        3.00 ms    25%     1     1  3.00 ms  3.00 ms  3.00 ms  3.00 ms  3.00 ms
        """), "\(text)")
  }

  @Test func reportsThatTheCostOfTracingIsUnknown() {
    let trace = RunBuilder { trace in
      trace.fetch("SELECT a")
      trace.close()
    }
    #expect(
      Document(summary: trace.profile()).text()
        .contains("The cost of tracing is unknown: the input does not contain it.\n"))
  }

  @Test func overflowingNumbersOfADamagedReportAreShown() throws {
    var profile = RunBuilder { trace in
      for sql in ["SELECT a", "SELECT b"] { trace.fetch(sql) }
      trace.fault(source: .rowCache)
    }.profile()
    for index in profile.statements.indices {
      profile.statements[index].callers[0].work.count = .max
      profile.faults[0].origin.location = profile.statements[index].callers[0].location
    }
    profile.faults[0].misses = .max
    let text = Document(summary: profile).text()
    #expect(text.contains("18,446,744,073,709,551,615"), "\(text)")
  }

  @Test func aLogOfCoreDataIsNotSaidToBeComplete() throws {
    var profile = RunBuilder { trace in
      trace.fetch("SELECT a")
      trace.close(missing: 0)
    }.profile()
    profile.reading.sources[0].kind = .coreDataLog
    let text = Document(summary: profile).text()
    #expect(text.contains("(core-data-log): 4 events, losses not recorded"), "\(text)")
    let page = try DashboardPage(TimedProfile(profile: profile)).html()
    #expect(page.contains("4 events read. A log of Core Data does not record losses."))
    #expect(!page.contains("none known to be lost"))
  }

  @Test func reportsLossesFirst() {
    let trace = RunBuilder { trace in
      trace.fetch("SELECT a")
      trace.close(missing: 3)
    }
    let lines = Document(summary: trace.profile()).text().split(separator: "\n")
    #expect(lines[1] == "No findings, but data is missing: this is not a pass.")
    #expect(lines[3] == "INCOMPLETE: 3 events were lost; every count below may be too low.")
    #expect(lines[4] == "- transit[2367]: emitted 3 more events than were read")
  }
}
