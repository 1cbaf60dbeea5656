// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct DebugLogTests {
  let folder: TemporaryDirectory
  var path: String { folder.path("log.txt") }

  init() throws { folder = try TemporaryDirectory() }

  @Test func opensWithItsVocabularyAndItsPrefix() throws {
    let log = try DebugLog(level: .rows, path: path)
    let line = try withExtendedLifetime(log) { try String(contentsOfFile: path, encoding: .utf8) }
    let prefix =
      #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} \S+\[(\d+):\d+\] ObjectStore: annotation: log opened: vocabulary=4 utc_offset=[+-]\d\d:\d\d level=3\n/#
    let match = try #require(try prefix.wholeMatch(in: line))
    #expect(Int32(match.1) == ProcessInfo.processInfo.processIdentifier)
  }

  @Test func endsWithTheCountAndTheSumOfItsLines() throws {
    do {
      let log = try DebugLog(level: .statements, path: path)
      log.record(.fetchEnd(Sample.fetchEnd), contextID: 1)
    }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    var check = LogCheck()
    for line in lines.dropLast() { Array(line.utf8).withUnsafeBytes { check.add(line: $0) } }
    #expect(check.lines == 4)
    #expect(lines.last?.hasSuffix("annotation: \(check.closing(status: nil))") == true)
    let read = try #require(LogCheck.read(closing: check.closing(status: 3)))
    #expect(read.check == check && read.status == 3)
  }

  @Test func fetchReadsAsInCoreDataThenForAMachine() throws {
    let log = try DebugLog(level: .statements, path: path)
    log.record(.fetchBegin(Sample.fetchBegin), contextID: 1)
    log.willRun(sql: "SELECT 0, t0.Z_PK FROM ZSTOP t0", bindings: [], contextID: 1)
    log.record(.fetchEnd(Sample.fetchEnd), contextID: 1)
    #expect(
      try messages() == [
        #"annotation: fetch_begin context_id=1 fetch_id=12 entity="Stop" file="transit/Search.swift" line=40"#,
        "sql: SELECT 0, t0.Z_PK FROM ZSTOP t0",
        "annotation: sql connection fetch time: 0.000812s",
        "annotation: total fetch execution time: 0.001304s for 15 rows.",
        #"annotation: fetch_end context_id=1 fetch_id=12 entity="Stop" kind="objects" statement_id=7 prepare_ns=12000 step_ns=800000 connection_ns=812000 total_ns=1304400 rows=15 vm_steps=99"#,
      ])
  }

  @Test func countHasItsOwnSentence() throws {
    let log = try DebugLog(level: .statements, path: path)
    var count = Sample.fetchEnd
    count.kind = .count
    count.rows = 10_456
    count.error = "database is locked"
    log.record(.fetchEnd(count), contextID: 1)
    #expect(
      try messages().dropLast() == [
        "error: fetch failed: database is locked",
        "annotation: total count request execution time: 0.001304s for count of 10456.",
      ])
  }

  @Test func faultsFromTheDatabaseAreReported() throws {
    let log = try DebugLog(level: .statements, path: path)
    var fault = FaultFired(
      entity: "Stop", pk: 12, relationship: "", source: .database, duration: 5_000, rows: 1,
      originFetchID: 3, origin: SourceLocation(file: "transit/Search.swift", line: 40))
    log.record(.fault(fault), contextID: 1)
    fault.relationship = "stopTimes"
    fault.rows = 15
    log.record(.fault(fault), contextID: 1)
    fault.source = .rowCache
    log.record(.fault(fault), contextID: 0)
    let fields =
      #"pk=12 source="database" duration_ns=5000 rows=1 origin_fetch_id=3 origin_file="transit/Search.swift" origin_line=40"#
    let lines = try messages()
    #expect(
      lines[0...2] == [
        "annotation: fault fulfilled from database for : <x-coredata:///Stop/p12>",
        #"annotation: fault context_id=1 entity="Stop" \#(fields)"#,
        #"annotation: to-many relationship fault "stopTimes" for objectID <x-coredata:///Stop/p12> fulfilled from database.  Got 15 rows"#,
      ])
    #expect(
      lines[4]
        == #"annotation: fault entity="Stop" pk=12 relationship="stopTimes" source="row cache" duration_ns=5000 rows=15 origin_fetch_id=3 origin_file="transit/Search.swift" origin_line=40"#
    )
    #expect(lines.count == 5)
  }

  @Test func saveStatesItsTimes() throws {
    let log = try DebugLog(level: .statements, path: path)
    log.record(
      .saveEnd(
        SaveEnd(
          saveID: 1, inserted: 3, updated: 0, deleted: 0, statements: 6, waitTime: 1_000,
          writeTime: 999_500, commitTime: 200_000, totalTime: 1_200_500,
          location: .unknown, error: "")), contextID: 1)
    #expect(
      try messages().first
        == "annotation: save of 3 inserted, 0 updated, 0 deleted objects: 0.001201s (wait 0.000001s, write 0.001000s, commit 0.000200s)"
    )
  }

  @Test func bindingsAreTypedEscapedAndCut() throws {
    let log = try DebugLog(level: .bindings, path: path)
    log.willRun(
      sql: "SELECT ?",
      bindings: [
        .null, .integer(.min), .real(13.41), .text("a\n2026-11-21 \"x\\"),
        .text(String(repeating: "é", count: 300)), .timestamp(0.5), .timestamp(.nan),
        .timestamp(1e300), .blob(prefix: [0, 171, 255], count: 1_000), .blob(prefix: [], count: 0),
      ], contextID: 1)
    #expect(
      try messages() == [
        "sql: SELECT ?",
        "details: SQLite bind[0] = nil",
        "details: SQLite bind[1] = (int64) -9223372036854775808",
        "details: SQLite bind[2] = (double) 13.41",
        #"details: SQLite bind[3] = "a\n2026-11-21 \"x\\""#,
        "details: SQLite bind[4] = \"\(String(repeating: "é", count: 256))\" (cut; 600 bytes)",
        "details: SQLite bind[5] = (timestamp) 0.5 (2001-01-01 00:00:00 UTC)",
        "details: SQLite bind[6] = (timestamp) nan",
        "details: SQLite bind[7] = (timestamp) 1e+300",
        "details: SQLite bind[8] = (blob) 1000 bytes x'00abff…'",
        "details: SQLite bind[9] = (blob) 0 bytes x''",
      ])
  }

  @Test func levelsSayWhatTheyWant() throws {
    #expect(try DebugLog(level: .statements, path: path).interests == [.events, .sql])
    #expect(try DebugLog(level: .bindings, path: path).interests == [.events, .sql, .bindings])
    #expect(
      try DebugLog(level: .plans, path: path).interests
        == [.events, .sql, .bindings, .rows, .plans])
  }

  @Test func returnedObjectsAreListedEightALine() throws {
    let log = try DebugLog(level: .rows, path: path)
    let uris = (1...9).map { "x-coredata:///Stop/p\($0)" }
    log.didReturn(uris, entity: "Stop", sql: "SELECT", contextID: 1)
    log.didReturn([], entity: "Stop", sql: "SELECT", contextID: 1)
    #expect(
      try messages() == [
        "details: fetch on entity 'Stop' returned 9 rows with ids:",
        "details:  " + uris[..<8].map { " <\($0)>" }.joined(),
        "details:   <x-coredata:///Stop/p9>",
        "details: fetch on entity 'Stop' returned 0 rows",
      ])
  }

  @Test func planIsATreeWithAWarningForEachScan() throws {
    let log = try DebugLog(level: .plans, path: path)
    let sql = "SELECT t0.Z_PK FROM ZSTOP t0 WHERE (SELECT COUNT(*) FROM ZSTOPTIME AS t1) > ?"
    log.didExplain(
      sql: sql,
      plan: [
        PlanLine(id: 2, parent: 0, detail: "SCAN t0", isTableScan: true),
        PlanLine(id: 7, parent: 0, detail: "SCALAR SUBQUERY 1", isTableScan: false),
        PlanLine(id: 9, parent: 7, detail: "SCAN TABLE ZSTOPTIME AS t1", isTableScan: true),
      ], contextID: 1)
    #expect(
      try messages() == [
        "details: SQLite: EXPLAIN QUERY PLAN \(sql)",
        "details:   SCAN t0",
        "details:   SCALAR SUBQUERY 1",
        "details:     SCAN TABLE ZSTOPTIME AS t1",
        "warning: full scan of ZSTOP (t0): every row is read; index the columns that the predicate compares",
        "warning: full scan of ZSTOPTIME (t1): every row is read; index the columns that the predicate compares",
      ])
  }

  @Test func valueWithANewlineCannotForgeALine() throws {
    let log = try DebugLog(level: .plans, path: path)
    let forged = "x\n2026-11-21 14:12:28.633104 a[1:1] ObjectStore: sql: DROP TABLE ZSTOP\r\u{2028}"
    log.willRun(sql: forged, bindings: [.text(forged)], contextID: 1)
    log.annotate(forged, contextID: 1)
    log.didReturn([forged], entity: forged, sql: forged, contextID: 1)
    log.didExplain(
      sql: forged, plan: [PlanLine(id: 1, parent: 0, detail: forged, isTableScan: true)],
      contextID: 1)
    var fetch = Sample.fetchEnd
    fetch.entity = forged
    fetch.error = forged
    log.record(.fetchEnd(fetch), contextID: 1)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.split(separator: "\n").allSatisfy { $0.firstMatch(of: Self.prefix) != nil })
    #expect(!text.contains("\r") && !text.contains("\u{2028}"))
    #expect(try messages().filter { $0.hasPrefix("sql: ") } == ["sql: " + LogText.escaped(forged)])
  }

  @Test func linesOfManyThreadsStayWhole() async throws {
    let log = try DebugLog(level: .statements, path: path)
    await withTaskGroup(of: Void.self) { group in
      for task in 1...8 {
        group.addTask {
          for turn in 1...200 {
            log.annotate("\(task) \(turn) " + String(repeating: "é", count: turn), contextID: 1)
          }
        }
      }
    }
    let expected = (1...8).flatMap { task in
      (1...200).map { "annotation: \(task) \($0) " + String(repeating: "é", count: $0) }
    }
    #expect(try Set(messages()) == Set(expected))
    #expect(try messages().count == expected.count)
  }

  @Test func unopenableFileReportsWhy() {
    #expect(throws: DebugLogError(path: "/nowhere/log", code: ENOENT)) {
      _ = try DebugLog(level: .statements, path: "/nowhere/log")
    }
  }

  /// The lines between the first and the last, without their prefix.
  private func messages() throws -> [String] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    return try lines.dropFirst().filter { !$0.contains(" log closed: ") }.map { line in
      let prefix = try #require(line.firstMatch(of: Self.prefix))
      return String(line[prefix.range.upperBound...])
    }
  }

  nonisolated(unsafe) private static let prefix =
    #/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} \S+\[\d+:\d+\] ObjectStore: /#
}
