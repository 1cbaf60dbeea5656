// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Reports that cannot be written to their end.
@Suite struct OutputFailureTests {
  private static var samples: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "traces").path
  }

  /// Runs `trace-report` in a shell, which redirects its output.
  private func run(_ arguments: String, _ redirection: String) throws -> (
    status: Int32, errors: String
  ) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    let tool = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "trace-report").path
    process.arguments = ["-c", "\"$0\" \(arguments) \(redirection)", tool]
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let data = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test(arguments: [
    "summary", "summary --json", "export --format csv", "export --format json",
    "export --format perfetto", "export --format openmetrics",
  ])
  func aFullDeviceIsAnErrorOfTheTool(command: String) throws {
    let result = try run("\(command) '\(Self.samples)/before.log'", ">/dev/full")
    #expect(result.status == 1)
    #expect(result.errors.contains("No space left on device; free some space"), "\(result.errors)")
  }

  @Test(arguments: ["--help", "summary --help", "--version", "help gate", "explain"])
  func failedWriteOfTheHelpIsAnError(command: String) throws {
    let result = try run(command, ">/dev/full")
    #expect(result.status == 1)
    #expect(result.errors.contains("No space left on device; free some space"), "\(result.errors)")
  }

  @Test func aTraceThatCannotBeOpenedForLackOfDescriptorsIsNotCalledDamaged() throws {
    let folder = try TemporaryDirectory()
    var trace = TraceBuilder()
    var samples = EventSamples(seed: 80)
    for (index, record) in samples.records(120).enumerated() {
      trace.add(record, stream: index % 12)
    }
    try trace.write(to: folder.url)
    let limited = try run(
      "--version >/dev/null; exec >&2; ulimit -n 8; \"$0\" summary '\(folder.url.path)'", "")
    #expect(
      limited.errors.contains("was not read to its end: Too many open files (the limit is 8)"),
      "\(limited.errors)")
    #expect(!limited.errors.contains("damaged"), "\(limited.errors)")
  }

  @Test func aFileBeyondItsLimitIsAnErrorOfTheTool() throws {
    let folder = try TemporaryDirectory()
    let result = try run(
      "export --format csv '\(Self.samples)/before.log' -o '\(folder.path("out.csv"))'",
      "2>&1 >/dev/null")
    #expect(result.status == 0)
    let limited = try run(
      "--version >/dev/null; ulimit -f 1; \"$0\" export --format csv '\(Self.samples)/before.log' "
        + "-o '\(folder.path("limited.csv"))'", "")
    #expect(limited.status == 1)
    #expect(limited.errors.contains("File too large; raise the limit"), "\(limited.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("limited.csv")))
  }
}
