// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

@testable import TraceRecording

/// A flight recorder of a program that runs already.
extension TraceRecorderTests {
  /// Starts the program under the probe, but without a recorder.
  private func startProgram() throws -> Process {
    let probe = try #require(ProbeLibrary.path())
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = ["LD_PRELOAD=\(probe)"] + Array(try script().dropFirst())
    program.standardOutput = FileHandle.nullDevice
    try program.run()
    return program
  }

  private func record(
    _ program: Process, whileRunning body: @Sendable (Process) async throws -> Void
  ) async throws -> Recorder.Run {
    try await recorder.run(
      BuiltProducts.path(of: "trace-report"),
      [
        "record", "--pid", "\(program.processIdentifier)", "--when", "statement > 1s", "-o",
        recorder.trace,
      ], whileRunning: body)
  }

  @Test(.endsWhenStuck) func aRunningProgramIsRecordedByItsID() async throws {
    let program = try startProgram()
    defer { program.waitUntilExit() }
    let run = try await record(program) { process in
      defer { finish() }
      let recorder = recorder
      try await wait {
        let list = try FileManager.default.contentsOfDirectory(atPath: recorder.folder.path(""))
        return list.contains("app.db") && list.contains("trace")
      }
      // Nothing reports when its triggers are armed; a slow statement before makes no incident.
      var number = 0
      while try incidents().isEmpty, number < 30 {
        try await beSlow(number)
        try await Task.sleep(for: .milliseconds(500))
        number += 1
      }
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    let incident = try #require(try incidents().first)
    #expect(incident.offender.sql?.hasPrefix("WITH RECURSIVE") == true)
    #expect(incident.offender.process.id == Int64(program.processIdentifier))
    try expectNothingLeft()
  }

  /// The statement was announced when its events were enabled for another session alone.
  @Test(.endsWhenStuck)
  func aStatementThatRunsWhenTheRecordingBeginsHasItsTextAndItsLine() async throws {
    let neighbour = try Recorder()
    let isOver = neighbour.folder.path("over")
    let recorder = recorder
    let others = try await neighbour.record("until", isOver) { _ in
      defer { #expect(FileManager.default.createFile(atPath: isOver, contents: nil)) }
      try await neighbour.waitForEmitter()
      let program = try startProgram()
      defer { program.waitUntilExit() }
      let hold = recorder.folder.path("hold")
      for name in ["hold", "slow-0"] {
        #expect(FileManager.default.createFile(atPath: recorder.folder.path(name), contents: nil))
      }
      try await wait { FileManager.default.fileExists(atPath: recorder.folder.path("started-0")) }
      let run = try await record(program) { process in
        defer { finish() }
        let id = process.processIdentifier
        while try await !LTTngProcesses.lttng(of: id, "list-triggers")
          .contains("trace-report-\(id)-")
        {
          try await Task.sleep(for: .milliseconds(20))
        }
        try FileManager.default.removeItem(atPath: hold)
        try await wait { try incidents().count == 1 }
      }
      #expect(run.status == 0, "\(run.errorOutput)")
    }
    #expect(others.status == 0, "\(others.errorOutput)")
    let offender = try #require(try incidents().first).offender
    #expect(offender.sql?.hasPrefix("WITH RECURSIVE") == true)
    #expect(offender.location.text?.hasSuffix("app.py:19") == true)
    #expect(offender.database?.hasSuffix("/app.db") == true)
    try expectNothingLeft()
  }
}
