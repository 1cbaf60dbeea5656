// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import TraceAnalysis
@testable import TraceRendering

@Suite struct LiveProfileTests {
  private static let reading = ReadingReport(sources: [SourceReport(path: "log", kind: .log)])

  /// Folds a run into a profile, and ends an interval of two seconds.
  private func interval(
    _ profile: inout LiveProfile, _ write: (inout RunBuilder) -> Void = { _ in }
  ) -> LiveInterval {
    for record in RunBuilder(write).records { profile.add(record) }
    return profile.endInterval(lasting: 2_000_000_000, Self.reading)
  }

  @Test func reportsTheWorkOfTheInterval() throws {
    var profile = LiveProfile()
    _ = interval(&profile) {
      for _ in 1...3 { $0.fetch("SELECT a", rows: 2, total: 100) }
      $0.fault()
    }
    let second = interval(&profile) {
      $0.fetch("SELECT a", rows: 5, total: 70)
      $0.fetch("SELECT b", rows: 1, total: 30)
      for _ in 1...4 { $0.fault() }
      $0.fault(source: .rowCache)
      $0.save(wait: 500)
    }
    #expect(second.added.fetches == 2)
    #expect(second.added.rows == 6)
    #expect(second.added.cacheMisses == 4)
    #expect(second.perSecond(second.added.rows) == 3)
    #expect(second.cacheHitRatio == 0.2)
    #expect(second.waitTime == 500)
    #expect(second.profile.totals.fetches == 5)
    let a = try #require(second.statements.first { $0.group.statement.sql == "SELECT a" })
    #expect(a.added.count == 1 && a.added.totalTime == 70)
    #expect(a.group.work.count == 4 && a.group.work.totalTime == 370)
    #expect(second.faults.map(\.missesAdded) == [4])
    #expect(second.faults.map(\.hitsAdded) == [1])
    #expect(second.faults.map(\.profile.misses) == [5])
  }

  @Test func idleIntervalAddsNothing() {
    var profile = LiveProfile()
    _ = interval(&profile) { $0.fetch("SELECT a") }
    let idle = interval(&profile)
    #expect(idle.added == Profile.Totals())
    #expect(idle.cacheHitRatio == nil)
    #expect(idle.statements.map(\.added) == [StatementCounts()])
  }

  @Test func fetchThatRunsOnKeepsItsCaller() throws {
    var profile = LiveProfile()
    var run = RunBuilder()
    run.announce("SELECT a")
    let id = run.begin()
    for record in run.records { profile.add(record) }
    _ = interval(&profile)
    profile.reset()
    let before = run.records.count
    run.end(id, "SELECT a")
    for record in run.records.dropFirst(before) { profile.add(record) }
    let after = interval(&profile)
    #expect(after.statements.first?.group.caller == .search)
    #expect(after.statements.first?.group.statement.sql == "SELECT a")
    #expect(after.profile.totals.fetches == 1)
  }

  @Test func resetDiscardsTheCounts() {
    var profile = LiveProfile()
    _ = interval(&profile) {
      for _ in 1...30 { $0.fetch("SELECT 0 FROM ZSTOP t0 WHERE t0.ZX = ?", fullScanSteps: 9000) }
    }
    profile.reset()
    let after = interval(&profile)
    #expect(after.profile.totals == Profile.Totals())
    #expect(after.statements.isEmpty && after.findings.isEmpty)
  }

  @Test func rulesJudgeTheStatementsThatRun() {
    var profile = LiveProfile()
    let scan = interval(&profile) {
      for _ in 1...3 { $0.fetch("SELECT 0 FROM ZSTOP t0 WHERE t0.ZX = ?", fullScanSteps: 9000) }
    }
    #expect(scan.findings.contains { $0.rule == "AvoidFullTableScan" })
    // Without an event the same stands.
    #expect(interval(&profile).findings == scan.findings)
  }

  @Test func ofVeryManyStatementsTheSlowestAreShown() {
    var profile = LiveProfile()
    let many = interval(&profile) { trace in
      for number in 1...1200 { trace.fetch("SELECT 0 FROM Z\(number)", total: Int64(number)) }
    }
    #expect(many.profile.totals.fetches == 1200)
    #expect(many.statements.count == LiveProfile.maxStatements)
    #expect(many.statements.first?.group.work.totalTime == 1200)
    #expect(many.statements.last?.group.work.totalTime == 201)
  }

  @Test func aProgramWithoutAStoreIsShownInTheWordsOfSQLite() {
    var profile = LiveProfile()
    _ = interval(&profile) {
      $0.connect()
      $0.run("SELECT a", rows: 2)
    }
    let second = interval(&profile) {
      $0.run("SELECT a", rows: 6)
      $0.run("INSERT INTO t VALUES (?)", rows: 0, changes: 3)
      $0.append(
        .transaction(
          TransactionEnded(
            storeID: 1, saveID: 0, outcome: "commit", waitTime: 0, totalTime: 10,
            transactionID: 0, kind: "autocommit", writerTime: 0, statements: 1, idleTime: 0,
            logBytes: 0)))
      $0.append(
        .busy(BusyWaited(storeID: 1, attempts: 1, waitTime: 1_000_000_000, gaveUp: 0)))
    }
    let frame = TopFrame(second, source: "log", elapsed: 4_000_000_000)
    #expect(frame.totals == "3 statements, 8 rows, 3 changes, 1 commit")
    #expect(
      frame.rates.prefix(5).map { "\($0.label) \($0.cell.text)" } == [
        "statements/s 1", "rows/s 3", "changes/s 1.50", "commits/s 0.50", "lock wait 50%",
      ])
    let line = TopV1(frame)
    #expect(line.totals.observed == .init(statements: 3, rows: 8, changes: 3, commits: 1))
    #expect(line.interval.observed == .init(statements: 2, rows: 6, changes: 3, commits: 1))
    #expect(line.waitNs == 1_000_000_000)
  }

  @Test(arguments: [1, 7, 20, 39, 40, 60, 80, 200], [1, 2, 5, 10, 24, 60])
  func screenFitsAnySize(columns: Int, rows: Int) {
    var profile = LiveProfile()
    let interval = interval(&profile) { trace in
      trace.process.name = "漢字\u{1b}[2J🚇" + String(repeating: "ü", count: 90)
      for number in 1...40 {
        trace.fetch("SELECT 0 FROM Z漢\(number) t0 WHERE t0.ZÜ = ?", rows: 3, fullScanSteps: 9000)
        trace.fault("漢", origin: 1)
      }
    }
    var frame = TopFrame(interval, source: "log", elapsed: 5_000_000_000)
    for selection in [nil, frame.statements.last?.group.fingerprint] {
      frame.selection = selection
      let lines = frame.screen(columns: columns, rows: rows, isColored: false)
      #expect(lines.count <= rows)
      for line in lines {
        #expect(width(line) <= columns, "\(line)")
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
      }
    }
  }

  /// Two columns for each of the wide characters that these tests use.
  private func width(_ line: String) -> Int {
    line.reduce(0) { $0 + ("漢字🚇".contains($1) ? 2 : 1) }
  }
}
