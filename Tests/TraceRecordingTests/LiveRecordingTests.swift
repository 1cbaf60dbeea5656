// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing
import TraceRendering

@testable import TraceRecording

/// Programs that `top` starts, and the logs that it follows.
extension TraceRecorderTests {
  private func frames(_ output: String) throws -> [TopV1] {
    try output.split(separator: "\n").map {
      try JSONDecoder().decode(TopV1.self, from: Data($0.utf8))
    }
  }

  private func top(
    _ options: [String], _ command: String...,
    whileRunning body: @Sendable (Process) async throws -> Void = { _ in }
  ) async throws -> Recorder.Run {
    try await recorder.run(
      BuiltProducts.path(of: "trace-report"),
      ["top", "--json", "--interval", "200ms"] + options + ["--"]
        + [BuiltProducts.path(of: "event-emitter")] + command, whileRunning: body)
  }

  private func logFolder(of recorder: pid_t) throws -> String {
    "\(try RuntimeDirectory().path)/live-\(recorder)"
  }

  private func hasLog(of run: Recorder.Run) throws -> Bool {
    try FileManager.default.fileExists(atPath: logFolder(of: run.processID))
  }

  @Test func topSeesEveryEventOfAProgramThatItStarts() async throws {
    let run = try await top([], "burst", "5000")
    #expect(run.status == 0, "\(run.errorOutput)")
    let last = try #require(try frames(run.output).last)
    #expect(last.totals.fetches == 5000)
    #expect(last.totals.rows == 75_000)
    #expect(last.completeness.eventsLost == 0)
    #expect(last.ended == "ended with code 0")
    #expect(last.statements.first?.caller?.file == "emitter/EventEmitter.swift")
    #expect(try !hasLog(of: run))
  }

  @Test func topPassesOnTheProgramsCode() async throws {
    let run = try await top([], "exit", "7")
    #expect(run.status == 7)
    #expect(try !hasLog(of: run))
  }

  @Test func topEndsAProgramThatRunsOn() async throws {
    // Six seconds: beside a session daemon that hangs, a program waits for it for three.
    let run = try await top(["--count", "30"], "until", recorder.folder.path("never"))
    #expect(run.status == 0, "\(run.errorOutput)")
    let frames = try frames(run.output)
    #expect(frames.count == 30)
    #expect(frames.reduce(0) { $0 + $1.interval.fetches } == frames.last?.totals.fetches)
    #expect((frames.last?.totals.fetches ?? 0) > 0)
    #expect(run.errorOutput.contains("the program was ended"))
    #expect(try !hasLog(of: run))
  }

  @Test(arguments: [SIGINT, SIGTERM]) func interruptedTopLeavesNothing(signal: Int32)
    async throws
  {
    let recorder = recorder
    let run = try await top([], "until", recorder.folder.path("never")) { process in
      for _ in 1...3000 {
        let output = try String(contentsOfFile: recorder.folder.path("output"), encoding: .utf8)
        if output.contains("EventEmitter") { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      kill(process.processIdentifier, signal)
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(try !hasLog(of: run))
  }

  @Test(.endsWhenStuck) func killedTopLeavesNoLogThatGrows() async throws {
    let recorder = recorder
    let isOver = recorder.folder.path("over")
    let run = try await top([], "until", isOver) { process in
      defer { #expect(FileManager.default.createFile(atPath: isOver, contents: nil)) }
      for _ in 1...3000 {
        let output = try String(contentsOfFile: recorder.folder.path("output"), encoding: .utf8)
        if output.contains("EventEmitter") { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      let folder = try logFolder(of: process.processIdentifier)
      var status = stat()
      #expect(stat("\(folder)/debug.log", &status) == 0)
      kill(process.processIdentifier, SIGKILL)
      while FileManager.default.fileExists(atPath: folder) {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    #expect(run.status == SIGKILL)
  }
}
