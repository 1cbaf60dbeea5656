// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceRendering

/// `top` where there is no screen: a block or a line each interval.
@Suite struct TopCommandTests {
  private let report = Program("trace-report")
  private let log: GrowingLog
  init() throws { log = try GrowingLog() }

  @Test func printsABlockAnInterval() async throws {
    try log.append { $0.fetch(GrowingLog.sql, rows: 15) }
    let run = try await report.run("top", log.path, "--interval", "50ms", "--count", "2")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error == "")
    let blocks = run.output.split(separator: "transit[2367]")
    #expect(blocks.count == 3, "\(run.output)")
    #expect(run.output.contains("In all 1 fetch, 15 rows, 0 faults, 0 misses, 0 saves."))
    #expect(run.output.contains("    \(GrowingLog.sql)\n"))
    #expect(!run.output.contains("\u{1b}"))
  }

  @Test func linesOfJSONAddUp() async throws {
    try log.append {
      for _ in 1...3 { $0.fetch(GrowingLog.sql, rows: 15, total: 2000) }
      $0.fault(duration: 700)
      $0.fault(source: .rowCache)
    }
    let run = try await report.run(
      "top", log.path, "--interval", "20ms", "--count", "3", "--json")
    #expect(run.status == 0, "\(run.error)")
    let lines = try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(TopV1.self, from: Data($0.utf8))
    }
    #expect(lines.count == 3)
    #expect(lines.map(\.interval.fetches) == [3, 0, 0])
    #expect(lines.map(\.totals.fetches) == [3, 3, 3])
    let last = try #require(lines.last)
    #expect(last.totals.rows == 45)
    #expect(last.totals.faults == 2)
    #expect(last.totals.cacheMisses == 1)
    #expect(last.faults.map(\.cacheHits) == [1])
    #expect(last.statements.first { $0.sql == GrowingLog.sql }?.totals.totalNs == 6000)
    #expect(lines[0].statements.first { $0.sql == GrowingLog.sql }?.interval.count == 3)
    #expect(last.completeness.eventsLost == 0)
  }

  @Test func readsAPipeToItsEnd() async throws {
    let run = try await BuiltTool("trace-report").run(
      ["top", "-", "--json"],
      input: log.text { $0.fetch(GrowingLog.sql, rows: 15) })
    #expect(run.status == 0, "\(run.errorOutput)")
    let last = try #require(run.output.split(separator: "\n").last)
    let line = try JSONDecoder().decode(TopV1.self, from: Data(last.utf8))
    #expect(line.totals.rows == 15)
    #expect(line.ended == "no more events")
  }

  @Test(arguments: ["nowhere.log", "folder", "report.json"])
  func refusesFilesThatDoNotGrow(name: String) async throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "folder"), withIntermediateDirectories: true)
    try Data("{\"schemaVersion\":1}".utf8).write(to: folder.url.appending(path: "report.json"))
    let run = try await report.run("top", folder.path(name), "--count", "1")
    #expect(run.status != 0)
    #expect(run.output == "")
    #expect(run.error.contains(name) && run.error.split(separator: "\n").count == 1, "\(run.error)")
  }

  /// Neither a pass nor a failure of ours.
  @Test(arguments: [[], ["--json"]]) func aLogWithoutEventsIsInconclusive(
    options: [String]
  ) async throws {
    let run = try await report.run(
      ["top", log.path, "--interval", "20ms", "--count", "2"] + options)
    #expect(run.status == 3)
    #expect(run.error.contains("no events in \(log.path)"), "\(run.error)")
  }

  @Test(arguments: [
    [], ["a.log", "--", "true"], ["a.log", "--interval", "1ms"], ["a.log", "--count", "0"],
    ["a.log", "--top", "0"], ["a.log", "--output", "b"],
  ])
  func refusesWhatMakesNoSense(arguments: [String]) async throws {
    #expect(try await report.run(["top"] + arguments).status == 64)
  }
}

/// A log that a test writes to while a program reads it.
struct GrowingLog {
  static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  let folder: TemporaryDirectory
  var path: String { folder.path("debug.log") }
  private let process = ProcessIdentity(id: 2367, name: "transit")

  init() throws {
    folder = try TemporaryDirectory()
    var log = LogBuilder()
    log.open(process, at: 0)
    try Data(log.text.utf8).write(to: URL(filePath: path))
  }

  /// The lines of a run.
  func text(_ write: (inout RunBuilder) -> Void) -> String {
    var log = LogBuilder()
    log.open(process, at: 0)
    for record in RunBuilder(write).records { log.add(record) }
    return log.text
  }

  /// Adds the lines of a run to the file.
  func append(_ write: (inout RunBuilder) -> Void) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data(text(write).utf8))
  }
}
