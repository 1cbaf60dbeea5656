// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading

/// Traces with a missing part: snapshots of the newest events, and events that are not written yet.
extension TraceRecorderTests {
  /// Twenty times as many events as the buffers hold, so that most were overwritten.
  @Test func aSnapshotIsOfTheNewestAndResolvesEveryStatement() async throws {
    let run = try await recorder.record(
      options: ["--snapshot", "--memory", "1"], "mix", "200000")
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("1 snapshot"), "\(run.errorOutput)")
    let fetches = try fetches(in: recorder.trace)
    #expect(fetches.count > 100)
    #expect(fetches.count < 15_000)
    let profile = try Profile(reading: [recorder.trace])
    #expect(!profile.statements.isEmpty)
    #expect(profile.statements.filter { $0.sql == nil }.map(\.id) == [])
    #expect(!profile.completeness.isComplete)
    let last = try await recorder.babeltrace2().last
    #expect(last?.contains("objectstore:counters") == true)
    try expectNothingLeft()
  }

  /// Two at SIGUSR1 and one at the end, which have most events in common.
  @Test func snapshotsOnRequestAreReadAsOneTrace() async throws {
    let recorder = recorder
    let isOver = recorder.folder.path("over")
    let run = try await recorder.record(options: ["--snapshot"], "until", isOver) { process in
      try await recorder.waitForEmitter()
      for number in 1...2 {
        try await Task.sleep(for: .milliseconds(100))
        kill(process.processIdentifier, SIGUSR1)
        try await recorder.wait { try recorder.snapshots().count == number }
      }
      #expect(FileManager.default.createFile(atPath: isOver, contents: nil))
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("3 snapshots"), "\(run.errorOutput)")
    #expect(try recorder.snapshots().count == 3)
    let read = try fetches(in: recorder.trace)
    // Each once, in order, from the first to the last.
    #expect(read == Array(1...UInt64(read.count)))
    #expect(read.count > 100)
    #expect(try Profile(reading: [recorder.trace]).completeness.isComplete)
    try expectNothingLeft()
  }

  @Test func aProgramThatFailsLeavesItsSnapshot() async throws {
    let run = try await recorder.record(options: ["--snapshot"], "exit", "5")
    #expect(run.status == 5)
    #expect(try fetches(in: recorder.trace) == [1])
    let killed = try Recorder()
    let again = try await killed.record(
      options: ["--snapshot"],
      command: ["sh", "-c", "\(BuiltProducts.path(of: "event-emitter")) burst 10; kill -9 $$"])
    #expect(again.status == 137)
    #expect(try fetches(in: killed.trace) == Array(1...10))
    try expectNothingLeft()
  }

  /// A session is read while the program runs, as far as its packets are whole.
  @Test func aTraceThatIsStillBeingRecordedIsReported() async throws {
    let recorder = recorder
    let isOver = recorder.folder.path("over")
    let run = try await recorder.record(options: ["--memory", "1"], "until", isOver) { _ in
      defer { #expect(FileManager.default.createFile(atPath: isOver, contents: nil)) }
      try await recorder.waitForEmitter()
      let early = try await Recorder().run(
        BuiltProducts.path(of: "trace-report"), ["summary", "--all", recorder.trace])
      #expect(early.status == 3 || !early.output.isEmpty)
      #expect((early.output + early.errorOutput).contains("still being recorded"))
      // A piece of a processor's buffer is written when it is full; one has the statement's text.
      try await recorder.wait {
        var isNamed = false
        _ = try? TraceReader.read([recorder.trace]) { record in
          if case .statement = record.event { isNamed = true }
        }
        return isNamed
      }
      let meanwhile = try await Recorder().run(
        BuiltProducts.path(of: "trace-report"), ["summary", "--all", recorder.trace])
      #expect(meanwhile.status == 0, "\(meanwhile.errorOutput)")
      #expect(meanwhile.output.contains("still being recorded"), "\(meanwhile.output)")
      #expect(meanwhile.output.contains("SELECT 0, t0.Z_PK"))
      // Each processor's buffers are written when they are full, so that there may be gaps.
      let read = try fetches(in: recorder.trace)
      #expect(read.count > 10)
      #expect(read == read.sorted() && Set(read).count == read.count)
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(!run.output.contains("still being recorded"))
    #expect(!FileManager.default.fileExists(atPath: recorder.trace + "/.recording"))
    #expect(try Profile(reading: [recorder.trace]).completeness.isComplete)
  }

  /// Two recordings side by side: their processes keep their own fetches under equal ids.
  @Test func recordingsOfSeveralProcessesAreReadTogether() async throws {
    let other = try Recorder()
    async let first = recorder.record("burst", "300")
    async let second = other.record(options: ["--snapshot"], "burst", "200")
    let (one, two) = try await (first, second)
    #expect(one.status == 0 && two.status == 0, "\(one.errorOutput)\(two.errorOutput)")
    let profile = try Profile(reading: [recorder.trace, other.trace])
    #expect(profile.totals.fetches == 500)
    #expect(profile.processes.count == 2)
    #expect(profile.completeness.isComplete, "\(profile.completeness.doubts)")
    #expect(profile.statements.map(\.work.count) == [500])
  }

  /// The ids of the fetches that ended, in the order in which they are read.
  private func fetches(in trace: String) throws -> [UInt64] {
    var ids: [UInt64] = []
    _ = try TraceReader.read([trace]) { record in
      if case .fetchEnd(let fetch) = record.event { ids.append(fetch.fetchID) }
    }
    return ids
  }
}

extension Recorder {
  /// The folders of the snapshots that are whole: LTTng writes a stream's data first.
  fileprivate func snapshots() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: trace).filter { $0.hasPrefix("snapshot-") }
  }

  /// Waits until something holds, three minutes at most.
  fileprivate func wait(until condition: () throws -> Bool) async throws {
    for _ in 1...9_000 {
      if try condition() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("it did not come true within three minutes")
  }
}
