// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TraceRecording

extension TraceRecorderTests {
  @Test func daemonOfAnotherUserIsUsedAndLeftRunning() async throws {
    let daemon = try await ForeignDaemon()
    do {
      let run = try await recorder.record("burst", "10")
      #expect(run.status == 0, "\(run.errorOutput)")
      #expect(SessionDaemon.isRunning(daemon.processID))
      #expect(try RuntimeDirectory().daemon == nil)
      let sessions = try await Recorder().run("/usr/bin/env", ForeignDaemon.list)
      #expect(sessions.status == 0)
      #expect(!sessions.output.contains("trace-report-\(run.processID)-"))
    } catch {
      try await daemon.end()
      throw error
    }
    try await daemon.end()
    #expect(SessionDaemon.isRunning(daemon.processID) != daemon.isOurs)
    let lines = try await recorder.babeltrace2()
    #expect(lines.count { $0.contains("objectstore:fetch_end") } == 10)
    try expectNothingLeft()
  }
}
