// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import TraceRecording

/// LTTng's programs are not waited for without end.
@Suite struct LTTngCommandTests {
  @Test func aProgramThatHangsIsEnded() async throws {
    var command = LTTngCommand()
    command.limit = .milliseconds(100)
    let error = await #expect(throws: RecordingError.self) {
      try await command.run("sleep", ["600"])
    }
    #expect(error == .tracerHangs(command: "sleep 600", limit: .milliseconds(100)))
    #expect("\(try #require(error))".hasPrefix("'sleep 600' was ended after 0 s without an answer"))
  }

  @Test func lastLineOfTheErrorOutputIsKept() async throws {
    var command = LTTngCommand()
    // The suite may wait long for a thread.
    command.limit = .seconds(1800)
    let output = try await command.run(
      "sh", ["-c", "echo out; echo Error: why >&2; exit 3"])
    #expect(!output.isSuccess)
    #expect(output.lastLine == "why")
  }

  /// LTTng's programs wait for each other by polls of 0.2 s, and as root close 65,535 descriptors.
  @Test(.enabled(if: ProbeLibrary.preloadOfDaemons != nil, "needs LTTng in the probe: make probe"))
  func itWaitsInShortSteps() async throws {
    let command = LTTngCommand()
    let script = """
      import ctypes, os, time
      start = time.monotonic()
      for _ in range(10): ctypes.CDLL(None).usleep(200000)
      print(os.sysconf("SC_OPEN_MAX") <= 1024, time.monotonic() - start < 1)
      """
    let output = try await command.run("/usr/bin/python3", ["-c", script])
    #expect(output.text == "True True\n")
  }

  /// A daemon would keep the pipe of a shell that waits for its end.
  @Test func itInheritsStandardFilesAlone() async throws {
    let file = dup(STDOUT_FILENO)
    defer { close(file) }
    let output = try await LTTngCommand().run("ls", ["/proc/self/fd"])
    #expect(!output.text.split(separator: "\n").contains("\(file)"))
  }
}
