// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// A consumer daemon that is killed while a program is recorded.
///
/// In namespaces of its own, where no other recording uses the daemon.
@Suite(.enabled(if: geteuid() == 0, "needs root for its own namespaces"))
struct TracerWatchTests {
  private let recorder: Recorder

  init() throws { recorder = try Recorder() }

  private func recordAndKillTheDaemon(
    _ options: String, _ program: String...
  ) async throws -> Recorder.Run {
    let script = """
      mkdir -p /run/lttng && mkdir -p -m 700 /tmp/trace-report-0
      mount -t tmpfs none /run/lttng && mount -t tmpfs -o mode=700 none /tmp/trace-report-0 || exit 90
      "$@" & recorder=$!
      until pgrep -x lttng-consumerd > /dev/null && pgrep -x event-emitter > /dev/null; do sleep 0.1; done
      sleep 0.5
      pkill -KILL -x lttng-consumerd
      sleep 1
      touch '\(recorder.folder.path("done"))'
      wait $recorder
      """
    return try await recorder.run(
      "/usr/bin/env",
      ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "timeout", "60"]
        + [
          "sh", "-c", script, "sh", BuiltProducts.path(of: "trace-report"), "record", "--no-probe",
        ]
        + (options.isEmpty ? [] : [options])
        + ["-o", recorder.trace, "--", BuiltProducts.path(of: "event-emitter")] + program)
  }

  @Test func aLosslessRecordingEndsTheProgramThatWaitsForTheDaemon() async throws {
    let run = try await recordAndKillTheDaemon("--lossless", "mix", "100000000")
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("LTTng's consumer daemon ended before the program"))
    #expect(run.errorOutput.contains("the program was ended as well"))
  }

  @Test func aRecordingThatMayLoseEventsRunsToItsEndAndReportsTheDaemon() async throws {
    let run = try await recordAndKillTheDaemon("", "until", recorder.folder.path("done"))
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("LTTng's consumer daemon ended before the program"))
    #expect(!run.errorOutput.contains("the program was ended as well"))
  }
}
