// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading

/// What a recording says, beside what the debug log of the same run says.
extension TraceRecorderTests {
  @Test(arguments: ["--before", "--after"])
  func theSameRunLoggedAndTracedGivesTheSameProfile(version: String) async throws {
    let transit = Recorder.path(of: "transit")
    let (store, log) = (recorder.folder.path("transit.sqlite"), recorder.folder.path("log.txt"))
    let generated = try await recorder.run(
      transit, ["generate", "--stops", "200", "--stop-times", "2000", "--store", store])
    #expect(generated.status == 0, "\(generated.errorOutput)")
    let recorded = try await recorder.record(command: [
      "env", "STORE_SQL_DEBUG=1", "STORE_SQL_DEBUG_FILE=\(log)", transit, "search", "--geo",
      "--departures", "--text", "u gorli", version, "--repeat", "3", "--store", store,
    ])
    #expect(recorded.status == 0, "\(recorded.errorOutput)")

    // A session hears every process of its user: other tests' programs may be in the trace too.
    let logged = try profile(of: log, process: nil)
    let process = try #require(logged.process)
    let traced = try profile(of: recorder.trace, process: process)
    #expect(traced.profile == logged.profile)
    #expect(traced.profile.totals.fetches >= 9)
    #expect(!traced.profile.statements.isEmpty)
    let lines = try await recorder.babeltrace2().filter { $0.contains("vpid = \(process),") }
    #expect(traced.events == lines.count)
  }

  private func profile(
    of input: String, process: Int64?
  ) throws -> (profile: Profile, process: Int64?, events: Int) {
    var builder = ProfileBuilder()
    var (found, events) = (process, 0)
    let report = try TraceReader.read([input]) { record in
      found = found ?? record.process.id
      guard record.process.id == found else { return }
      builder.add(record)
      events += 1
    }
    return (builder.profile(of: report), found, events)
  }

  @Test(arguments: [["summary"], ["gate", "--baseline", "BASELINE"], ["baseline", "-o", "NEW"]])
  func aTraceWithoutEventsIsInconclusive(command: [String]) async throws {
    // What LTTng leaves of a program without a store.
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
      Recorder.path(of: "trace-report"), arguments + [recorder.trace])
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("holds no events"), "\(run.errorOutput)")
    #expect(!FileManager.default.fileExists(atPath: recorder.folder.path("new.json")))
  }
}
