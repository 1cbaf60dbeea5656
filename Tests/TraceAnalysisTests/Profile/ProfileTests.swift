// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import TraceAnalysis

@Suite struct ProfileTests {
  @Test func countsFetchesCountsAndNestedFetchesApart() {
    let profile = RunBuilder { trace in
      trace.fetch("SELECT a", rows: 15)
      trace.fetch("SELECT COUNT(*)", kind: .count, rows: 12_800)
      let outer = trace.begin()
      trace.fetch("SELECT b", entity: "StopTime", kind: .prefetch, parent: outer, rows: 70)
      trace.end(outer, "SELECT a", rows: 3)
    }.profile()
    #expect(profile.totals.fetches == 2)
    #expect(profile.totals.counts == 1)
    #expect(profile.totals.nestedFetches == 1)
    #expect(profile.totals.rows == 18)
  }

  @Test func countsTheTimeOfNestedFetchesOnce() {
    let profile = RunBuilder { trace in
      let outer = trace.begin()
      trace.fetch("SELECT b", kind: .prefetch, parent: outer, connection: 2000, total: 3000)
      trace.end(outer, "SELECT a", connection: 1000, total: 6000)
      // A batch that comes after its fetch has ended is not in another fetch's time.
      trace.fetch("SELECT c", kind: .batch, parent: outer, connection: 500, total: 700)
    }.profile()
    #expect(profile.totals.connectionTime == 3500)
    #expect(profile.totals.totalTime == 6700)
  }

  @Test func nestedFetchesWithoutALineBelongToTheirParents() throws {
    let profile = RunBuilder { trace in
      let outer = trace.begin()
      trace.fetch("SELECT b", kind: .prefetch, parent: outer, at: .unknown)
      trace.end(outer, "SELECT a")
    }.profile()
    let prefetch = try #require(profile.statement(StatementID(sql: "SELECT b")))
    #expect(prefetch.callers.map(\.location) == [.search])
  }

  @Test func addsUpStatementsPerCaller() throws {
    let other = SourceLocation(file: "transit/List.swift", line: 7)
    let profile = RunBuilder { trace in
      for rows in 1...3 as ClosedRange<UInt64> {
        trace.fetch("SELECT a", rows: rows, total: 1000, fullScanSteps: 10)
      }
      trace.fetch("SELECT a", at: other, rows: 5, total: 9000)
    }.profile()
    let statement = try #require(profile.statements.first)
    #expect(statement.sql == "SELECT a")
    #expect(statement.work.count == 4)
    #expect(statement.work.rows == 11)
    #expect(statement.work.fullScanSteps == 30)
    #expect(statement.callers.map(\.location) == [other, .search])
    #expect(statement.callers.map(\.work.count) == [1, 3])
  }

  @Test func percentilesAreWithinOnePercentOfTheMeasured() {
    let profile = RunBuilder { trace in
      for run in 1...100 as ClosedRange<Int64> { trace.fetch("SELECT a", total: run * 1_000_000) }
    }.profile()
    let latency = profile.statements[0].latency
    #expect(abs(latency.p50 - 50_000_000) <= 500_000)
    #expect(abs(latency.p95 - 95_000_000) <= 950_000)
    #expect(abs(latency.p99 - 99_000_000) <= 990_000)
    #expect(abs(latency.max - 100_000_000) <= 1_000_000)
  }

  @Test func resolvesAStatementAnnouncedAfterItsUse() {
    let profile = RunBuilder { trace in
      trace.end(trace.begin(), "SELECT a")
      trace.announce("SELECT a")
    }.profile()
    #expect(profile.statements.map(\.sql) == ["SELECT a"])
  }

  @Test func aStatementNeverAnnouncedHasNoText() {
    let profile = RunBuilder { $0.end($0.begin(), "SELECT a") }.profile()
    #expect(profile.statements.map(\.sql) == [nil])
  }

  @Test func faultsAreNotCacheMisses() {
    let profile = RunBuilder { trace in
      trace.fetch("SELECT a")
      for pk in 1...3 as ClosedRange<Int64> { trace.fault(pk: pk, source: .rowCache) }
      trace.fault(pk: 4)
      trace.fault(relationship: "stopTimes", pk: 4, rows: 70)
    }.profile()
    #expect(profile.totals.faults == 4)
    #expect(profile.totals.relationshipFaults == 1)
    #expect(profile.totals.cacheMisses == 2)
    #expect(profile.totals.cacheHits == 3)
    #expect(profile.cacheHitRatio == 0.6)
  }

  /// Sums of many reports end at the largest integer.
  @Test func theRatioOfHitsIsThatOfTheLargestSums() {
    var profile = RunBuilder { $0.open() }.profile()
    profile.totals.faults = .max
    profile.totals.relationshipFaults = .max
    profile.totals.cacheHits = .max
    #expect(profile.cacheHitRatio == 1)
  }

  @Test func theStatementOfAMissHasTheLineThatFetched() throws {
    let profile = RunBuilder { trace in
      trace.announce(RunBuilder.faultSQL)
      for pk in 1...5 as ClosedRange<Int64> { trace.fault(pk: pk, origin: 9) }
    }.profile()
    let statement = try #require(profile.statements.first)
    #expect(statement.sql == RunBuilder.faultSQL)
    #expect(statement.misses == 5)
    #expect(statement.work.vmSteps == 60)
    #expect(statement.callers.map(\.location) == [.search])
    #expect(profile.faults.map(\.misses) == [5])
    #expect(profile.faults.map(\.mostMissesPerFetch) == [5])
  }

  @Test func missesOfTwoThreadsDoNotMix() throws {
    let other = SourceLocation(file: "transit/List.swift", line: 7)
    var first = RunBuilder { $0.fault(pk: 1, thread: 1) }
    let second = RunBuilder { $0.fault(pk: 2, at: other, thread: 2) }
    let events = [first.records[0], second.records[0], second.records[1], first.records[1]]
    first = RunBuilder { trace in
      for record in events { trace.append(record.event, thread: record.threadID) }
    }
    let statement = try #require(first.profile().statements.first)
    #expect(Set(statement.callers.map(\.location)) == [.search, other])
    #expect(statement.callers.allSatisfy { $0.work.count == 1 })
  }

  @Test func anatomyOfSaves() throws {
    let profile = RunBuilder { trace in
      trace.save(inserted: 10)
      trace.save(inserted: 5, error: "disk full")
    }.profile()
    let save = try #require(profile.saves.first)
    #expect(profile.totals.saves == 2)
    #expect(profile.totals.errors == 1)
    #expect(save.inserted == 15)
    #expect(save.waitTime == 2000)
    #expect(save.writeTime == 10_000)
    #expect(save.commitTime == 6000)
    #expect(save.errors == 1)
  }

  @Test func aLogEqualsTheTraceOfItsRun() {
    let write: (inout RunBuilder) -> Void = { trace in
      trace.open()
      trace.fetch("SELECT a", rows: 15)
      trace.fault()
      trace.save()
      trace.close()
    }
    let trace = RunBuilder(write)
    var log = RunBuilder { $0.process.name = "another-name" }
    write(&log)
    #expect(trace.profile() == log.profile(path: "log.txt", kind: .log))
    log.fetch("SELECT a", rows: 16)
    #expect(trace.profile() != log.profile(path: "log.txt", kind: .log))
  }

  @Test func hostileNumbersNeverTrap() {
    let profile = RunBuilder { trace in
      for _ in 1...2 {
        trace.fetch(
          "SELECT a", rows: .max, connection: .max, total: .max, vmSteps: .max,
          fullScanSteps: .max)
        trace.fetch("SELECT a", connection: .min, total: .min)
      }
      trace.append(
        .counters(
          CountersSampled(
            storeID: 1, fetches: 0, faults: 0, cacheHits: 0, cacheMisses: 0, saves: 0,
            events: .max)))
    }.profile()
    #expect(profile.statements[0].work.rows == .max)
    #expect(!profile.completeness.isComplete)
  }

  @Test func fetchesWithoutAnEndCostBoundedMemory() {
    var builder = ProfileBuilder()
    let trace = RunBuilder { trace in
      for _ in 0..<3 { trace.begin() }
    }
    for round in 0..<40_000 as Range<UInt64> {
      for var record in trace.records {
        guard case .fetchBegin(var begin) = record.event else { continue }
        begin.fetchID += round * 3
        record.event = .fetchBegin(begin)
        builder.add(record)
      }
    }
    #expect(builder.pendingFetches.count <= ProfileBuilder.maxPendingFetches)
    let profile = builder.profile(of: ReadingReport(sources: []))
    #expect(profile.processes[0].unfinishedFetches == 120_000)
  }
}
