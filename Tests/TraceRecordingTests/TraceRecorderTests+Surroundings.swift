// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TraceRecording

/// Recordings on machines that others use, or keep closed.
extension TraceRecorderTests {
  @Test(.enabled(if: geteuid() == 0, "only root can run a program as another user"))
  func closedSocketFolderReportsTheMissingPermission() async throws {
    let user = try OtherUser(id: 61_001, recorder)
    defer { user.remove() }
    // Root's folder in the user's own: no socket can be made there.
    try FileManager.default.createDirectory(
      atPath: "\(user.runtimeDirectory)/.lttng", withIntermediateDirectories: false)
    let run = try await user.record()
    #expect(run.status == 1)
    #expect(
      run.errorOutput.hasPrefix(
        "trace-report: no permission to trace (open lock file \(user.runtimeDirectory)/.lttng/"))
    #expect(run.errorOutput.hasSuffix(OtherUser.advice))
    try user.expectNothingLeft()
  }

  @Test(
    .enabled(
      if: OtherUser.canHideSharedMemory, "only root with mount namespaces can close /dev/shm"))
  func closedSharedMemoryReportsTheMissingPermission() async throws {
    let user = try OtherUser(id: 61_002, recorder)
    defer { user.remove() }
    let run = try await user.record(
      inside: [
        "unshare", "--mount", "sh", "-c", OtherUser.closeSharedMemory + #" && exec "$@""#, "sh",
      ])
    #expect(run.status == 1)
    #expect(
      run.errorOutput
        == "trace-report: no permission to trace (/dev/shm: Permission denied)\(OtherUser.advice)")
    try user.expectNothingLeft()
  }
}

/// A program's traces on the machine, and its inheritance.
extension TraceRecorderTests {
  @Test func aProcessThatRunsOnIsNamedAndMakesTheTraceIncomplete() async throws {
    let emitter = BuiltProducts.path(of: "event-emitter")
    let number = recorder.folder.path("number")
    let output = recorder.folder.path("output")
    let errors = recorder.folder.path("errors")
    let run = try await recorder.record(
      command: [
        "sh", "-c",
        "\(emitter) wait & echo $! > \(number); until grep -q waiting \(output); do sleep 0.05; done",
      ]
    ) { _ in
      // The end of the recorder is seen when its last child has ended.
      try await wait {
        try String(contentsOfFile: errors, encoding: .utf8).contains("still running")
      }
      kill(try Self.id(in: number), SIGKILL)
    }
    let id = try Self.id(in: number)
    #expect(run.status == 0, "\(run.errorOutput)")
    let process = "event-emitter[\(id)]"
    #expect(
      run.errorOutput.contains("still running, and not recorded from now on: \(process);"),
      "\(run.errorOutput)")
    let summary = try await recorder.run(
      BuiltProducts.path(of: "trace-report"), ["summary", "--all", recorder.trace])
    #expect(summary.output.contains("INCONCLUSIVE"))
    #expect(
      summary.output.contains("still running when the recording ended: \(process); what it"))
    try expectNothingLeft()
  }

  private static func id(in file: String) throws -> pid_t {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    return try #require(pid_t(text.filter(\.isNumber)))
  }

  /// As `nohup` and a shell's background jobs start programs.
  @Test func ignoredSignalsStayIgnored() async throws {
    let run = try await recorder.run(
      "/bin/sh",
      [
        "-c", #"trap '' HUP INT; exec "$@""#, "sh", BuiltProducts.path(of: "trace-report"),
        "record", "-o", recorder.trace, "--", "grep", "SigIgn", "/proc/self/status",
      ])
    // `SigIgn:	0000000000000003`
    let mask = try #require(
      run.output.split(separator: "\n").first?.split(whereSeparator: \.isWhitespace).last
        .flatMap { UInt64($0, radix: 16) })
    #expect(mask & 3 == 3, "\(run.output)")
    #expect(mask & (1 << (SIGTERM - 1)) == 0, "\(run.output)")
  }
}

/// A user without rights, who has a copy of `trace-report` in a folder of their own.
private struct OtherUser {
  let id: uid_t
  let recorder: Recorder
  let runtimeDirectory: String
  private var home: String { recorder.folder.path("home") }

  static let advice =
    "; join the group 'tracing', or allow writing to /dev/shm and the session daemon's socket\n"
  static let closeSharedMemory = "mount -t tmpfs -o mode=755 none /dev/shm"

  static var canHideSharedMemory: Bool {
    guard geteuid() == 0 else { return false }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["unshare", "--mount", "sh", "-c", closeSharedMemory]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  init(id: uid_t, _ recorder: Recorder) throws {
    (self.id, self.recorder) = (id, recorder)
    runtimeDirectory = "/tmp/trace-report-\(id)"
    remove()
    let files = FileManager.default
    for path in [runtimeDirectory, home] {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
      #expect(chown(path, id, id) == 0)
    }
    try files.copyItem(
      atPath: BuiltProducts.path(of: "trace-report"), toPath: recorder.folder.path("trace-report"))
  }

  func record(inside command: [String] = []) async throws -> Recorder.Run {
    try await recorder.run(
      "/usr/bin/env",
      command + [
        "setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups", "env",
        "HOME=\(home)", "LTTNG_HOME=\(home)", recorder.folder.path("trace-report"), "record",
        "--lttng", "--no-probe", "-o",
        "\(home)/trace", "--", "true",
      ])
  }

  func expectNothingLeft() throws {
    #expect(!FileManager.default.fileExists(atPath: "\(home)/trace"))
    // The guardian ends the daemon.
    for _ in 1...3_000 {
      if try LTTngProcesses.living(in: runtimeDirectory).isEmpty { break }
      usleep(10_000)
    }
    #expect(try LTTngProcesses.living(in: runtimeDirectory) == [])
    #expect(try LTTngProcesses.living(in: home) == [])
  }

  func remove() { try? FileManager.default.removeItem(atPath: runtimeDirectory) }
}
