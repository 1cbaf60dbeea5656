// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// The first screen of six programs on a terminal of 80 × 40: the worst finding with its fix, and
/// nothing scrolls away.
@Suite struct FirstScreenTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private func debugged(_ program: String, _ arguments: [String], log name: String) async throws
    -> String
  {
    let log = folder.path("\(name).log")
    let run = try await Program(program).run(
      arguments, environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    #expect(run.status == 0, "\(run.error)")
    return log
  }

  private func log(_ form: String) async throws -> String {
    try await debugged("pitfalls", [form, "--store", folder.path("\(form).sqlite")], log: form)
  }

  /// The lines that a command leaves on the terminal, without the folder.
  private func screen(_ arguments: [String], status: Int32 = 0) async throws -> [String] {
    // In the folder: the width of a line does not depend on where the tests run.
    let run = try await Program("trace-report").run(
      arguments.map { $0.replacing(folder.url.path + "/", with: "") },
      environment: ["COLUMNS": "80"], in: folder.url.path)
    #expect(run.status == status, "\(run.error)")
    let lines = (run.output + run.error).replacing(folder.url.path + "/", with: "")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The command that was typed, and the prompt.
    #expect(lines.count + 1 <= 40, "\(run.output)\(run.error)")
    #expect(
      lines.allSatisfy { $0.count <= 80 || $0.contains("trace-report") }, "\(run.output)")
    return lines
  }

  private static func fixes(in screen: [String]) -> Int {
    screen.count { $0.hasPrefix("   fix: ") }
  }

  /// The verdict's worst finding is the first one, with its line and its fix.
  private func expectWorst(_ rule: Regex<Substring>, _ screen: [String]) throws {
    let text = screen.joined(separator: " ") + " "
    let verdict = try #require(text.firstMatch(of: #/Worst: (.+?)( at (\S+?))?\. /#), "\(screen)")
    let start = try #require(screen.firstIndex { $0.hasPrefix("1. ") }, "\(screen)")
    let finding = screen[start...].prefix { !$0.isEmpty }.joined(separator: " ")
    #expect(finding.contains(verdict.1), "\(screen)")
    if let place = verdict.3 {
      #expect(finding.contains(place.split(separator: "/").last ?? place), "\(screen)")
    }
    #expect(finding.contains(" fix: "), "\(screen)")
    #expect(verdict.1.firstMatch(of: rule) != nil, "\(screen)")
    #expect(screen.contains { $0.hasPrefix("next: trace-report html ") }, "\(screen)")
  }

  /// The regressions that are listed have their fix, and the others are counted.
  private func expectGate(_ run: String, worseThan before: String) async throws {
    let baseline = folder.path("baseline.json")
    _ = try await screen(["baseline", before, "-o", baseline])
    let lines = try await screen(["gate", run, "--baseline", baseline], status: 2)
    #expect(lines[0] == "gate: regression")
    #expect(lines.contains { $0.hasPrefix("Regressions (") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  fix: ") }, "\(lines)")
  }

  // MARK: - Pitfalls

  @Test func ofElevenMistakesTheThreeWorstAreShown() async throws {
    let log = try await log("before")
    let database = folder.path("before.sqlite")
    let lines = try await screen(["summary", log, "--database", database])
    try expectWorst(/^a/, lines)
    #expect(lines[1].hasPrefix("11 warnings: up to "), "\(lines)")
    #expect(lines.joined(separator: " ").contains("can be saved. Worst: "))
    #expect(Self.fixes(in: lines) >= 2)
    #expect(lines.count { $0.firstMatch(of: /^\d\. pitfalls\/Before\.swift:\d+/) != nil } >= 2)
    #expect(
      lines.contains { $0.contains("trace-report findings before.log --database before.sqlite") })
    #expect(lines.last { !$0.isEmpty }?.hasSuffix(" -o report.html") == true)
  }

  @Test func withoutTheMistakesThereIsNothingToChange() async throws {
    let log = try await log("after")
    let lines = try await screen(["summary", log, "--database", folder.path("after.sqlite")])
    #expect(lines[1] == "No findings.")
    #expect(lines.count <= 12, "\(lines)")
    #expect(lines.contains { $0.contains("trace-report baseline after.log ") }, "\(lines)")
  }

  @Test func theDifferenceHasCountsAndTheFindingsThatAreGone() async throws {
    let (before, after) = try await (log("before"), log("after"))
    let lines = try await screen(["diff", before, after])
    let text = lines.joined(separator: " ")
    #expect(lines[1].firstMatch(of: /^\d+ findings are gone: fetches 59 → 10/) != nil, "\(lines)")
    #expect(text.contains("rows read in full scans "))
    #expect(lines.contains { $0.hasPrefix("gone: pitfalls/Before.swift:") })
    #expect(!lines[1].contains("faster"))
    #expect(lines.contains { $0.hasPrefix("next") })
    try await expectGate(before, worseThan: after)
    let gate = try await screen(
      ["gate", before, "--baseline", folder.path("baseline.json")], status: 2)
    #expect(gate.contains { $0.firstMatch(of: /^Regressions \(\d of 11\)/) != nil }, "\(gate)")
    #expect(
      gate.contains(
        "all of it: trace-report gate before.log --baseline baseline.json --all"), "\(gate)")
  }

  @Test func lockHolderIsOnTheFirstLine() async throws {
    _ = try await log("after")
    let database = folder.path("after.sqlite")
    let holder = try Connection(path: database)
    try holder.execute("BEGIN IMMEDIATE")
    let lines = try await screen(["locks", database])
    // The path is whole, and the line may be too wide for it.
    let title = lines.prefix { !$0.isEmpty }.joined(separator: " ")
    #expect(title.contains("after.sqlite: the writer lock is held by "), "\(lines)")
    try holder.execute("ROLLBACK")
    #expect(try await screen(["locks", database])[0].contains("after.sqlite"))
  }

  // MARK: - Other programs

  @Test func theSearchesOfTransitAreShown() async throws {
    let store = folder.path("transit.sqlite")
    let made = try await Program("transit").run(
      "generate", "--stops", "800", "--stop-times", "2000", "--seed", "1", "--store", store)
    #expect(made.status == 0, "\(made.error)")
    func search(_ form: String) async throws -> String {
      try await debugged(
        "transit", ["search", "--text", "u gorli", "--\(form)", "--repeat", "5", "--store", store],
        log: form)
    }
    let (before, after) = try await (search("before"), search("after"))
    try expectWorst(/text search without an index on 'Stop'/, await screen(["summary", before]))
    let difference = try await screen(["diff", before, after])
    #expect(difference.contains { $0.hasPrefix("gone: ") }, "\(difference)")
    try await expectGate(before, worseThan: after)
  }

  @Test func aLogOfCoreDataIsShown() async throws {
    func log(_ notes: Int) throws -> String {
      let fetches = (1...notes).map { note in
        [
          "sql: SELECT 0, t0.Z_PK, t0.ZBODY FROM ZNOTE t0 WHERE  t0.Z_PK = ? ",
          "annotation: sql connection fetch time: 0.0004s",
          "annotation: total fetch execution time: 0.0005s for 1 rows.",
          "annotation: fault fulfilled from database for : 0xd\(note) <x-coredata://5A/Note/p\(note)>",
        ]
      }
      let lines =
        [
          "annotation: Connecting to sqlite database file at \"/a/Notes.sqlite\"",
          "sql: SELECT 0, t0.Z_PK FROM ZNOTE t0 ",
          "annotation: sql connection fetch time: 0.0100s",
          "annotation: total fetch execution time: 0.0120s for \(notes) rows.",
        ] + fetches.flatMap { $0 }
      let path = folder.path("console-\(notes).log")
      try lines.map { "2026-11-25 10:00:00.100 Notes[100:200] CoreData: \($0)\n" }.joined()
        .write(toFile: path, atomically: false, encoding: .utf8)
      return path
    }
    let (before, after) = (try log(60), try log(1))
    try expectWorst(/on 'Note'/, await screen(["summary", before]))
    _ = try await screen(["diff", before, after])
    let baseline = folder.path("notes.json")
    _ = try await screen(["baseline", after, "-o", baseline])
    // Such a log has no counters: no verdict, or a regression by its counts.
    let gate = try await Program("trace-report").run(["gate", before, "--baseline", baseline])
    #expect(gate.output.split(separator: "\n").count < 40, "\(gate.output)")
  }

  /// Records a program; its own output is part of the screen.
  private func record(_ name: String, _ command: [String]) async throws -> [String] {
    try await screen(["record", "--log", "-o", folder.path(name), "--", Python.name] + command)
  }

  @Test(.enabled(if: Python.has("flask", "sqlalchemy"))) func aWebApplicationIsShown() async throws
  {
    let store = folder.path("web.sqlite")
    let made = try await Program("transit").run(
      "generate", "--stops", "800", "--stop-times", "2000", "--seed", "1", "--store", store)
    #expect(made.status == 0, "\(made.error)")
    let app = Python.script("../../Examples/python-web/app.py")
    let before = try await record("before", [app, store, "before"])
    try expectWorst(/a wait for a lock on 'visit'/, before)
    #expect(before.joined(separator: " ").contains("add options("), "\(before)")
    _ = try await record("after", [app, store, "after"])
    let paths = [folder.path("before"), folder.path("after")]
    let difference = try await screen(["diff"] + paths)
    #expect(difference.contains { $0.hasPrefix("gone: ") }, "\(difference)")
    try await expectGate(paths[0], worseThan: paths[1])
  }

  @Test(.enabled(if: Python.has("django"))) func aDjangoSiteIsShown() async throws {
    let lines = try await record(
      "site", [Python.script("logs/django_app.py"), folder.url.path])
    try expectWorst(/a query in a loop on 'library_author'/, lines)
    #expect(
      lines.joined(separator: " ").contains(#"fix: add select_related("author") to"#), "\(lines)")
  }
}
