// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import TraceRecording

/// Session daemons that do not answer, or do not end.
@Suite struct ProcessMarkTests {
  @Test func aProcessIsFoundAgainByItsIDAndStart() throws {
    let folder = try TemporaryDirectory()
    let own = try #require(ProcessMark(getpid()))
    try own.write(toFile: folder.path("daemon"))
    #expect(ProcessMark(file: folder.path("daemon")) == own)
    try "\(own.id) \(own.start + 1)\n".write(
      toFile: folder.path("daemon"), atomically: true, encoding: .utf8)
    #expect(ProcessMark(file: folder.path("daemon")) == nil)
  }

  @Test func aDaemonThatIgnoresTheSignalToEndIsKilled() throws {
    let folder = try TemporaryDirectory()
    let script = "trap '' TERM; touch \(folder.path("ready")); while :; do sleep 0.1; done"
    let (pid, code) = BackgroundProcess.spawn(["sh", "-c", script])
    #expect(code == 0)
    while access(folder.path("ready"), F_OK) != 0 { usleep(10_000) }
    SessionDaemon.end(try #require(ProcessMark(pid)), patience: .milliseconds(300))
    #expect(ProcessMark(pid) == nil)
    var status: Int32 = 0
    #expect(waitpid(pid, &status, 0) == pid)
    #expect(status & 0x7f == SIGKILL)
  }
}

/// In namespaces of its own, where no other recording uses the daemon.
@Suite(.enabled(if: geteuid() == 0, "needs root for its own namespaces"))
struct HangingDaemonTests {
  private let recorder: Recorder

  init() throws { recorder = try Recorder() }

  /// Runs a script in which `record FOLDER` records ten fetches.
  private func run(_ script: String) async throws -> Recorder.Run {
    let start = """
      mkdir -p /run/lttng && mkdir -p -m 700 /tmp/trace-report-0
      mount -t tmpfs none /run/lttng && mount -t tmpfs -o mode=700 none /tmp/trace-report-0 || exit 90
      mount -t tmpfs -o size=1g none /dev/shm || exit 90
      record() { folder=$1; shift; "$TOOL" record --no-probe -o "$folder" -- "$EMITTER" "$@"; }

      """
    return try await recorder.run(
      "/usr/bin/env",
      [
        "TOOL=\(BuiltProducts.path(of: "trace-report"))",
        "EMITTER=\(BuiltProducts.path(of: "event-emitter"))",
        "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "timeout", "100",
        "sh", "-c", start + script,
      ])
  }

  @Test(.endsWhenStuck) func aDaemonOfOursThatHangsIsKilledByTheNextRecording()
    async throws
  {
    let done = recorder.folder.path("done")
    let run = try await run(
      """
      record '\(recorder.folder.path("first"))' until '\(done)' > /dev/null 2>&1 & sleep 0.1
      until pgrep -x lttng-consumerd > /dev/null && pgrep -x event-emitter > /dev/null; do sleep 0.1; done
      sleep 0.5
      pkill -KILL -f '[g]uard-recording'; pkill -KILL -x trace-report
      pkill -STOP -x lttng-sessiond; pkill -STOP -x lttng-consumerd
      record '\(recorder.trace)' burst 10 || exit 91
      touch '\(done)'
      # One that has ended waits for its parent, which is not there.
      while ps -eo stat=,comm= | grep -v '^Z' | grep lttng; do sleep 0.1; done
      exit 0
      """)
    #expect(run.status == 0, "\(run.output)\(run.errorOutput)")
    let lines = try await recorder.babeltrace2()
    #expect(lines.count { $0.contains("objectstore:fetch_end") } == 10)
  }

  @Test(.endsWhenStuck) func besideAnothersDaemonThatHangsADaemonOfOursRecords()
    async throws
  {
    let run = try await run(
      """
      lttng-sessiond --no-kernel > /dev/null 2>&1 & daemon=$!
      until lttng --no-sessiond list > /dev/null 2>&1; do sleep 0.1; done
      pkill -STOP -x lttng-sessiond
      record '\(recorder.trace)' burst 10 || exit 91
      [ "$(pgrep -x lttng-sessiond | wc -l)" -le 2 ] || exit 92
      kill -0 $daemon || exit 93
      exit 0
      """)
    #expect(run.status == 0, "\(run.output)\(run.errorOutput)")
    let lines = try await recorder.babeltrace2()
    #expect(lines.count { $0.contains("objectstore:fetch_end") } == 10)
  }

  /// A caller waits for the program's own result.
  @Test(.endsWhenStuck) func aRecordingThatFailsKeepsTheProgramsExitCode() async throws {
    let run = try await run(
      """
      "$TOOL" record --lttng --no-probe -o '\(recorder.trace)' -- \
        sh -c 'pkill -KILL -x lttng-sessiond; exit 7'
      """)
    #expect(run.status == 7, "\(run.output)\(run.errorOutput)")
    #expect(run.errorOutput.contains("trace-report: "), "\(run.errorOutput)")
  }

  /// It has found nothing to clean up with LTTng, and others wait for it.
  @Test(.endsWhenStuck) func besideAnothersDaemonThatHangsAGuardianEnds() async throws {
    let run = try await run(
      """
      lttng-sessiond --no-kernel > /dev/null 2>&1 &
      until lttng --no-sessiond list > /dev/null 2>&1; do sleep 0.1; done
      pkill -STOP -x lttng-sessiond
      "$TOOL" top --json -- "$EMITTER" until '\(recorder.folder.path("over"))' > /dev/null 2>&1 &
      until pgrep -x event-emitter > /dev/null; do sleep 0.1; done
      pkill -KILL -x trace-report
      while pgrep -f '[g]uard-recording' > /dev/null; do sleep 0.1; done
      exit 0
      """)
    #expect(run.status == 0, "\(run.output)\(run.errorOutput)")
  }
}
