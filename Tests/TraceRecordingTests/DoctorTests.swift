// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs the built `trace-report doctor`, as a user does.
@Suite struct DoctorTests {
  private let recorder: Recorder

  init() throws { recorder = try Recorder() }

  private func doctor(_ command: String...) async throws -> Recorder.Run {
    try await recorder.run(Recorder.path(of: "trace-report"), ["doctor"] + command)
  }

  @Test(arguments: ["python3", "sqlite3"])
  func anInterpreterThatOpensADatabaseIsObserved(program: String) async throws {
    let run = try await doctor(program)
    #expect(run.status == 0, "\(run.output)\(run.errorOutput)")
    #expect(run.output.contains("observed: the calls of loaded libraries (got)"))
    #expect(run.output.contains("Statements would be observed."))
  }

  @Test func aProgramWithoutSQLiteIsNotObserved() async throws {
    let run = try await doctor("ls", "-l")
    #expect(run.status == 3)
    #expect(run.output.contains("no SQLite is linked"))
    #expect(run.output.contains("Statements would not be observed."))
  }

  @Test func aProgramThatIsMissingIsAnError() async throws {
    let run = try await doctor("no-such-program")
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("no-such-program"))
  }

  @Test(arguments: [
    "", "#!", "\u{7f}ELF", "\u{7f}ELF\u{2}\u{1}" + String(repeating: "\u{7f}", count: 90),
  ])
  func aDamagedProgramIsNoCrash(content: String) async throws {
    let path = recorder.folder.path("program")
    try Data(content.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let run = try await doctor(path)
    #expect(run.status == 3, "\(run.output)\(run.errorOutput)")
  }
}
