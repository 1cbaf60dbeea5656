// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import TraceAnalysis
@testable import TraceRendering

/// Sums that travel: profiles of parts add up to the profile of the whole.
struct MergingTests {
  /// More with `make merges`.
  private static var splits: Int {
    ProcessInfo.processInfo.environment["MERGE_SPLITS"].flatMap(Int.init) ?? 10
  }

  private func saved(_ profile: Profile) throws -> Profile {
    try SavedReport.profile(
      in: Data(JSONText.encoded(ReportV1(SharedProfile(profile, withSQL: true))).utf8),
      name: "report.json")
  }

  @Test func mergingRandomSplitsEqualsReadingAllAtOnce() throws {
    for seed in 0..<UInt64(Self.splits) {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 2...12, using: &random)
      let fleet = RandomFleet(runs: count, using: &random)
      let whole = fleet.profile(of: Array(0..<count))
      // Parts of several runs that were read together, sums of them, and sums of sums.
      var parts: [Profile] = []
      var rest = Array(0..<count).shuffled(using: &random)
      while !rest.isEmpty {
        let size = min(Int.random(in: 1...4, using: &random), rest.count)
        parts.append(try saved(fleet.profile(of: Array(rest.prefix(size)))))
        rest.removeFirst(size)
      }
      var sum = ProfileSum()
      var group: [Profile] = []
      for part in parts {
        group.append(part)
        guard Bool.random(using: &random) else { continue }
        sum.add(try saved(Profile.merged(group)))
        group = []
      }
      if !group.isEmpty { sum.add(Profile.merged(group)) }
      let merged = try #require(sum.profile)
      let (mergedText, wholeText) = (try merged.canonicalText, try whole.canonicalText)
      let same = mergedText == wholeText
      #expect(same, "seed \(seed)")
      if !same { return try Self.keep(merged, whole) }
      #expect(merged.findings == whole.findings, "seed \(seed)")
      #expect(merged == Profile.merged([merged]))
    }
  }

  /// Writes both where a person can compare them.
  private static func keep(_ merged: Profile, _ whole: Profile) throws {
    let folder = FileManager.default.temporaryDirectory
    try Data(merged.canonicalText.utf8).write(to: folder.appending(path: "merged.json"))
    try Data(whole.canonicalText.utf8).write(to: folder.appending(path: "whole.json"))
    Issue.record("compare \(folder.path)/merged.json and whole.json")
  }

  @Test func rowsAreByFormDatabaseAndVersionOfSQLite() throws {
    var random = SeededGenerator(seed: 3)
    let fleet = RandomFleet(runs: 8, using: &random)
    let profile = fleet.profile(of: Array(0..<8))
    let rows = profile.formRows
    #expect(Set(rows.map(\.origin.host)).count == 8)
    #expect(Set(rows.map(\.origin.database)).isSuperset(of: ["shared.sqlite", "data-0.db"]))
    let counted = rows.reduce(0) { $0 + $1.work.count }
    #expect(counted == profile.statements.reduce(0) { $0 + $1.work.count })
    let steps = rows.reduce(0) { $0 + $1.work.vmSteps }
    #expect(steps == profile.statements.reduce(0) { $0 + $1.work.vmSteps })
    // Two texts that differ in a literal are one form.
    let author = rows.filter { $0.sql?.contains("author") == true }
    #expect(Set(author.map(\.form)).count == 1)
    #expect(profile.groups(by: .host).map(\.name).contains("host-3"))
    #expect(
      profile.groups(by: .sqlite).reduce(0) { $0 + $1.work.count } == counted)
  }

  @Test func rowsBeyondTheBoundAreOneRowThatCountsItsForms() throws {
    let profiles = (0..<5).map { host in
      RunBuilder { run in
        run.process = ProcessIdentity(id: 7, name: "app", host: "h\(host)")
        run.open(start: Int64(host))
        for table in 0..<10 { run.fetch("SELECT a FROM t\(table)", total: Int64(1000 - table)) }
      }.profile(path: "\(host)")
    }
    let whole = Profile.merged(profiles)
    #expect(whole.formRows.count == 50 && !whole.formRows.contains { $0.isRest })
    let capped = Profile.merged(profiles, maxForms: 12)
    #expect(capped.formRows.count == 13)
    let rest = try #require(capped.formRows.first { $0.isRest })
    // t0 and t1 of all hosts and t2 of two are rows; t2 of the others is in the rest.
    #expect(rest.others?.count == 8)
    #expect(rest.title == "other (8 forms)")
    #expect(
      capped.formRows.reduce(0) { $0 + $1.work.count }
        == whole.formRows.reduce(0) { $0 + $1.work.count })
    #expect(rest.latency.buckets.reduce(0) { $0 + $1.count } == 38)
    let again = Profile.merged([try saved(capped), profiles[0]], maxForms: 12)
    #expect(again.formRows.first { $0.isRest }?.others?.count == 8)
    #expect(again.formRows.reduce(0) { $0 + $1.work.count } == 60)
  }

  @Test func statementsAndProcessesOfManyProfilesStayBounded() throws {
    let profiles = (0..<3).map { part in
      RunBuilder { run in
        run.process = ProcessIdentity(id: Int64(part), name: "app", host: "h")
        run.open(start: Int64(part))
        for table in 0..<9000 { run.fetch("SELECT a FROM t\(part * 9000 + table)") }
        run.close()
      }.profile(path: "\(part)")
    }
    let merged = Profile.merged(profiles)
    #expect(merged.statements.count == Bounds.statements + 1)
    #expect(merged.statement(Bounds.restOfStatements)?.work.count == 7000)
    #expect(merged.statements.reduce(0) { $0 + $1.work.count } == 27_000)
    #expect(merged.completeness.doubts.contains { $0.contains("more than 20,000 distinct") })
    var many = profiles[0]
    let process = many.processes[0]
    many.processes = (0..<6000).map { _ in process }
    let both = Profile.merged([many, many])
    #expect(both.processes.count == Bounds.processes + 1)
    #expect(
      both.processes.reduce(0) { $0 + $1.eventsSeen } == 12_000 * process.eventsSeen)
    #expect(both.contexts.allSatisfy { both.processes.indices.contains($0.process) })
  }

  @Test func aRecordingCountsOnce() throws {
    var random = SeededGenerator(seed: 1)
    let fleet = RandomFleet(runs: 3, using: &random)
    let parts = (0..<3).map { fleet.profile(of: [$0]) }
    var counted = CountedRecordings(requiresIdentity: true)
    try counted.add(Profile.merged([parts[0], parts[1]]), name: "sum.json")
    try counted.add(parts[2], name: "c.json")
    #expect(throws: DoubleCounting.sameRecording("sum.json", "copy.json")) {
      try counted.add(try saved(parts[1]), name: "copy.json")
    }
  }

  /// A log of a run has other timestamps than its trace, and a part of a trace is another file.
  @Test func aProcessIsNotCountedTwiceAtOneTime() throws {
    var random = SeededGenerator(seed: 1)
    let fleet = RandomFleet(runs: 1, using: &random)
    let whole = fleet.profile(of: [0])
    var log = whole
    log.reading.sources[0].identity?.id = "0000000000000001"
    var counted = CountedRecordings(requiresIdentity: true)
    try counted.add(whole, name: "trace")
    #expect(
      throws: DoubleCounting.sameProcess(whole.processes[0].identity, "trace", "run.log")
    ) { try counted.add(log, name: "run.log") }
    // The next recording of a process that goes on is another one.
    log.reading.sources[0].identity?.id = "0000000000000002"
    let end = try #require(whole.processes[0].lastEvent)
    log.processes[0].firstEvent = end + 1
    log.processes[0].lastEvent = end + 2
    try counted.add(log, name: "later")
  }

  @Test func aReportWithoutIdentityIsNotMerged() throws {
    var old = RunBuilder { $0.fetch("SELECT a") }.profile()
    old.reading.sources[0].identity = nil
    var counted = CountedRecordings(requiresIdentity: true)
    #expect(throws: DoubleCounting.unidentified("old.json")) {
      try counted.add(old, name: "old.json")
    }
    var lenient = CountedRecordings(requiresIdentity: false)
    try lenient.add(old, name: "old.json")
  }
}
