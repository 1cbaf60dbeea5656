// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading

/// The reports of a recording, compared with the debug log of the same run.
extension TraceRecorderTests {
  @Test(arguments: ["--before", "--after"])
  func theSameRunLoggedAndTracedReturnsTheSameProfile(version: String) async throws {
    let transit = BuiltProducts.path(of: "transit")
    let (store, log) = (recorder.folder.path("transit.sqlite"), recorder.folder.path("log.txt"))
    let generated = try await recorder.run(
      transit, ["generate", "--stops", "200", "--stop-times", "2000", "--store", store])
    #expect(generated.status == 0, "\(generated.errorOutput)")
    let recorded = try await recorder.record(command: [
      "env", "STORE_SQL_DEBUG=1", "STORE_SQL_DEBUG_FILE=\(log)", transit, "search", "--geo",
      "--departures", "--text", "u gorli", version, "--repeat", "3", "--store", store,
    ])
    #expect(recorded.status == 0, "\(recorded.errorOutput)")

    let (logged, traced) = try (Profile(reading: [log]), Profile(reading: [recorder.trace]))
    #expect(traced == logged)
    let report = BuiltProducts.path(of: "trace-report")
    let json = recorder.folder.path("saved.json")
    let saved = try await recorder.run(report, ["summary", "--json", recorder.trace])
    try Data(saved.output.utf8).write(to: URL(filePath: json))
    let again = try await recorder.run(report, ["summary", "--json", json])
    #expect(again.status == 0, "\(again.errorOutput)")
    #expect(again.output == saved.output)
    #expect(traced.processes.map(\.identity.name) == ["transit"])
    #expect(traced.totals.fetches >= 9)
    #expect(!traced.statements.isEmpty)
    #expect(try await Int(traced.completeness.eventsRead) == recorder.babeltrace2().count)
    let cost = try #require(traced.tracingCost)
    // Log and trace together; 10 ms would be a machine that stood still.
    #expect((100...10_000_000).contains(cost.timePerEvent), "\(cost)")
    let all = try await recorder.run(report, ["summary", "--all", recorder.trace])
    #expect(all.output.contains("Tracing itself took about "), "\(all.output)")
    #expect(recorded.output.contains("fetches returned "), "\(recorded.output)")
  }

  @Test(arguments: ["exit 3", "kill -9 $$", "exit 0"])
  func aRecordingReportsHowItsProgramEnded(end: String) async throws {
    let emitter = BuiltProducts.path(of: "event-emitter")
    let recorded = try await recorder.record(command: ["sh", "-c", "\(emitter) burst 10; \(end)"])
    let data = try Data(contentsOf: URL(filePath: "\(recorder.trace)/\(RecordingSeal.fileName)"))
    let seal = try JSONDecoder().decode(RecordingSeal.self, from: data)
    #expect(seal.exitCode == (end == "exit 3" ? 3 : end == "exit 0" ? 0 : nil))
    #expect(seal.signal == (end == "kill -9 $$" ? 9 : nil))
    #expect(recorded.status == (seal.signal.map { 128 + $0 } ?? seal.exitCode))
    #expect(seal.fits(recorder.trace) == true)
    let profile = try Profile(reading: [recorder.trace])
    #expect(profile.completeness.failures.count == (end == "exit 0" ? 0 : 1))
    #expect(profile.completeness.unended == [])
    let stream = try #require(
      FileManager.default.subpaths(atPath: recorder.trace)?.first { $0.hasSuffix("metadata") })
    let file = try FileHandle(forWritingTo: URL(filePath: "\(recorder.trace)/\(stream)"))
    try file.seekToEnd()
    try file.write(contentsOf: Data([0]))
    #expect(seal.fits(recorder.trace) == false)
  }

  @Test(arguments: [["summary"], ["gate", "--baseline", "BASELINE"], ["baseline", "-o", "NEW"]])
  func aTraceWithoutEventsIsInconclusive(command: [String]) async throws {
    // LTTng's files for a program without a store.
    try FileManager.default.createDirectory(
      atPath: recorder.trace + "/ust", withIntermediateDirectories: true)
    let baseline = recorder.folder.path("baseline.json")
    let arguments = command.map {
      $0 == "BASELINE" ? baseline : $0 == "NEW" ? recorder.folder.path("new.json") : $0
    }
    try Data(
      """
      {"schemaVersion": 1, "sqliteVersion": "3.40.1", "statements": [], "tags": {}, "totals": {
      "cacheMisses": 0, "counts": 0, "faults": 0, "fetches": 0, "relationshipFaults": 0,
      "rows": 0, "saves": 0}}
      """.utf8
    ).write(to: URL(filePath: baseline))
    let run = try await recorder.run(
      BuiltProducts.path(of: "trace-report"), arguments + [recorder.trace])
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("holds no events"), "\(run.errorOutput)")
    #expect(!FileManager.default.fileExists(atPath: recorder.folder.path("new.json")))
  }
}
