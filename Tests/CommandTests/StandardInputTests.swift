// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// `-` as the input, and inputs that cannot be read.
@Suite struct StandardInputTests {
  private let report = BuiltTool("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private let records = RunBuilder {
    $0.open()
    $0.fetch("SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?", rows: 15, vmSteps: 1000)
    $0.close()
  }.records

  private var log: String {
    var log = LogBuilder()
    log.open(records[0].process, at: 0)
    for record in records { log.add(record) }
    return log.text
  }

  /// Runs the tool with a file, or a folder, as its standard input.
  private func run(_ arguments: [String], input path: String) async throws -> BuiltTool.Run {
    try await report.run(through: ["sh", "-c", "exec \"$@\" < '\(path)'", "sh"], arguments)
  }

  @Test(arguments: [["summary", "--all", "-"], ["--all", "-"], ["summary", "--json", "-"]])
  func aLogMayBePiped(command: [String]) async throws {
    let file = folder.path("log.txt")
    try Data(log.utf8).write(to: URL(filePath: file))
    let piped = try await report.run(command, input: log)
    let read = try await report.run(command.dropLast() + [file])
    #expect(piped.status == 0, "\(piped.errorOutput)")
    #expect(piped.errorOutput == "")
    let escaped = file.replacing("/", with: "\\/")
    #expect(
      piped.output
        == read.output.replacing(escaped, with: "-").replacing(file, with: "-"))
    #expect(piped.output.contains("SELECT"))
  }

  @Test func aPipedLogAndAFileAreOneReport() async throws {
    let file = folder.path("log.txt")
    try Data(log.utf8).write(to: URL(filePath: file))
    let run = try await report.run(["summary", "--json", "-", file], input: log)
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let sources = try #require(json?["sources"] as? [[String: Any]])
    #expect(sources.map { $0["path"] as? String } == ["-", file])
    #expect(Set(sources.map { $0["eventsRead"] as? Int }).count == 1)
  }

  @Test func nothingPipedIsInconclusive() async throws {
    let run = try await report.run(["summary", "--all", "-"])
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("holds no events"), "\(run.errorOutput)")
  }

  @Test func aFolderCannotBePiped() async throws {
    var trace = TraceBuilder()
    try trace.write(to: folder.url.appending(path: "trace"))
    let run = try await run(["summary", "--all", "-"], input: folder.path("trace"))
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(
      run.errorOutput
        == "trace-report: cannot read \"-\": it is a folder; pass its path instead\n")
  }

  @Test func aFileOfATraceIsNeitherKind() async throws {
    var trace = TraceBuilder()
    try trace.write(to: folder.url.appending(path: "trace"))
    let run = try await run(["summary", "--all", "-"], input: folder.path("trace/metadata"))
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("is neither a CTF folder"), "\(run.errorOutput)")
  }

  @Test func damagedMetadataIsOneSentence() async throws {
    var trace = TraceBuilder()
    for record in records { trace.add(record) }
    try trace.write(to: folder.url.appending(path: "trace"))
    let metadata = folder.url.appending(path: "trace/metadata")
    // A member named twice.
    let text = try String(contentsOf: metadata, encoding: .utf8)
      .replacing("_source;", with: "_entity;")
    try Data(text.utf8).write(to: metadata)
    let run = try await report.run("summary", "--all", folder.path("trace"))
    #expect(run.status == 1)
    #expect(run.errorOutput.hasPrefix("trace-report: cannot read "), "\(run.errorOutput)")
    #expect(run.errorOutput.split(separator: "\n").count == 1, "\(run.errorOutput)")
  }
}
