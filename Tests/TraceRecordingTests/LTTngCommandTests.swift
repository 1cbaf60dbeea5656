// SPDX-License-Identifier: Apache-2.0

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
}
