// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The options that load the probe into a running process.
///
/// Tests/ProbeTests/attached.py has real processes.
@Suite struct AttachOptionTests {
  private let report = Program("trace-report")

  @Test(arguments: [
    ["top"], ["top", "--pid", "1", "debug.log"], ["top", "--pid", "1", "--", "true"],
    ["serve", "--pid", "1", "folder"], ["serve", "--pid", "1", "--", "true"],
  ])
  func aProcessIsTheOnlyInput(arguments: [String]) async throws {
    let run = try await report.run(arguments)
    #expect(run.status == 64, "\(run.error)")
  }

  /// Beyond the largest id that Linux assigns.
  @Test(arguments: ["top", "serve"]) func aProcessThatDoesNotExistIsASentence(
    command: String
  ) async throws {
    let run = try await report.run(command, "--pid", "99999999")
    #expect(run.status == 1)
    #expect(run.error.contains("no process 99999999"))
    #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
  }

  @Test(arguments: [["--json"], ["--watch", "1s"], ["--rescue", "saved"]])
  func locksAttachesForOneState(options: [String]) async throws {
    let run = try await report.run(["locks", "app.db", "--attach"] + options)
    #expect(run.status == 64, "\(run.error)")
    #expect(run.error.contains("--attach excludes"))
  }
}
