// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import TraceAnalysis

/// Separate counts are bounded; the rest is counted together, and under no name of its own.
struct ProfileBoundsTests {
  private func profile(_ records: [EventRecord]) -> Profile {
    var builder = ProfileBuilder()
    for record in records { builder.add(record) }
    let source = SourceReport(path: "x.log", kind: .log, eventsRead: UInt64(records.count))
    return builder.profile(of: ReadingReport(sources: [source]))
  }

  @Test func statementsBeyondTheBoundAreCountedTogether() {
    let count = UInt64(Bounds.statements) + 500
    let run = RunBuilder { trace in
      for number in 0..<count { trace.fetch("SELECT \(number)", rows: 2, total: 1000) }
      trace.fetch("SELECT 7", rows: 2, total: 1000)
    }
    let profile = profile(run.records)
    #expect(profile.totals.fetches == count + 1)
    #expect(profile.statements.count == Bounds.statements + 1)
    #expect(profile.statement(Bounds.restOfStatements)?.work.count == 500)
    #expect(profile.statement(Bounds.restOfStatements)?.entity == "")
    #expect(profile.statement(StatementID(sql: "SELECT 7"))?.work.count == 2)
    #expect(profile.statements.reduce(0) { $0 + $1.work.rows } == (count + 1) * 2)
    #expect(
      profile.completeness.doubts.contains {
        $0.hasPrefix("x.log: there are more than 20,000 distinct statements; the rest are counted ")
      })
    #expect(!profile.completeness.isComplete)
  }

  /// Each ran once with its own value: together they are no storm, no repeat and no scan.
  @Test func rulesIgnoreStatementsCountedTogether() {
    let run = RunBuilder { trace in
      for number in 0..<UInt64(Bounds.statements) + 500 {
        trace.fetch(
          "SELECT \(number)", total: number < Bounds.statements ? 1000 : 1_000_000,
          fullScanSteps: number < Bounds.statements ? 0 : 12_800, bindHash: 7)
      }
    }
    #expect(profile(run.records).findings == [])
  }

  @Test func contextsBeyondTheBoundAreCountedTogether() {
    let count = Bounds.contexts + 300
    var records = RunBuilder { trace in
      for _ in 0..<count { trace.fetch("SELECT a") }
    }.records
    // Each fetch is an announcement, a beginning and an end.
    for index in records.indices { records[index].contextID = UInt64(index / 3 + 1) }
    let profile = profile(records)
    #expect(profile.contexts.count == Bounds.contexts + 1)
    #expect(profile.contexts.first { $0.id == 0 }?.work.count == 300)
    #expect(profile.contexts.reduce(0) { $0 + $1.work.count } == UInt64(count))
    #expect(profile.completeness.remarks.contains { $0.contains("more than 20,000 contexts") })
    #expect(!profile.completeness.doubts.contains { $0.contains("contexts") })
  }

  @Test func processesBeyondTheBoundAreCountedTogether() {
    let count = Bounds.processes + 40
    var records: [EventRecord] = []
    for id in 1...count {
      var run = RunBuilder()
      run.process = ProcessIdentity(id: Int64(id), name: "worker")
      run.open()
      run.fetch("SELECT a")
      run.close()
      records += run.records
    }
    let profile = profile(records)
    #expect(profile.processes.count == Bounds.processes + 1)
    #expect(profile.processes.last?.identity.name == "other processes")
    // An opening, a beginning and an end, and the counters.
    #expect(profile.processes.last?.eventsSeen == 160)
    #expect(profile.processes.dropLast().allSatisfy { $0.coverage == .complete })
    #expect(profile.totals.fetches == UInt64(count))
    #expect(profile.completeness.doubts.count == 1)
    #expect(profile.completeness.doubts[0].contains("more than 10,000 processes"))
  }

  @Test func callersBeyondTheBoundAreCountedTogether() {
    let count = UInt64(Bounds.callers) + 20
    let run = RunBuilder { trace in
      for line in 0..<count {
        trace.fetch("SELECT a", at: SourceLocation(file: "transit/Search.swift", line: line))
      }
    }
    let statement = profile(run.records).statements[0]
    #expect(statement.callers.count == Bounds.callers + 1)
    #expect(statement.callers.first { $0.location == .unknown }?.work.count == 20)
    #expect(statement.work.count == count)
    #expect(statement.latency.buckets.reduce(0) { $0 + $1.count } == count)
  }

  @Test func savesBeyondTheBoundHaveNoPlace() {
    let count = UInt64(Bounds.callers) + 20
    var records = RunBuilder { trace in
      for _ in 0..<count { trace.save() }
    }.records
    var line: UInt64 = 0
    for index in records.indices {
      guard case .saveEnd(var save) = records[index].event else { continue }
      line += 1
      save.location = SourceLocation(file: "transit/Save.swift", line: line)
      records[index].event = .saveEnd(save)
    }
    let saves = profile(records).saves
    #expect(saves.count == Bounds.callers + 1)
    #expect(saves.first { $0.location == .unknown }?.count == 20)
    #expect(Set(saves.map(\.location)).count == saves.count)
  }

  @Test func faultsBeyondTheBoundHaveNoPlace() {
    let count = UInt64(Bounds.faults) + 30
    let run = RunBuilder { trace in
      for line in 0..<count {
        trace.fault(source: .rowCache, at: SourceLocation(file: "transit/List.swift", line: line))
      }
    }
    let faults = profile(run.records).faults
    #expect(faults.count == Bounds.faults + 1)
    let rest = faults.filter { $0.origin == Bounds.restOfFaults }
    #expect(rest.map(\.hits) == [30])
  }

  @Test func longTextsBeyondTheBoundAreLeftOut() {
    let run = RunBuilder { trace in
      for number in 0..<80 {
        trace.fetch("SELECT \(number) " + String(repeating: "a", count: 1 << 20))
      }
    }
    let profile = profile(run.records)
    #expect(profile.statements.count == 80)
    #expect((60...70).contains(profile.statements.count { $0.sql != nil }))
    #expect(profile.completeness.doubts.contains { $0.contains("longer than 64 MiB together") })
  }

  /// As many runs as make a histogram of them, and more, have the same percentiles.
  @Test(arguments: [1, 255, 256, 257, 1000])
  func fewDurationsAreKeptAsTheyAre(count: Int) {
    var durations = Durations()
    for duration in 1...Int64(count) { durations.record(duration * 1000) }
    let latency = Latency(durations.histogram)
    #expect(latency.buckets.reduce(0) { $0 + $1.count } == UInt64(count))
    #expect(latency.max == Int64(count) * 1000)
    let median = Int64(count + 1) / 2 * 1000
    #expect((median...(median + median / 100)).contains(latency.p50))
  }

  @Test func pendingEntriesAreFoundAfterOtherInsertions() {
    var table = PendingTable<Int, String>()
    for key in 0..<100 { #expect(table.insert("\(key)", for: key) == nil) }
    #expect(table.count == 100)
    #expect(table[3] == "3" && table[99] == "99")
    #expect(table.insert("again", for: 3) == "3")
    #expect(table.count == 100)
    for key in 0..<100 { #expect(table.remove(key) == (key == 3 ? "again" : "\(key)")) }
    #expect(table.count == 0)
    #expect(table.remove(3) == nil)
  }

  @Test func theMostOfOneKeyIsCountedBetweenOthers() {
    var counts = BoundedCounts<StatementID>()
    let most = [1, 1, 1, 2, 1, 2, 2].map { counts.count(StatementID(rawValue: $0)) }
    #expect(most == [1, 2, 3, 1, 4, 2, 3])
  }

  /// A damaged log or report may contain any number, and the sum of all durations may overflow.
  @Test func durationsWithAnOverflowingSumAreCounted() {
    let run = RunBuilder { trace in
      for _ in 0..<1000 { trace.fetch("SELECT a", total: Durations.longest) }
    }
    let latency = profile(run.records).statements[0].latency
    #expect(latency.max == Durations.longest)
    #expect(latency.buckets.map(\.count) == [1000])
    var damaged = Latency()
    damaged.max = 90_177_535
    damaged.buckets = [Latency.Bucket(duration: 90_177_535, count: .max)]
    #expect(Latency.merged([damaged, latency]).buckets.map(\.count) == [1 << 40, 1000])
  }
}
