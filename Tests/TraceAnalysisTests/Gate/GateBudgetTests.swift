// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

@testable import TraceAnalysis

struct GateBudgetTests {
  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (a = ? AND  b = ?)"
  private static let swapped = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (b = ? AND  a = ?)"
  private static let other = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE c = ? LIMIT 5"

  private func run(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder {
      $0.open()
      write(&$0)
      $0.close()
    }.profile()
  }

  private func baseline(_ change: (inout BaselineV1) -> Void = { _ in }) -> BaselineV1 {
    var baseline = BaselineV1(run { $0.fetch(Self.sql, rows: 15, vmSteps: 1000) })
    change(&baseline)
    return baseline
  }

  // MARK: - Budgets

  @Test(arguments: [
    (UInt64(900), GateResult.Verdict.same), (3000, .same), (3001, .regression),
  ])
  func withinItsBudgetACountMayRise(steps: UInt64, verdict: GateResult.Verdict) {
    let profile = run { $0.fetch(Self.sql, rows: 15, vmSteps: steps) }
    let result = Gate().compare(
      profile, with: baseline { $0.statements[0].budget = ["vmSteps": 3000] })
    #expect(result.verdict == verdict)
    #expect(result.regressions.first?.changes.first?.budget == (steps > 3000 ? 3000 : nil))
  }

  @Test func overItsBudgetEvenTheSameCountIsTooMuch() {
    let profile = run { $0.fetch(Self.sql, rows: 15, vmSteps: 1000) }
    let result = Gate().compare(profile, with: baseline { $0.statements[0].budget = ["rows": 10] })
    #expect(result.verdict == .regression)
    #expect(
      result.regressions[0].changes == [.init(metric: .rows, before: 15, after: 15, budget: 10)])
  }

  @Test func totalsHaveBudgetsToo() {
    let profile = run { trace in
      trace.fetch(Self.sql, rows: 15, vmSteps: 1000)
      for pk in 1...3 as ClosedRange<Int64> { trace.fault(pk: pk, source: .rowCache) }
    }
    #expect(Gate().compare(profile, with: baseline()).verdict == .regression)
    #expect(
      Gate().compare(profile, with: baseline { $0.budget = ["faults": 3] }).verdict == .same)
    #expect(
      Gate().compare(profile, with: baseline { $0.budget = ["faults": 2] }).verdict == .regression)
  }

  @Test func budgetsAreKeptWhenTheBaselineIsWrittenAgain() {
    let older = baseline {
      $0.budget = ["faults": 3]
      $0.statements[0].budget = ["vmSteps": 3000]
    }
    var newer = BaselineV1(run { $0.fetch(Self.sql, rows: 20, vmSteps: 2000) })
    newer.keepBudgets(of: older)
    #expect(newer.budget == ["faults": 3])
    #expect(newer.statements.map(\.budget) == [["vmSteps": 3000]])
    #expect(newer.statements.map(\.rows) == [20])
  }

  @Test func aBudgetForAnUnknownCountIsRefused() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("baseline.json")
    let odd = baseline { $0.statements[0].budget = ["vmstep": 3000] }
    try JSONEncoder().encode(odd.sealed).write(to: URL(filePath: path))
    #expect {
      _ = try BaselineV1(path: path)
    } throws: { "\($0)".contains("a budget names 'vmstep', which is not a count") }
  }

  // MARK: - Statements in other words

  @Test func theSameWordsInAnotherOrderAreTheSameStatement() throws {
    let worse = run { $0.fetch(Self.swapped, rows: 15, vmSteps: 9000) }
    let result = Gate().compare(worse, with: baseline())
    let regression = try #require(result.regressions.first { $0.sql != nil })
    #expect(regression.sqlBefore == "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (a = ? AND b = ?)")
    #expect(regression.changes == [.init(metric: .vmSteps, before: 1000, after: 9000)])
    #expect(result.appeared.isEmpty && result.gone.isEmpty)
  }

  @Test func theOnlyStatementOfALineIsTheSameStatement() {
    let better = run { $0.fetch(Self.other, rows: 5, vmSteps: 100) }
    let result = Gate().compare(better, with: baseline())
    #expect(result.verdict == .same)
    #expect(
      result.rewritten.map(\.sqlBefore) == [
        "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (a = ? AND b = ?)"
      ])
    #expect(result.appeared.isEmpty && result.gone.isEmpty)
  }

  @Test func twoStatementsOfALineAreNew() {
    let two = run { trace in
      trace.fetch(Self.other, rows: 5, vmSteps: 100)
      trace.fetch("SELECT z", rows: 5, vmSteps: 100)
    }
    let result = Gate().compare(two, with: baseline())
    #expect(result.appeared.count == 2)
    #expect(result.gone.count == 1)
    #expect(result.rewritten.isEmpty)
  }

  @Test func anOlderBaselineIsStillRead() throws {
    let text = """
      {"schemaVersion":1,"tags":{},"totals":{"fetches":1,"counts":0,"rows":15,"faults":0,
      "relationshipFaults":0,"cacheMisses":0,"saves":0},"sqliteVersion":"3.40.1","statements":[
      {"sql":"SELECT a","count":1,"rows":15,"cacheMisses":0,"vmSteps":1000,"fullScanSteps":0,
      "sorts":0,"autoIndexRows":0}]}
      """
    let old = try JSONDecoder().decode(BaselineV1.self, from: Data(text.utf8))
    let result = Gate().compare(run { $0.fetch("SELECT a", rows: 15, vmSteps: 1000) }, with: old)
    #expect(result.verdict == .same)
    #expect(result.unchanged == 1)
  }
}
