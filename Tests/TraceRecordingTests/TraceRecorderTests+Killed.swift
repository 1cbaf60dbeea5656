// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TraceRecording

/// A killed recorder leaves its trace, and nothing else.
extension TraceRecorderTests {
  @Test(.endsWhenStuck) func killedRecorderLeavesItsTraceOnly() async throws {
    try await recordAndKill(alsoGuardian: false) { recorder in
      while try await hasSession(of: recorder) { try await Task.sleep(for: .milliseconds(100)) }
      while try !LTTngProcesses.guardians(of: recorder).isEmpty {
        try await Task.sleep(for: .milliseconds(100))
      }
      try expectNothingLeft()
    }
    #expect(try await recorder.babeltrace2().contains { $0.contains("objectstore:fetch_end") })
  }

  @Test(.endsWhenStuck)
  func nextRecordingCleansUpAfterAKilledRecorderAndItsGuardian() async throws {
    try await recordAndKill(alsoGuardian: true) { recorder in
      #expect(try await hasSession(of: recorder))
      let next = try await Recorder().record("burst", "3")
      #expect(next.status == 0, "\(next.errorOutput)")
      while try await hasSession(of: recorder) { try await Task.sleep(for: .milliseconds(100)) }
      try expectNothingLeft()
    }
    #expect(try await recorder.babeltrace2().contains { $0.contains("objectstore:fetch_end") })
  }

  /// Kills a recorder in the midst of a recording; its program runs on until `body` returns.
  private func recordAndKill(
    alsoGuardian: Bool, then body: @Sendable (pid_t) async throws -> Void
  ) async throws {
    let recorder = recorder
    let isOver = recorder.folder.path("over")
    let run = try await recorder.record("until", isOver) { process in
      // Whatever fails: Process waits for the program too, which inherits its socket.
      defer { #expect(FileManager.default.createFile(atPath: isOver, contents: nil)) }
      let id = process.processIdentifier
      try await recorder.waitForEmitter()
      try await Task.sleep(for: .milliseconds(100))
      let guardians = try LTTngProcesses.guardians(of: id)
      #expect(guardians.count == 1)
      if alsoGuardian { for guardian in guardians { kill(guardian, SIGKILL) } }
      kill(id, SIGKILL)
      while SessionDaemon.isRunning(id) { try await Task.sleep(for: .milliseconds(10)) }
      try await body(id)
    }
    #expect(run.status == SIGKILL)
  }

  private func hasSession(of recorder: pid_t) async throws -> Bool {
    let list = try await LTTngProcesses.lttng(of: recorder, "list")
    return list.contains("trace-report-\(recorder)-")
  }
}
