// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

@testable import TraceRecording

/// Recordings without LTTng: a log for each process in the recording's folder.
@Suite(.endsWhenStuck)
struct LogRecordingTests {
  let recorder: Recorder
  private let report = BuiltProducts.path(of: "trace-report")

  init() throws { recorder = try Recorder() }

  @Test func withoutLTTngRecordsLogsAndStatesTheReasonAndTheCost() async throws {
    let run = try await recorder.record(
      command: [BuiltProducts.path(of: "event-emitter"), "burst", "50"], path: "/nowhere")
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(
      run.errorOutput.hasPrefix(
        "trace-report: records a log, about 1.5 µs and 150 bytes a statement: 'lttng' is not installed;"
      ))
    #expect(run.output.contains("none lost"))
    #expect(try logs().count == 1)
    #expect(FileManager.default.fileExists(atPath: "\(recorder.trace)/recording.json"))
  }

  @Test func hasTheCountsOfATrace() async throws {
    let trace = try await recorder.record(options: ["--lttng"], "burst", "200")
    #expect(trace.status == 0, "\(trace.errorOutput)")
    let other = try Recorder()
    let log = try await other.record(options: ["--log"], "burst", "200")
    #expect(log.status == 0, "\(log.errorOutput)")
    let baseline = recorder.folder.path("baseline.json")
    let written = try await recorder.run(report, ["baseline", recorder.trace, "-o", baseline])
    #expect(written.status == 0, "\(written.errorOutput)")
    let gate = try await recorder.run(report, ["gate", other.trace, "--baseline", baseline])
    #expect(gate.status == 0, "\(gate.output)\(gate.errorOutput)")
    #expect(gate.output.hasPrefix("gate: same"))
  }

  @Test func eachProcessHasALog() async throws {
    let emitter = BuiltProducts.path(of: "event-emitter")
    let run = try await recorder.record(
      options: ["--log"],
      command: ["sh", "-c", "\(emitter) burst 10; \(emitter) burst 20; \(emitter) exit 3; true"])
    // A child that fails is the program's own matter.
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(try logs().count == 3)
    let baseline = recorder.folder.path("baseline.json")
    let written = try await recorder.run(report, ["baseline", recorder.trace, "-o", baseline])
    #expect(written.status == 0, "\(written.errorOutput)")
  }

  @Test func theProgramsCodeIsReturned() async throws {
    let run = try await recorder.record(options: ["--log"], "exit", "5")
    #expect(run.status == 5)
    #expect(run.errorOutput.contains("the program ended with code 5"))
  }

  @Test(
    arguments: [
      ["--snapshot"], ["--lossless"], ["--memory", "1"], ["--when", "error"],
      ["--relay", "127.0.0.1:1"],
    ])
  func optionsThatNeedLTTngFailBeforeTheProgramStarts(options: [String]) async throws {
    let file = recorder.folder.path("started")
    let output = options[0] == "--relay" ? [] : ["-o", recorder.trace]
    let program = ["/bin/sh", "-c", ": >\(file)"]
    let missing = try await recorder.run(
      report, ["record"] + output + options + ["--"] + program, path: "/nowhere")
    #expect(missing.status == 1, "\(missing.errorOutput)")
    #expect(missing.errorOutput.split(separator: "\n").count == 1, "\(missing.errorOutput)")
    let excluded = try await recorder.run(
      report, ["record", "--log"] + output + options + ["--"] + program)
    #expect(excluded.status == 64)
    #expect(excluded.errorOutput.contains("\(options[0]) needs LTTng; leave out --log."))
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func endsAtTheSizeThatTheDiskOptionPermits() async throws {
    // It goes on when the recorder has ended the logs, however late that is: its further log would
    // have 8 MiB.
    let emitter = BuiltProducts.path(of: "event-emitter")
    let run = try await recorder.record(
      options: ["--log", "--disk", "1"],
      command: [
        "sh", "-c",
        """
        \(emitter) burst 3000
        for i in $(seq 3000); do
          [ "$(head -c 1 '\(recorder.trace)/.recording')" = 1 ] || break
          sleep 0.02
        done
        \(emitter) burst 20000
        """,
      ])
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(
      run.errorOutput.contains(
        "MiB, so the recording is incomplete; the program ran on. Allow more with"))
    let size = LogFolder(recorder.trace).byteCount
    // A store reads the state of its file after each MiB.
    #expect(size >= 1 << 20 && size < 8 << 20, "\(size)")
    let summary = try await recorder.run(report, ["summary", recorder.trace])
    #expect(summary.output.contains("INCONCLUSIVE"))
    #expect(summary.output.contains("its log ended at "))
  }

  @Test func aProcessThatRunsOnIsNamedAndLogsNoMore() async throws {
    let emitter = BuiltProducts.path(of: "event-emitter")
    let (number, output) = (recorder.folder.path("number"), recorder.folder.path("output"))
    let run = try await recorder.record(
      options: ["--log"],
      command: [
        "sh", "-c",
        "\(emitter) wait & echo $! >\(number); until grep -q waiting \(output); do sleep 0.05; done",
      ]
    ) { _ in
      try await wait { FileManager.default.fileExists(atPath: "\(recorder.trace)/recording.json") }
      let text = try String(contentsOfFile: number, encoding: .utf8)
      kill(try #require(pid_t(text.filter(\.isNumber))), SIGTERM)
    }
    #expect(run.errorOutput.contains("still running, and not recorded from now on: event-emitter["))
    let summary = try await recorder.run(report, ["summary", recorder.trace])
    #expect(summary.output.contains("still running when the recording ended: event-emitter["))
    #expect(!summary.output.contains("not as they were recorded"))
  }

  @Test func aKilledRecordersGuardianEndsTheLogs() async throws {
    let run = try await recorder.record(options: ["--log"], "wait") { process in
      try await recorder.waitForEmitter()
      kill(process.processIdentifier, SIGKILL)
      let log = try #require(try logs().first)
      try await wait {
        var status = stat()
        return stat(log, &status) == 0 && status.st_mode & S_IWUSR == 0
      }
      // The end of the recorder is seen when its last child has ended.
      let name = URL(filePath: log).deletingPathExtension().lastPathComponent
      kill(try #require(pid_t(name)), SIGKILL)
    }
    #expect(run.status == SIGKILL)
    let summary = try await recorder.run(report, ["summary", recorder.trace])
    #expect(summary.output.contains("its recorder was killed"), "\(summary.output)")
  }

  /// Hosts on which LTTng may not work.
  static let surroundings: [(name: String, command: String)] = [
    ("a home that is read-only", "mount -t tmpfs -o ro none $HOME"),
    ("a small /dev/shm", "mount -t tmpfs -o size=64k none /dev/shm"),
    ("a /tmp that is read-only", "mount -t tmpfs -o ro none /tmp"),
    ("little memory", "ulimit -v 400000"),
    ("few descriptors", "ulimit -n 32"),
    ("small files", "ulimit -f 2000"),
    (
      "few processes",
      "chmod 777 $HOME/.. && set -- prlimit --nproc=16 setpriv --reuid 61003 --clear-groups \"$@\""
    ),
  ]

  @Test(
    .enabled(if: geteuid() == 0, "only root can mount"), arguments: surroundings)
  func recordsWithOrWithoutLTTng(surroundings: (name: String, command: String)) async throws {
    let folder = "/var/tmp/storescope-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: "\(folder)/home", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let script = "export HOME=\(folder)/home; \(surroundings.command) && exec \"$@\""
    let run = try await recorder.run(
      "/usr/bin/env",
      [
        "unshare", "--mount", "sh", "-c", script, "sh", report, "record", "-o", "\(folder)/trace",
        "--", BuiltProducts.path(of: "event-emitter"), "burst", "10",
      ])
    #expect(run.status == 0, "\(surroundings.name): \(run.errorOutput)")
    #expect(run.output.contains("none lost"), "\(surroundings.name): \(run.output)")
  }

  /// LTTng's daemons have some 40 threads, and wait without end for one that cannot start.
  @Test(.enabled(if: geteuid() == 0, "only root can mount"))
  func aContainerWithFewProcessesRecordsALog() async throws {
    let script = "mount -t tmpfs none /sys/fs/cgroup && echo 40 > /sys/fs/cgroup/pids.max"
    let run = try await recorder.run(
      "/usr/bin/env",
      [
        "unshare", "--mount", "sh", "-c", "\(script) && exec \"$@\"", "sh", report, "record", "-o",
        recorder.trace, "--", BuiltProducts.path(of: "event-emitter"), "burst", "10",
      ])
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("the limit 'pids.max' of 40 leaves no room for LTTng"))
    #expect(run.output.contains("none lost"), "\(run.output)")
  }

  private func wait(until condition: () throws -> Bool) async throws {
    for _ in 1...3_000 {
      if try condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("the condition does not hold after 30 s")
  }

  private func logs() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: recorder.trace)
      .filter { RecordedLog.isName($0) }.map { "\(recorder.trace)/\($0)" }
  }
}
