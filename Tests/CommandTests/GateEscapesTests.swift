// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// Eight ways by which a run that was not compared could pass.
@Suite struct GateEscapesTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  static let names = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"
  static let kinds = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZKIND = ?"

  /// Four fetches of two statements, and a save.
  private static func run(
    fetches: Int = 4, inserted: UInt64 = 1000, _ more: (inout RunBuilder) -> Void = { _ in }
  ) -> RunBuilder {
    RunBuilder {
      $0.open()
      for index in 0..<fetches {
        $0.fetch(index < 2 ? names : kinds, rows: 15, vmSteps: 1000)
      }
      $0.save(inserted: inserted, updated: 0, deleted: 0)
      more(&$0)
      $0.close()
    }
  }

  private func write(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: folder.path(name)))
    return folder.path(name)
  }

  private func baseline(of run: RunBuilder = run(), _ options: String...) async throws -> String {
    let path = folder.path("baseline.json")
    let wrote = try await report.run(
      ["baseline", try write(run.log, "first.log"), "-o", path] + options)
    #expect(wrote.status == 0, "\(wrote.error)")
    return path
  }

  private func gate(_ input: String, _ options: String...) async throws -> Program.Run {
    try await report.run(
      ["gate", input, "--baseline", folder.path("baseline.json")] + options)
  }

  @Test(arguments: [
    ["--until", "2us"], ["--since", "2us"], ["--entity", "Stop"], ["--min-duration", "2us"],
    ["--caller", "Search.swift"],
  ])
  func aFilteredReportIsNoRun(filter: [String]) async throws {
    _ = try await baseline()
    let log = try write(Self.run().log, "second.log")
    let saved = try await report.run(["summary", "--json", log] + filter)
    let path = try write(saved.output, "filtered.json")
    let held = try await gate(path)
    #expect(held.status == 3)
    #expect(held.output.contains("the report was filtered ("))
    let other = folder.path("other.json")
    #expect(try await report.run("baseline", path, "-o", other).status == 3)
    #expect(!FileManager.default.fileExists(atPath: other))
    let whole = try await report.run("summary", "--json", log)
    #expect(try await gate(write(whole.output, "whole.json")).status == 0)
  }

  @Test func theWorkOfAProgramThatFailedMayBeMissing() async throws {
    _ = try await baseline()
    let failed = try write(Self.run(fetches: 2).log(status: 1), "failed.log")
    let held = try await gate(failed)
    #expect(held.status == 3)
    #expect(held.output.contains("transit[2367] ended with code 1"))
    let allowed = try await gate(failed, "--allow-missing")
    #expect(allowed.status == 0)
    #expect(allowed.output.contains("Statements that only the baseline has (1)"))
    #expect(try await report.run("baseline", failed, "-o", folder.path("b.json")).status == 3)
    let more = try write(Self.run(fetches: 5).log(status: 1), "more.log")
    #expect(try await gate(more).status == 2)
    #expect(
      try await report.run("summary", "--all", failed, "--fail-on", "note").status != 0)
  }

  @Test(arguments: [(nil, 9), (1, nil), (0, nil)] as [(Int32?, Int32?)])
  func aTraceReportsHowItsProgramEnded(exitCode: Int32?, signal: Int32?) async throws {
    _ = try await baseline()
    let trace = folder.url.appending(path: "trace")
    try Self.run().writeTrace(to: trace, exitCode: exitCode, signal: signal)
    let held = try await gate(trace.path)
    #expect(held.status == (exitCode == 0 ? 0 : 3), "\(held.output)\(held.error)")
    #expect(held.output.contains("the program was ended by signal 9") == (signal == 9))
    #expect(held.output.contains("the program ended with code 1") == (exitCode == 1))
  }

  @Test func aTraceWithoutItsEndMayBeCut() async throws {
    _ = try await baseline()
    let trace = folder.url.appending(path: "trace")
    try Self.run().writeTrace(to: trace, isSealed: false)
    #expect(try await gate(trace.path).status == 3)
    #expect(try await gate(trace.path, "--assume-complete").status == 0)
  }

  @Test func aLogOfCoreDataIsCompleteByOption() async throws {
    let lines = (0..<6).flatMap { index in
      [
        "CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZKIND = \(index)\n",
        "CoreData: annotation: sql connection fetch time: 0.0001s\n",
        "CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.\n",
      ]
    }
    let whole = try write(lines.joined(), "core.log")
    let path = folder.path("baseline.json")
    #expect(try await report.run("baseline", whole, "-o", path).status == 0)
    #expect(try await gate(whole).status == 3)
    #expect(try await gate(whole, "--assume-complete").status == 0)
    for count in 1...lines.count {
      let cut = try write(lines.prefix(count).joined(), "cut.log")
      let held = try await gate(cut)
      #expect(held.status == 3, "\(count) lines")
    }
  }

  @Test func aLogThatWasCutAtALineIsNotWhole() async throws {
    _ = try await baseline()
    let lines = Self.run().log.split(separator: "\n").map { $0 + "\n" }
    for count in 1..<lines.count {
      let held = try await gate(write(lines.prefix(count).joined(), "cut.log"))
      #expect([2, 3].contains(held.status), "\(count) lines")
    }
    let open = try write(Self.run().log(status: nil), "open.log")
    #expect(try await gate(open).status == 3)
    #expect(try await gate(open, "--assume-complete").status == 0)
  }

  @Test(arguments: [" rows=15", " vm_steps=1000", " inserted=1000", "\"wal\"", " line=42"])
  func bytesThatWereLostWithinALineAreSeen(bytes: String) async throws {
    _ = try await baseline()
    let log = Self.run().log
    let place = try #require(log.range(of: bytes))
    let held = try await gate(write(log.replacingCharacters(in: place, with: ""), "damaged.log"))
    #expect(held.status == 3)
  }

  @Test func countsThatALogLacksAreNotZero() async throws {
    _ = try await baseline(
      of: RunBuilder {
        $0.open()
        $0.fetch("SELECT 0, t0.Z_PK FROM ZNOTE t0", entity: "ZNOTE", rows: 190, vmSteps: 1000)
        $0.close()
      })
    let log = try write(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0
      CoreData: annotation: sql connection fetch time: 0.0001s
      CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.

      """, "core.log")
    let held = try await gate(log, "--assume-complete")
    #expect(held.status == 3)
    #expect(held.output.contains("this run has no full-scan steps, VM steps, sorts"))
    #expect(!held.output.contains("1,000 → 0"))
  }

  @Test func aStatementsTextIsThatOfItsNumber() async throws {
    _ = try await baseline()
    var run = RunBuilder()
    run.open()
    let damaged = StatementAnnounced(
      storeID: 1, statementID: StatementID(sql: Self.names),
      sql: Self.names.replacing("ZNAME", with: "ZNAMF"))
    run.append(.statement(damaged))
    for index in 0..<4 {
      if index >= 2 { run.announce(Self.kinds) }
      let sql = index < 2 ? Self.names : Self.kinds
      run.end(run.begin(), sql, rows: 15, vmSteps: 1000)
    }
    run.save(inserted: 1000, updated: 0, deleted: 0)
    run.close()
    let trace = folder.url.appending(path: "trace")
    try run.writeTrace(to: trace)
    let held = try await gate(trace.path)
    #expect(held.status == 3)
    #expect(held.output.contains("1 text of statements were changed after they were written"))
    #expect(held.output.contains("the text of 1 statement is missing or damaged"))
  }

  @Test func theWorkOfSavesAndFailuresAreCounts() async throws {
    _ = try await baseline()
    let larger = try await gate(write(Self.run(inserted: 100_000).log, "larger.log"))
    #expect(larger.status == 2)
    #expect(larger.output.contains("rows inserted 1,000 → 100,000"))
    let failed = Self.run { trace in
      trace.end(trace.begin(), Self.kinds, rows: 0, vmSteps: 0, error: "database is locked")
    }
    let locked = try await gate(write(failed.log, "locked.log"))
    #expect(locked.status == 2)
    #expect(locked.output.contains("failures 0 → 1"))
    let waits = Self.run { $0.busy(5_000_000, gaveUp: true) }
    let waited = try await gate(write(waits.log, "waited.log"))
    #expect(waited.status == 2)
    #expect(waited.output.contains("lock waits given up 0 → 1"))
    let patient = Self.run { $0.busy(5_000_000) }
    #expect(try await gate(write(patient.log, "patient.log")).status == 0)
  }

  @Test func aTagOfOneSideIsADoubt() async throws {
    _ = try await baseline(of: Self.run(), "--tag", "seed=1")
    let log = try write(Self.run().log, "second.log")
    #expect(try await gate(log, "--tag", "seed=1").status == 0)
    let without = try await gate(log)
    #expect(without.status == 3)
    #expect(without.output.contains("this run has no tag seed"))
    let more = try await gate(log, "--tag", "seed=1", "--tag", "size=2")
    #expect(more.status == 3)
    #expect(more.output.contains("the baseline has no tag size"))
  }

  @Test func oneRunIsNotFive() async throws {
    let path = folder.path("baseline.json")
    let runs = try (0..<5).map { index in
      try write(
        RunBuilder {
          $0.open()
          $0.fetch(Self.names, rows: 15, total: 1_000_000 + Int64(index) * 1000, vmSteps: 1000)
          $0.close()
        }.log, "run\(index).log")
    }
    #expect(try await report.run(["baseline", "--timing", "-o", path] + runs).status == 0)
    let copy = try write(String(contentsOfFile: runs[0], encoding: .utf8), "copy.log")
    let link = folder.path("link.log")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: runs[0])
    for other in [runs[0], copy, link] {
      let same = try await report.run(
        ["gate", "--timing", "--baseline", path] + runs.dropLast() + [other])
      #expect(same.status == 3)
      #expect(same.error.contains("is the same run as"))
      let written = folder.path("again.json")
      #expect(
        try await report.run(["baseline", "--timing", "-o", written] + runs + [other]).status == 3)
    }
    #expect(try await report.run(["gate", "--timing", "--baseline", path] + runs).status == 0)
  }

  @Test func aBaselineThatWasChangedIsRefusedButItsBudgetsMayBe() async throws {
    let path = try await baseline()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let log = try write(Self.run().log, "second.log")
    for (old, new) in [
      ("\"vmSteps\" : 2000", "\"vmSteps\" : 9000"), ("\"check\"", "\"chfck\""),
      ("\"inserted\" : 1000", "\"insfrted\" : 1000"),
    ] {
      #expect(text.contains(old))
      try text.replacing(old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try await gate(log).status == 3, "\(new)")
    }
    try text.replacing("\"totals\"", with: "\"budget\" : {\"faults\":9}, \"totals\"")
      .write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try await gate(log).status == 0)
  }
}
