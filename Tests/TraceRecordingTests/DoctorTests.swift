// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs the built `trace-report doctor`, as a user does.
@Suite struct DoctorTests {
  private let recorder: Recorder

  init() throws { recorder = try Recorder() }

  private func doctor(_ command: String...) async throws -> Recorder.Run {
    try await recorder.run(BuiltProducts.path(of: "trace-report"), ["doctor"] + command)
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

  @Test(
    arguments: [
      ["sh", "-c", "python3 app.py"], ["env", "A=1", "python3"], ["make", "test"],
      ["timeout", "9", "true"],
      ["nohup", "true"], ["find", ".", "-exec", "true", ";"],
      ["script", "-qc", "true", "/dev/null"],
      ["prlimit", "--nofile=500", "true"], ["setarch", "x86_64", "true"],
      ["env", "A=1", "python3", "-i"], ["env", "-u", "A", "python3", "-u"],
    ].filter { Self.isInstalled($0[0]) })
  func theProgramsOfALauncherAreLookedAtWhenTheyRun(command: [String]) async throws {
    let run = try await recorder.run(BuiltProducts.path(of: "trace-report"), ["doctor"] + command)
    #expect(run.status == 0, "\(run.output)\(run.errorOutput)")
    #expect(run.output.contains("looked at when they run"), "\(run.output)")
    #expect(!run.output.contains("no SQLite is linked"), "\(run.output)")
  }

  @Test(
    arguments: [
      ["env", "-i", "python3"], ["env", "-u", "LD_PRELOAD", "python3"],
      ["env", "A=1", "LD_PRELOAD=/usr/lib/libjemalloc.so.2", "python3"], ["su", "-c", "python3"],
      ["sudo", "python3"],
      ["systemd-run", "python3"],
      ["docker", "run", "image"],
    ].filter { Self.isInstalled($0[0]) })
  func aLauncherThatRemovesTheVariablesIsNotObserved(command: [String]) async throws {
    let run = try await recorder.run(BuiltProducts.path(of: "trace-report"), ["doctor"] + command)
    #expect(run.status == 3, "\(run.output)\(run.errorOutput)")
    #expect(run.output.contains("missing: '\(command[0])"), "\(run.output)")
    #expect(run.output.contains("record"), "\(run.output)")
  }

  /// R's driver is a script of a shell.
  @Test func aScriptOfAShellIsAShell() async throws {
    let path = recorder.folder.path("R")
    try Data("#!/bin/sh\nexec true\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let run = try await doctor(path)
    #expect(run.status == 0, "\(run.output)\(run.errorOutput)")
    #expect(run.output.contains("a shell; its programs are looked at when they run"))
  }

  @Test func anArchiveOfPyInstallerLoadsItsLibrariesLater() async throws {
    let path = recorder.folder.path("app")
    var program = try Data(contentsOf: URL(filePath: "/bin/ls"))
    program += Data([0x4d, 0x45, 0x49, 0x0c, 0x0b, 0x0a, 0x0b, 0x0e]) + Data(count: 80)
    try program.write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let run = try await doctor(path)
    #expect(run.status == 0, "\(run.output)\(run.errorOutput)")
    #expect(run.output.contains("one that the program loads later is observed"))
  }

  private static func isInstalled(_ program: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin"].contains { access("\($0)/\(program)", X_OK) == 0 }
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
