// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs the built `trace-report record`, as a user does.
struct Recorder {
  let folder: TemporaryDirectory
  var trace: String { folder.path("trace") }

  init() throws { folder = try TemporaryDirectory() }

  struct Run {
    var processID: pid_t
    var status: Int32
    var output: String
    var errorOutput: String
  }

  /// Records the event emitter.
  func record(
    options: [String] = [], _ arguments: String...,
    whileRunning body: @Sendable (Process) async throws -> Void = { _ in }
  ) async throws -> Run {
    try await record(
      options: options, command: [BuiltProducts.path(of: "event-emitter")] + arguments,
      whileRunning: body)
  }

  func record(
    options: [String] = [], command: [String], path: String? = nil,
    whileRunning body: @Sendable (Process) async throws -> Void = { _ in }
  ) async throws -> Run {
    let arguments = ["record", "-o", trace] + options + ["--"] + command
    return try await run(
      BuiltProducts.path(of: "trace-report"), arguments, path: path, whileRunning: body)
  }

  /// The lines of the babeltrace2 command, which shares no code with our reader.
  func babeltrace2() async throws -> [String] {
    let run = try await run("/usr/bin/env", ["babeltrace2", trace])
    #expect(run.status == 0, "\(run.errorOutput)")
    return run.output.split(separator: "\n").map(String.init)
  }

  func run(
    _ program: String, _ arguments: [String], path: String? = nil,
    whileRunning body: @Sendable (Process) async throws -> Void = { _ in }
  ) async throws -> Run {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    if let path {
      process.environment = ProcessInfo.processInfo.environment.merging(["PATH": path]) { $1 }
    }
    // Files: a pipe without a reader meanwhile would block the program.
    let (output, errors) = (folder.path("output"), folder.path("errors"))
    for path in [output, errors] { try Data().write(to: URL(filePath: path)) }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    let ended = AsyncStream<Int32>.makeStream()
    process.terminationHandler = {
      ended.continuation.yield($0.terminationStatus)
      ended.continuation.finish()
    }
    try process.run()
    try await body(process)
    var statuses = ended.stream.makeAsyncIterator()
    let status = try #require(await statuses.next())
    return Run(
      processID: process.processIdentifier, status: status,
      output: try String(contentsOfFile: output, encoding: .utf8),
      errorOutput: try String(contentsOfFile: errors, encoding: .utf8))
  }

  /// Waits until the emitter has reported its events.
  @Sendable func waitForEmitter() async throws {
    let output = folder.path("output")
    for _ in 1...3_000 {
      if try String(contentsOfFile: output, encoding: .utf8).contains("waiting") { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("the emitter did not start within 30 s")
  }
}
