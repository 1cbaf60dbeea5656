// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import TraceAnalysis
@testable import TraceRendering

/// A saved report is a profile again.
struct SavedReportTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static var run: RunBuilder {
    RunBuilder { trace in
      trace.open()
      for total in [1000, 5000, 90_000_000] as [Int64] {
        let outer = trace.fetch(
          "SELECT a WHERE x IN (1, \(total))", total: total, sorts: 2, limit: 5)
        trace.fetch("SELECT b", entity: "StopTime", kind: .prefetch, parent: outer, rows: 70)
      }
      trace.fetch("SELECT COUNT(*)", kind: .count, rows: 12_800, fullScanSteps: 12_800)
      trace.fetch("SELECT a", at: SourceLocation(file: "transit/List.swift", line: 7))
      trace.fault(pk: 1, source: .rowCache)
      trace.fault(pk: 2)
      trace.fault(relationship: "stopTimes", pk: 3, rows: 70)
      trace.save()
      trace.save(error: "disk full")
      trace.append(
        .busy(BusyWaited(storeID: 1, attempts: 3, waitTime: 2_000_000, gaveUp: 1)))
      trace.append(
        .checkpoint(
          CheckpointDone(
            storeID: 1, mode: "passive", logFrames: 10, checkpointedFrames: 9, totalTime: 7000)))
      trace.close()
    }
  }

  private func saved(_ profile: Profile) throws -> Profile {
    let json = try JSONText.encoded(
      ReportV1(SharedProfile(profile, withSQL: true), options: SummaryOptions(top: 1)))
    return try SavedReport.profile(in: Data(json.utf8), name: "report.json")
  }

  @Test func aTraceItsLogAndTheirJSONHaveOneProfile() throws {
    var trace = TraceBuilder()
    var log = LogBuilder()
    log.open(Self.run.process, at: 0)
    for var record in Self.run.records {
      record.timestamp += 1_795_262_400_000_000_000
      if case .statement(var announced) = record.event {
        announced.storeID = 0
        record.event = .statement(announced)
      }
      trace.add(record)
      log.add(record)
    }
    try trace.write(to: directory.url.appending(path: "trace"))
    try Data(log.text.utf8).write(to: directory.url.appending(path: "run.log"))

    let traced = try Profile(reading: [directory.path("trace")])
    let logged = try Profile(reading: [directory.path("run.log")])
    #expect(traced.totals.fetches == 4)
    #expect(traced.statements.count == 7)
    #expect(traced == logged)
    #expect(try saved(traced) == traced)
    #expect(try saved(logged) == traced)
    #expect(try saved(traced).completeness == traced.completeness)
    #expect(try saved(traced).findings == traced.findings)
    #expect(try saved(traced).statements[0].latency.buckets.isEmpty == false)
  }

  @Test func twoRunsAddUp() throws {
    let once = Self.run.profile()
    let twice = Profile.merged([once, try saved(once)])
    #expect(twice.totals.fetches == once.totals.fetches * 2)
    #expect(twice.statements.count == once.statements.count)
    #expect(twice.statements[0].work.count == once.statements[0].work.count * 2)
    #expect(twice.statements[0].latency.p99 == once.statements[0].latency.p99)
    #expect(twice.statements[0].callers.count == once.statements[0].callers.count)
    #expect(twice.faults.map(\.misses) == once.faults.map { $0.misses * 2 })
    #expect(twice.saves.map(\.count) == [4])
    #expect(twice.processes.count == 2)
    #expect(Set(twice.contexts.map(\.process)) == [0, 1])
    #expect(twice.waits.busyWaits == 2)
    #expect(twice.entities.map(\.fetches) == once.entities.map { $0.fetches * 2 })
  }

  @Test func fileThatIsNoReportIsRefused() throws {
    func read(_ text: String) throws -> Profile {
      try SavedReport.profile(in: Data(text.utf8), name: "x.json")
    }
    #expect(throws: SavedReportError.unreadable("x.json")) { _ = try read("{") }
    #expect(throws: SavedReportError.noProfile("x.json")) { _ = try read(#"{"schemaVersion":1}"#) }
    #expect(throws: SavedReportError.unknownVersion("x.json", version: 2)) {
      _ = try read(#"{"schemaVersion":2,"profile":{}}"#)
    }
    #expect(throws: SavedReportError.unreadable("x.json")) {
      _ = try read(#"{"schemaVersion":1,"profile":{}}"#)
    }
  }

  @Test func damagedReportsAreReadOrRefused() throws {
    let bytes = Array(
      try JSONText.encoded(ReportV1(SharedProfile(Self.run.profile(), withSQL: true))).utf8)
    var generator = SeededGenerator(seed: 40)
    for _ in 0..<200 {
      var damaged = bytes
      for _ in 0..<3 {
        let place = Int.random(in: 0..<damaged.count, using: &generator)
        damaged[place] = UInt8(ascii: "9")
      }
      if let profile = try? SavedReport.profile(in: Data(damaged), name: "x.json") {
        let merged = Profile.merged([profile, profile])
        #expect(merged.statements.count <= profile.statements.count)
        _ = Document(summary: merged).text()
      }
    }
  }

  @Test func latenciesMergeAsIfTheyWereOne() throws {
    let all = RunBuilder { trace in
      for total in 1...200 as ClosedRange<Int64> { trace.fetch("SELECT a", total: total * 10_000) }
    }.profile().statements[0].latency
    let parts = [1...150, 151...200].map { (range: ClosedRange<Int64>) in
      RunBuilder { trace in
        for total in range { trace.fetch("SELECT a", total: total * 10_000) }
      }.profile().statements[0].latency
    }
    #expect(Latency.merged(parts) == all)
    #expect(all.buckets.reduce(0) { $0 + $1.count } == 200)
  }
}
