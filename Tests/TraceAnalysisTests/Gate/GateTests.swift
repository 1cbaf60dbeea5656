// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

@Suite struct GateTests {
  static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"
  static let other = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZKIND = ?"

  private func run(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder {
      $0.open()
      write(&$0)
      $0.close()
    }.profile()
  }

  private var usual: Profile { run { $0.fetch(Self.sql, rows: 15, vmSteps: 1000) } }

  private func gate(
    _ profile: Profile, tags: [String: String] = ["seed": "1"],
    change: (inout BaselineV1) -> Void = { _ in }
  ) -> GateResult {
    var baseline = BaselineV1(usual, tags: ["seed": "1"])
    change(&baseline)
    return Gate().compare(profile, with: baseline, tags: tags)
  }

  @Test func theSameWorkPasses() {
    let result = gate(usual, tags: ["seed": "1"])
    var expected = GateResult()
    expected.unchanged = 1
    #expect(result == expected)
    #expect(result.verdict == .same)
  }

  /// Thirty look-ups for each row that a list has, within the tolerance of VM steps.
  @Test func aNewStatementInALoopIsARegression() {
    func run(lookups: Int, of sql: String = Self.other) -> Profile {
      self.run { trace in
        for _ in 0..<20 { trace.fetch(Self.sql, rows: 15, vmSteps: 10_000) }
        for _ in 0..<lookups { trace.fetch(sql, rows: 1, vmSteps: 10) }
      }
    }
    let baseline = BaselineV1(run(lookups: 0))
    let loop = Gate().compare(run(lookups: 30), with: baseline)
    #expect(loop.regressions.contains { $0.isOf("ZKIND") } && loop.appeared.isEmpty)
    // A new query by itself is none, nor one in place of another.
    let once = Gate().compare(run(lookups: 1), with: baseline)
    #expect(once.appeared.map { $0.isOf("ZKIND") } == [true])
    let replaced = Gate().compare(
      run(lookups: 30, of: "SELECT 1 FROM ZA"), with: BaselineV1(run(lookups: 30)))
    #expect(!replaced.regressions.contains { $0.isOf("ZA") })
  }

  @Test func aNewStatementThatScansIsARegressionWhereNoneDid() {
    func plan(_ sql: String) -> BaselineV1.Plan? {
      sql == Self.other
        ? .init(verdict: "fullScan", steps: ["SCAN t0"])
        : .init(verdict: "search", steps: ["SEARCH t0"])
    }
    let before = run { $0.fetch(Self.sql, rows: 15, vmSteps: 1_000_000) }
    let after = run {
      $0.fetch(Self.sql, rows: 15, vmSteps: 1_000_000)
      $0.fetch(Self.other, rows: 1, vmSteps: 5000)
    }
    var baseline = BaselineV1(before)
    baseline.statements[0].plan = plan(Self.sql)
    let result = Gate().compare(after, with: baseline, plan: plan)
    #expect(result.regressions.contains { $0.isOf("ZKIND") } && result.appeared.isEmpty)
    // A baseline without a database has no plans to compare with.
    let withoutPlans = Gate().compare(after, with: BaselineV1(before), plan: plan)
    #expect(withoutPlans.appeared.map { $0.isOf("ZKIND") } == [true])
  }

  @Test func plansOfTheBaselineThatAreNotComparedAreNoPass() {
    let plan = BaselineV1.Plan(verdict: "search", steps: ["SEARCH t0"])
    let profile = run { $0.fetch(Self.sql, rows: 15, vmSteps: 1000) }
    let baseline = BaselineV1(profile) { _ in plan }
    #expect(Gate().compare(profile, with: baseline) { _ in plan }.verdict == .same)
    let without = Gate().compare(profile, with: baseline)
    #expect(without.verdict == .inconclusive)
    #expect(
      without.reservations == [
        "the baseline has the plans of 1 statement that this run has no plan of: pass the database "
          + "with --database"
      ])
  }

  /// Another program does none of the baseline's work, which is no less work of this one.
  @Test func aRunWithNoneOfTheBaselinesStatementsIsNoPass() {
    let tables = ["a", "b", "c"]
    func fetching(_ tables: [String]) -> Profile {
      run { for table in tables { $0.fetch("SELECT x FROM \(table)", at: .unknown, vmSteps: 5) } }
    }
    let result = Gate().compare(fetching(["d"]), with: BaselineV1(fetching(tables)))
    #expect(result.verdict != .same && result.verdict != .mixed)
    #expect(
      result.reservations.map { $0.prefix(43) } == ["none of the baseline's 3 statements ran: if"])
    let one = Gate().compare(fetching(["d", "a"]), with: BaselineV1(fetching(tables)))
    #expect(one.reservations.isEmpty)
  }

  private func transactions(_ name: String) -> Profile {
    run { trace in
      for number in 1...50 {
        trace.fetch("SAVEPOINT \"\(name)_x\(number)\"", vmSteps: 2)
        trace.fetch("RELEASE SAVEPOINT \"\(name)_x\(number)\"", vmSteps: 3)
      }
    }
  }

  /// Django names them by the thread.
  @Test func namesOfSavepointsAreNotCompared() {
    let baseline = BaselineV1(transactions("s140"))
    #expect(baseline.statements.map(\.sql) == ["RELEASE SAVEPOINT ?", "SAVEPOINT ?"])
    #expect(baseline.statements.map(\.count) == [50, 50])
    let result = Gate().compare(transactions("s139"), with: baseline)
    #expect(result.verdict == .same)
    #expect(result.unchanged == 2)
  }

  @Test func aBaselineOfAnOlderVersionIsReadByTodaysForms() {
    var baseline = BaselineV1(transactions("s140"))
    baseline.statements = baseline.statements.flatMap { statement in
      (1...50).map { number in
        var one = statement
        one.sql = statement.sql.replacing("?", with: "\"s140_x\(number)\"")
        (one.count, one.rows) = (1, one.rows / 50)
        one.counters = CounterValues { statement.counters[$0.measure].map { $0 / 50 } }
        return one
      }
    }
    let result = Gate().compare(transactions("s139"), with: baseline)
    #expect(result.verdict == .same)
    #expect(result.unchanged == 2)
  }

  @Test func timesAreNotCompared() {
    let slow = run { $0.fetch(Self.sql, rows: 15, total: 9_000_000, vmSteps: 1000) }
    #expect(gate(slow).verdict == .same)
  }

  @Test func namesTheRaisedCountWithStatementAndLine() throws {
    let result = gate(run { $0.fetch(Self.sql, rows: 15, vmSteps: 90_000, fullScanSteps: 12_800) })
    let regression = try #require(result.regressions.first)
    #expect(result.verdict == .regression)
    #expect(regression.statement == StatementID(sql: Self.sql))
    #expect(regression.caller == .search)
    #expect(
      regression.changes == [
        .init(metric: .fullScanSteps, before: 0, after: 12_800),
        .init(metric: .vmSteps, before: 1000, after: 90_000),
      ])
  }

  @Test(arguments: [
    (UInt64(1020), GateResult.Verdict.same), (1021, .regression), (980, .same),
  ])
  func vmStepsMayVaryByTwoPercent(steps: UInt64, verdict: GateResult.Verdict) {
    #expect(gate(run { $0.fetch(Self.sql, rows: 15, vmSteps: steps) }).verdict == verdict)
  }

  @Test func lessWorkIsAnImprovement() {
    let result = gate(run { $0.fetch(Self.sql, rows: 15, vmSteps: 500) })
    #expect(result.verdict == .same)
    #expect(result.improvements.map(\.changes.count) == [1])
  }

  @Test func oneRunMoreIsARegressionOfStatementAndTotals() {
    let result = gate(
      run { trace in
        for _ in 1...2 { trace.fetch(Self.sql, rows: 15, vmSteps: 1000) }
      })
    #expect(result.regressions.map(\.sql) == [result.regressions.first?.sql, nil])
    #expect(result.regressions[1].changes.map(\.metric) == [.fetches, .rows])
  }

  @Test func gateCountsFaultsThatTheRowCacheAnswered() {
    let result = gate(
      run { trace in
        trace.fetch(Self.sql, rows: 15, vmSteps: 1000)
        trace.fault(source: .rowCache)
      })
    #expect(result.regressions.flatMap(\.changes).map(\.metric) == [.faults])
  }

  @Test func aStatementThatReplacesAnotherIsJudgedByTheWork() {
    // At another line: at the same one it would be the statement in other words.
    let there = SourceLocation(file: "transit/List.swift", line: 7)
    let same = gate(run { $0.fetch(Self.other, at: there, rows: 15, vmSteps: 1000) })
    #expect(same.verdict == .same)
    #expect(same.appeared.map(\.sql) == ["SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZKIND = ?"])
    #expect(same.gone.map(\.sql) == ["SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = ?"])
    let worse = gate(
      run { $0.fetch(Self.other, at: there, rows: 15, vmSteps: 1000, fullScanSteps: 12_800) })
    #expect(worse.regressions.flatMap(\.changes).map(\.metric) == [.fullScanSteps])
  }

  @Test func anEmptyTraceIsInconclusive() {
    #expect(gate(RunBuilder().profile()).verdict == .inconclusive)
  }

  @Test func lostEventsAreInconclusive() {
    let lossy = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 15, vmSteps: 1000)
      $0.close(missing: 1)
    }.profile()
    #expect(gate(lossy).verdict == .inconclusive)
  }

  @Test func aProcessThatWasKilledIsInconclusive() {
    let killed = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 15, vmSteps: 1000)
    }.profile()
    #expect(gate(killed).verdict == .inconclusive)
  }

  @Test func otherDataIsInconclusive() {
    let result = gate(usual, tags: ["seed": "2"])
    #expect(result.verdict == .inconclusive)
    #expect(result.doubts == ["the baseline has seed=1, this run has seed=2"])
  }

  @Test func anotherSQLiteIsInconclusiveButCountsAreCompared() {
    let older: (inout BaselineV1) -> Void = { $0.sqliteVersion = "3.39.0" }
    #expect(gate(usual, change: older).verdict == .inconclusive)
    #expect(gate(usual, change: older).doubts == [])
    let more = run { $0.fetch(Self.sql, rows: 16, vmSteps: 5000) }
    let result = gate(more, change: older)
    #expect(result.verdict == .regression)
    #expect(result.regressions[0].changes.map(\.metric) == [.rows])
  }

  /// Django's flush empties the tables in the order of a hash, and foreign keys search the tables that are not empty yet.
  @Test func theOrderInWhichTablesAreEmptiedIsNoRegression() {
    func flush(_ sql: String, steps: UInt64, rows: UInt64 = 3) -> Profile {
      run { $0.run(sql, rows: 0, changes: rows, vmSteps: steps) }
    }
    func verdict(_ sql: String, rows: UInt64 = 3) -> GateResult.Verdict {
      Gate().compare(
        flush(sql, steps: 2790, rows: rows), with: BaselineV1(flush(sql, steps: 2262))
      ).verdict
    }
    #expect(verdict("DELETE FROM \"auth_permission\"") == .same)
    #expect(verdict("DELETE FROM \"auth_permission\"", rows: 4) == .regression)
    #expect(verdict("DELETE FROM \"auth_permission\" WHERE id = ?") == .regression)
  }

  /// A log of Core Data names no version; a store that it opens has "".
  @Test func noVersionIsTheSameAsAnEmptyOne() {
    #expect(
      gate(usual, change: { $0.sqliteVersion = "" }).reservations.contains { $0.contains("SQLite") }
    )
    var unversioned = usual
    unversioned.stores = [
      StoreProfile(path: "a.sqlite", journalMode: "", pageSize: 0, sqliteVersion: "")
    ]
    #expect(unversioned.sqliteVersion == nil)
    var baseline = BaselineV1(unversioned)
    #expect(Gate().compare(unversioned, with: baseline).verdict == .same)
    baseline.sqliteVersion = ""
    #expect(Gate().compare(unversioned, with: baseline).verdict == .same)
  }

  @Test func aPlanThatStartsToScanIsARegression() {
    let search = BaselineV1.Plan(verdict: "search", steps: ["SEARCH t0 USING INDEX i (ZNAME=?)"])
    let scan = BaselineV1.Plan(verdict: "fullScan", steps: ["SCAN t0"])
    func compare(_ old: BaselineV1.Plan, _ new: BaselineV1.Plan) -> GateResult {
      Gate().compare(usual, with: BaselineV1(usual) { _ in old }) { _ in new }
    }
    #expect(compare(search, scan).verdict == .regression)
    #expect(compare(scan, search).improvements.count == 1)
    #expect(compare(search, search).unchanged == 1)
    #expect(compare(search, search).replanned.isEmpty)
    let other = BaselineV1.Plan(verdict: "search", steps: ["SEARCH t0 USING INDEX j (ZNAME=?)"])
    #expect(compare(search, other).verdict == .same)
    #expect(compare(search, other).replanned.count == 1)
    let error = BaselineV1.Plan(verdict: "error", steps: ["no such table: ZSTOP"])
    #expect(compare(search, error).verdict == .inconclusive)
  }
}

extension GateResult.Difference {
  fileprivate func isOf(_ word: String) -> Bool { sql?.contains(word) == true }
}
