// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

@testable import TraceRecording

/// A flight recorder: snapshots when a condition holds, and only then.
extension TraceRecorderTests {
  /// Runs quick statements; when the file `slow-N` appears it runs a slow one, and makes `done-N`.
  ///
  /// The slow one sleeps for more than a second, and for as long as the file `hold` exists; a quick one
  /// takes as long on no machine that works.
  private static let program = """
    import os, sqlite3, sys, time
    folder = sys.argv[1]
    numbers = "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x < 11)"
    db = sqlite3.connect(folder + "/app.db", isolation_level=None)
    def wait(_):
        time.sleep(0.1)
        while os.path.exists(folder + "/hold"): time.sleep(0.01)
    db.create_function("wait", 1, wait)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = OFF")
    db.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)")
    db.execute("INSERT OR IGNORE INTO t VALUES (1, 2)")
    print("waiting", flush=True)
    number = 0
    while os.path.exists(folder) and not os.path.exists(folder + "/over"):
        db.execute("SELECT b FROM t WHERE a = 1").fetchall()
        if os.path.exists(f"{folder}/slow-{number}"):
            open(f"{folder}/started-{number}", "w").close()
            db.execute(numbers + " SELECT count(wait(x)) FROM c").fetchall()
            open(f"{folder}/done-{number}", "w").close()
            number += 1
        time.sleep(0.002)
    """

  func script() throws -> [String] {
    let script = recorder.folder.path("app.py")
    try Self.program.write(toFile: script, atomically: true, encoding: .utf8)
    return ["/usr/bin/env", "python3", script, recorder.folder.path("")]
  }

  func incidents() throws -> [IncidentV1] {
    let names = try FileManager.default.contentsOfDirectory(atPath: recorder.trace)
    let files = names.compactMap { name in
      FileManager.default.contents(atPath: "\(recorder.trace)/\(name)/\(IncidentV1.fileName)")
    }
    let schema = try JSONSchema(named: "incident")
    for file in files {
      let value = try JSONValue(text: String(decoding: file, as: UTF8.self))
      #expect(schema.failures(of: value) == [])
    }
    return files.compactMap { try? JSONDecoder().decode(IncidentV1.self, from: $0) }
      .sorted { $0.number < $1.number }
  }

  func beSlow(_ number: Int) async throws {
    let path = recorder.folder.path("slow-\(number)")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let done = recorder.folder.path("done-\(number)")
    try await wait { FileManager.default.fileExists(atPath: done) }
  }

  func finish() {
    #expect(FileManager.default.createFile(atPath: recorder.folder.path("over"), contents: nil))
  }

  func wait(until condition: () throws -> Bool) async throws {
    for _ in 1...3_000 {
      if try condition() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("it did not come true within a minute")
  }

  @Test(.endsWhenStuck) func anEventThatMeetsTwoConditionsIsOneIncident() async throws {
    let run = try await recorder.record(
      options: ["--when", "statement > 1s", "--when", "statement > 900ms", "--disk", "128"],
      command: try script()
    ) { _ in
      defer { finish() }
      try await recorder.waitForEmitter()
      try await beSlow(0)
      try await wait { try incidents().first?.condition.contains(" and ") ?? false }
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    let conditions = try incidents().map { Set($0.condition.components(separatedBy: " and ")) }
    #expect(conditions == [["statement > 1s", "statement > 900ms"]])
    try expectNothingLeft()
  }

  @Test(.endsWhenStuck) func aProgramThatIsSlowThreeTimesHasThreeIncidents() async throws {
    let run = try await recorder.record(
      options: ["--when", "statement > 1s", "--disk", "64"], command: try script()
    ) { _ in
      defer { finish() }
      try await recorder.waitForEmitter()
      for number in 0..<3 {
        try await beSlow(number)
        try await wait { try incidents().count == number + 1 }
        // Armed again.
        try await Task.sleep(for: .milliseconds(300))
      }
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    let found = try incidents()
    #expect(found.map(\.number) == [1, 2, 3])
    for incident in found {
      #expect(incident.offender.sql?.hasPrefix("WITH RECURSIVE") == true)
      #expect(incident.offender.location.text?.hasSuffix("app.py:19") == true)
      #expect(incident.offender.duration > 1_000_000_000)
      #expect(incident.offender.process.name == "python3 app.py")
      #expect(incident.offender.database?.hasSuffix("/app.db") == true)
      #expect(incident.plan?.contains { $0.contains("SCAN c") } == true, "\(incident)")
      #expect(incident.locks.map(\.journalMode) == ["wal"])
    }
    // Each has its own offender as the newest event that meets the condition.
    #expect(Set(found.map(\.offender.timestamp)).count == 3)
    #expect(run.output.contains("3 incidents"), "\(run.output)")
    try expectNothingLeft()
  }

  @Test(.endsWhenStuck) func aProgramThatIsNeverSlowHasNoIncident() async throws {
    let run = try await recorder.record(
      options: ["--when", "statement > 3600s", "--when", "error", "--when", "fault storm"],
      command: try script()
    ) { _ in
      defer { finish() }
      try await recorder.waitForEmitter()
      try await beSlow(0)
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.output.contains("0 incidents"), "\(run.output)")
    #expect(try incidents().isEmpty)
    try expectNothingLeft()
  }

  @Test(.endsWhenStuck) func anHourHasNoMoreIncidentsThanAllowed() async throws {
    let run = try await recorder.record(
      options: ["--when", "statement > 1s", "--at-most", "1"], command: try script()
    ) { _ in
      defer { finish() }
      try await recorder.waitForEmitter()
      try await beSlow(0)
      try await wait { try incidents().count == 1 }
      try await beSlow(1)
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    let found = try incidents()
    #expect(found.map(\.number) == [1])
    // The second slow statement is counted, though it has no incident.
    #expect(found.allSatisfy { ($0.skipped ?? 0) >= 1 }, "\(found)")
    try expectNothingLeft()
  }

  @Test(.endsWhenStuck) func aKilledFlightRecorderLeavesNoTrigger() async throws {
    let recorder = recorder
    let run = try await recorder.record(
      options: ["--when", "statement > 1s"], command: try script()
    ) { process in
      defer { finish() }
      let id = process.processIdentifier
      try await recorder.waitForEmitter()
      #expect(
        try await LTTngProcesses.lttng(of: id, "list-triggers").contains("trace-report-\(id)-"))
      kill(id, SIGKILL)
      while SessionDaemon.isRunning(id) { try await Task.sleep(for: .milliseconds(10)) }
      while try !LTTngProcesses.guardians(of: id).isEmpty {
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(
        try await !LTTngProcesses.lttng(of: id, "list-triggers").contains("trace-report-\(id)-"))
      try expectNothingLeft()
    }
    #expect(run.status == SIGKILL)
  }
}
