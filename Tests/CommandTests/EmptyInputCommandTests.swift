// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// A trace without events is inconclusive; a file that is no trace is a failure.
@Suite struct EmptyInputCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  enum Kind: CaseIterable {
    case emptyFolder, emptyFile, logWithoutEvents, traceWithoutEvents, recordingOfNoStore
  }

  /// Makes an input without an event.
  private func input(_ kind: Kind) async throws -> String {
    let input = folder.url.appending(path: "input")
    switch kind {
    case .emptyFolder:
      try FileManager.default.createDirectory(at: input, withIntermediateDirectories: true)
    case .emptyFile:
      try Data().write(to: input)
    case .logWithoutEvents:
      var log = LogBuilder()
      log.open(ProcessIdentity(id: 1, name: "transit"), at: 0)
      try Data(log.text.utf8).write(to: input)
    case .traceWithoutEvents:
      var trace = TraceBuilder()
      try trace.write(to: input)
    case .recordingOfNoStore:
      let run = try await report.run("record", "-o", input.path, "--", "true")
      #expect(run.status == 3)
    }
    return input.path
  }

  /// A usual log, and the baseline of it.
  private func usual() async throws -> (log: String, baseline: String) {
    let run = RunBuilder {
      $0.open()
      $0.fetch("SELECT 0, t0.Z_PK FROM ZSTOP t0", rows: 1, vmSteps: 10)
      $0.close()
    }
    var log = LogBuilder()
    log.open(run.process, at: 0)
    for record in run.records { log.add(record) }
    let path = folder.path("usual.txt")
    try Data(log.text.utf8).write(to: URL(filePath: path))
    let baseline = folder.path("baseline.json")
    #expect(try await report.run("baseline", path, "-o", baseline).status == 0)
    return (path, baseline)
  }

  @Test(arguments: Kind.allCases) func noEventsAreInconclusive(kind: Kind) async throws {
    let usual = try await usual()
    let input = try await input(kind)
    let written = folder.path("written.json")
    for arguments in [
      ["summary", "--all", input], ["gate", input, "--baseline", usual.baseline],
      ["baseline", input, "-o", written], ["diff", usual.log, input], ["diff", input, usual.log],
    ] {
      let run = try await report.run(arguments)
      #expect(run.status == 3, "\(arguments)")
      #expect((run.output + run.error).contains("no events"), "\(arguments)")
      #expect(run.error.split(separator: "\n").count <= 1, "\(arguments)")
    }
    #expect(!FileManager.default.fileExists(atPath: written))
  }

  @Test(arguments: ["nowhere", "notes.txt", "notes"])
  func inputThatIsNoTraceFails(name: String) async throws {
    let usual = try await usual()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "notes"), withIntermediateDirectories: true)
    try Data("milk\n".utf8).write(to: folder.url.appending(path: "notes/list"))
    try Data("milk\n".utf8).write(to: folder.url.appending(path: "notes.txt"))
    let input = folder.path(name)
    for arguments in [
      ["summary", "--all", input], ["gate", input, "--baseline", usual.baseline],
      ["baseline", input, "-o", folder.path("written.json")], ["diff", usual.log, input],
    ] {
      let run = try await report.run(arguments)
      #expect(run.status == 1, "\(arguments)")
      #expect(run.error.split(separator: "\n").count == 1, "\(arguments)")
      #expect(run.error.contains(input), "\(arguments)")
    }
  }
}
