// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading
import TraceRendering

/// Changes that are no regressions: few more of one count for far fewer of another.
@Suite struct MixedGateTests {
  private static let list = StoreEvents.SourceLocation(file: "app/List.swift", line: 42)
  private static let fault = "SELECT 0, t0.Z_PK FROM ZLEG t0 WHERE t0.Z_PK = ?"
  private static let prefetch = "SELECT 0, t0.Z_PK FROM ZLEG t0 WHERE t0.Z_PK IN (1, 2, 3)"

  private func profile(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder {
      $0.open()
      write(&$0)
      $0.close()
    }.profile()
  }

  /// A list whose rows fire a fault each: 125 runs of 12 VM steps.
  private func faulting(_ count: Int = 125) -> Profile {
    profile { trace in
      let fetch = trace.fetch("SELECT 0 FROM ZTRIP", at: Self.list, rows: 125, vmSteps: 900)
      trace.announce(RunBuilder.faultSQL)
      for pk in 0..<count { trace.fault(pk: Int64(pk), origin: fetch, at: Self.list) }
    }
  }

  private func prefetching(
    steps: UInt64, runs: Int = 1, at location: StoreEvents.SourceLocation = list,
    _ sql: String = prefetch
  ) -> Profile {
    profile { trace in
      let fetch = trace.fetch("SELECT 0 FROM ZTRIP", at: Self.list, rows: 125, vmSteps: 900)
      for _ in 0..<runs {
        trace.fetch(
          sql, kind: .prefetch, parent: fetch, at: location, rows: 125, vmSteps: steps)
      }
      for pk in 0..<125 as Range<Int64> {
        trace.fault(pk: pk, source: .rowCache, origin: fetch, at: Self.list)
      }
    }
  }

  private func gate(_ before: Profile, _ after: Profile) -> GateResult {
    Gate().compare(after, with: BaselineV1(before))
  }

  @Test func aPrefetchInPlaceOfFaultsIsMixed() throws {
    // 1,500 → 1,766 VM steps, 125 → 1 runs.
    let result = gate(faulting(), prefetching(steps: 1766))
    #expect(result.verdict == .mixed, "\(result.regressions)")
    let changes = try #require(result.mixed.first).changes
    #expect(changes.contains(.init(metric: .vmSteps, before: 1500, after: 1766)))
    #expect(changes.contains(.init(metric: .count, before: 125, after: 1)))
    #expect(changes.contains(.init(metric: .cacheMisses, before: 125, after: 0)))
  }

  @Test func aMixedResultIsShown() {
    let result = gate(faulting(), prefetching(steps: 1766))
    #expect(result.oneLine.hasPrefix("gate: mixed: 1 mixed"))
    let markdown = Document(gate: result, baseline: "b.json", update: "update").markdown()
    #expect(markdown.contains("## gate: mixed"))
    #expect(markdown.contains("VM steps 1,500 → 1,766 (1.18×)"))
    #expect(GateReportV1(result).verdict == "mixed")
    #expect(GateReportV1(result).mixed.count == 1)
  }

  @Test func atAnotherLineItIsMixedInAll() {
    let there = StoreEvents.SourceLocation(file: "app/Rows.swift", line: 7)
    let result = gate(faulting(), prefetching(steps: 1766, at: there))
    #expect(result.verdict == .mixed, "\(result.regressions)")
    #expect(result.appeared.count == 1 && result.gone.count == 1)
  }

  @Test func farMoreStepsOrAFewFewerRunsAreARegression() {
    #expect(gate(faulting(), prefetching(steps: 2000)).verdict == .regression)
    #expect(gate(faulting(), prefetching(steps: 18, runs: 100)).verdict == .regression)
    #expect(gate(faulting(3), prefetching(steps: 60)).verdict == .regression)
  }

  @Test func aSecondLineIsNotPaidForByTheFirst() {
    let other = StoreEvents.SourceLocation(file: "app/Map.swift", line: 9)
    let before = profile { trace in
      let fetch = trace.fetch("SELECT 0 FROM ZTRIP", at: Self.list, rows: 125, vmSteps: 900)
      trace.announce(RunBuilder.faultSQL)
      for pk in 0..<125 as Range<Int64> { trace.fault(pk: pk, origin: fetch, at: Self.list) }
      trace.fetch("SELECT a FROM ZMAP", at: other, rows: 5, vmSteps: 100)
      trace.fetch("SELECT b FROM ZMAP", at: other, rows: 5, vmSteps: 100)
    }
    let after = profile { trace in
      trace.fetch("SELECT 0 FROM ZTRIP", at: Self.list, rows: 125, vmSteps: 900)
      trace.fetch(Self.prefetch, kind: .prefetch, at: Self.list, rows: 125, vmSteps: 1510)
      trace.fetch("SELECT c FROM ZMAP", at: other, rows: 5, vmSteps: 170)
      trace.fetch("SELECT d FROM ZMAP", at: other, rows: 5, vmSteps: 170)
      for pk in 0..<125 as Range<Int64> {
        trace.fault(pk: pk, source: .rowCache, origin: 1, at: Self.list)
      }
    }
    #expect(gate(before, after).verdict == .regression)
  }

  @Test func aCountThatCountsOneMoreRowDoesTheSame() {
    func count(_ rows: UInt64) -> Profile {
      profile { $0.fetch("SELECT COUNT(*) FROM ZSTOP", kind: .count, rows: rows, vmSteps: 310) }
    }
    let result = gate(count(100), count(101))
    #expect(result.verdict == .same)
    #expect(result.unchanged == 1)
  }

  @Test func moreContextsThanAreListedLeaveTheSumsExact() throws {
    var builder = ProfileBuilder()
    var run = RunBuilder()
    run.open()
    run.fetch("SELECT 0 FROM ZTRIP", rows: 125, vmSteps: 900)
    var records = run.records
    for id in 1...20_001 as ClosedRange<UInt64> {
      records.append(
        EventRecord(
          timestamp: Int64(id), process: run.process, threadID: 1, contextID: id,
          event: .contextCreated(
            ContextCreated(storeID: 1, parentID: 0, queue: "main", contextName: ""))))
    }
    records.append(
      EventRecord(
        timestamp: 30_000, process: run.process, threadID: 1, contextID: 1,
        event: .counters(
          CountersSampled(
            storeID: 1, fetches: 0, faults: 0, cacheHits: 0, cacheMisses: 0, saves: 0,
            events: UInt64(records.count - 1), tracingTime: 0))))
    for record in records { builder.add(record) }
    let profile = builder.profile(
      of: ReadingReport(sources: [
        SourceReport(path: "many.log", kind: .log, eventsRead: UInt64(records.count))
      ]))
    #expect(profile.completeness.doubts == [])
    #expect(profile.completeness.remarks.contains { $0.contains("more than 20,000 contexts") })
    #expect(Gate().compare(profile, with: BaselineV1(profile)).verdict == .same)
  }
}
