// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `gate -- PROGRAM`, which records the program and compares it with the repository's baseline.
@Suite struct GateProgramCommandTests {
  private let report = Program("trace-report")
  private let emitter = Program("event-emitter").path
  private let folder: TemporaryDirectory
  private var baseline: String { folder.path("baseline.json") }
  private var settings: [String: String] { ["TMPDIR": folder.url.path] }

  init() throws { folder = try TemporaryDirectory() }

  private func gate(_ options: String..., program: [String]) async throws -> Program.Run {
    try await report.run(
      ["gate", "--baseline", baseline] + options + ["--", emitter] + program, environment: settings)
  }

  /// The recordings that were not removed.
  private func recordings() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.hasPrefix("storescope-") }
  }

  @Test func withoutABaselineTheProgramDoesNotRun() async throws {
    let file = folder.path("started")
    let run = try await report.run(
      ["gate", "--baseline", baseline, "--", "sh", "-c", ": > \(file)"], environment: settings)
    #expect(run.status == 3)
    #expect(
      run.error == """
        trace-report: no baseline "\(baseline)"; write it with: trace-report gate --baseline \
        \(baseline) --update -- sh -c ': > \(file)'

        """)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(try recordings() == [])
  }

  @Test func updateWritesTheBaselineAndTheSameWorkPasses() async throws {
    let written = try await gate("--update", program: ["burst", "20"])
    #expect(written.status == 0, "\(written.error)")
    #expect(written.error.contains("wrote \(baseline): "))
    let same = try await gate(program: ["burst", "20"])
    #expect(same.status == 0, "\(same.error)")
    #expect(same.output.hasPrefix("gate: same"), "\(same.output)")
    #expect(try recordings() == [])
  }

  @Test func moreWorkIsARegressionUntilItIsAccepted() async throws {
    _ = try await gate("--update", program: ["burst", "20"])
    let more = try await gate(program: ["burst", "40"])
    #expect(more.status == 2, "\(more.output)\(more.error)")
    // Its recording can be read.
    let kept = try #require(try recordings().first)
    #expect(more.error.contains(kept))
    let summary = try await report.run(["summary", folder.path(kept)])
    #expect(summary.status == 0, "\(summary.error)")
    #expect(try await gate("--update", program: ["burst", "40"]).status == 0)
    #expect(try await gate(program: ["burst", "40"]).status == 0)
  }

  @Test func aProgramThatFailsHasNoVerdict() async throws {
    _ = try await gate("--update", program: ["burst", "20"])
    let failed = try await report.run(
      ["gate", "--baseline", baseline, "--", "sh", "-c", "\(emitter) burst 20; exit 4"],
      environment: settings)
    #expect(failed.status == 3, "\(failed.output)")
    #expect(failed.output.contains("the program ended with code 4"), "\(failed.output)")
  }

  @Test func theOutputIsTheVerdictAlone() async throws {
    _ = try await gate("--update", program: ["burst", "20"])
    let run = try await report.run(
      [
        "gate", "--baseline", baseline, "--quiet", "--", "sh", "-c",
        "echo printed; \(emitter) burst 20",
      ],
      environment: settings)
    #expect(run.status == 0, "\(run.error)")
    #expect(!run.output.contains("printed") && run.output.split(separator: "\n").count == 1)
    #expect(run.error.contains("printed"))
  }

  @Test func inputsAndAProgramExcludeEachOther() async throws {
    let both = try await report.run(["gate", "trace", "--", "true"])
    #expect(both.status == 64)
    #expect(both.error.contains("Pass either inputs or a program after --, not both."))
    let none = try await report.run(["gate"])
    #expect(none.status == 64)
    #expect(none.error.contains("Pass inputs, or a program after --."))
    let timed = try await report.run(["gate", "--timing", "--", "true"])
    #expect(timed.status == 64)
  }
}
