// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// `summary` with a database and exceptions, and `explain`.
@Suite struct FindingsCommandTests {
  let folder: TemporaryDirectory
  let tool = BuiltTool("trace-report")
  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  init() throws {
    folder = try TemporaryDirectory()
    let run = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 3, fullScanSteps: 12_800)
      $0.close()
    }
    try run.log.write(
      toFile: folder.path("a.log"), atomically: true, encoding: .utf8)
    try Connection(path: folder.path("store.sqlite")).execute(
      """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZKIND INTEGER);
      CREATE INDEX a ON ZSTOP (ZKIND); CREATE INDEX b ON ZSTOP (ZKIND);
      """)
  }

  private func exceptions(_ text: String) throws -> String {
    let path = folder.path("exceptions")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test func failsOnAFindingThatIsNotExcused() async throws {
    let log = folder.path("a.log")
    #expect(try await tool.run("summary", "--all", log).status == 0)
    let bad = try await tool.run("summary", "--all", log, "--fail-on", "warning")
    #expect(bad.status == 2)
    #expect(bad.errorOutput == "trace-report: 1 finding is not excused\n")
    let file = try exceptions("[AvoidFullTableScan]\nreason = Twelve stops.\n")
    let excused = try await tool.run(
      "summary", "--all", log, "--fail-on", "warning", "--exceptions", file)
    #expect(excused.status == 0, "\(excused.errorOutput)")
    #expect(
      excused.output.contains("excused: AvoidFullTableScan at transit/Search.swift:42: Twelve"))
  }

  /// A line that a comment excuses, with one comment that is about nothing.
  @Test func commentsInTheCodeOfTheCallersExcuse() async throws {
    let code = folder.path("app.py")
    try """
    # storescope: ignore[AvoidFullTableScan, Gate] twelve stops
    stops = find(name)
    import os  # storescope: ignore[AvoidFullTableScan] none

    """.write(toFile: code, atomically: true, encoding: .utf8)
    func log(_ name: String, runs: Int) throws -> String {
      let run = RunBuilder {
        $0.open()
        for _ in 0..<runs {
          $0.fetch(
            Self.sql, at: SourceLocation(file: code, line: 2), rows: 3, fullScanSteps: 12_800)
        }
        $0.close()
      }
      try run.log.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
      return folder.path(name)
    }
    let once = try log("once.log", runs: 1)
    let summary = try await tool.run("summary", "--all", once, "--fail-on", "warning")
    #expect(summary.status == 0, "\(summary.errorOutput)")
    #expect(summary.output.contains("excused: AvoidFullTableScan at \(code):2: twelve stops"))
    #expect(
      summary.output.contains("app.py:3: the exception from AvoidFullTableScan matches nothing"))
    let baseline = folder.path("baseline.json")
    #expect(try await tool.run("baseline", once, "-o", baseline).status == 0)
    let twice = try log("twice.log", runs: 2)
    let gate = try await tool.run("gate", twice, "--baseline", baseline, "--assume-complete")
    #expect(gate.status == 0, "\(gate.output)")
    try "\n\n".write(toFile: code, atomically: true, encoding: .utf8)
    let strict = try await tool.run("gate", twice, "--baseline", baseline, "--assume-complete")
    #expect(strict.status == 2, "\(strict.output)")
  }

  @Test func aDatabaseAddsItsRules() async throws {
    let run = try await tool.run(
      "summary", "--all", folder.path("a.log"), "--database", folder.path("store.sqlite"))
    #expect(run.status == 0)
    #expect(run.output.contains("DropDuplicateIndex"))
    #expect(run.output.contains("DROP INDEX b"))
  }

  private struct SARIF: Decodable {
    var runs: [Run]
    struct Run: Decodable { var results: [Result] }
    struct Result: Decodable {
      var ruleId: String
      var level: String
      var locations: [Location]
    }
    struct Location: Decodable { var physicalLocation: Physical }
    struct Physical: Decodable {
      var artifactLocation: Artifact
      var region: Region
    }
    struct Artifact: Decodable { var uri: String }
    struct Region: Decodable { var startLine: Int }
  }

  @Test func findingsAnnotateAPullRequest() async throws {
    let (log, sarif, markdown) = (
      folder.path("b.log"), folder.path("a.sarif"), folder.path("a.md")
    )
    let unplaced = "SELECT 0 FROM ZSTOP t0 WHERE  t0.ZNAME = \"a\""
    let trace = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 3, fullScanSteps: 12_800)
      $0.fetch(unplaced, at: .unknown, rows: 3, fullScanSteps: 12_800)
      $0.busy(5_000_000_000, gaveUp: true)
      $0.close()
    }
    try trace.log.write(toFile: log, atomically: true, encoding: .utf8)
    // A folder without sources: the caller stays as the trace has it.
    let run = try await tool.run(
      "summary", "--all", log, "--sarif", sarif, "--markdown", markdown, "--source-root",
      folder.path("none"))
    #expect(run.status == 0, "\(run.errorOutput)")
    let results = try JSONDecoder().decode(
      SARIF.self, from: Data(contentsOf: URL(filePath: sarif))
    ).runs.flatMap(\.results)
    #expect(
      Set(results.map(\.ruleId)) == ["AvoidFullTableScan", "AvoidLockWait"] && results.count == 3)
    #expect(results.allSatisfy { $0.locations.count == 1 && $0.level == "warning" })
    let places = Set(
      results.flatMap(\.locations).map(\.physicalLocation).map {
        "\($0.artifactLocation.uri):\($0.region.startLine)"
      })
    let lines = trace.log.split(separator: "\n")
    let line = try #require(lines.firstIndex { $0.contains("ZNAME = \"a\"") }) + 1
    let name = String(log.dropFirst())
    #expect(places == ["transit/Search.swift:42", "\(name):\(line)", "\(name):1"])
    let text = try String(contentsOfFile: markdown, encoding: .utf8)
    #expect(text.hasPrefix("## "))
    #expect(
      text.contains("AvoidFullTableScan** at <code>transit/Search.swift:42</code>"), "\(text)")
  }

  @Test func fixUsesTheEntitiesAndPropertiesOfTheModel() async throws {
    try Connection(path: folder.path("store.sqlite")).execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO ZSTOP SELECT i, 'stop ' || i, i % 7 FROM n;
      """)
    let run = try await tool.run(
      "summary", "--all", folder.path("a.log"), "--database", folder.path("store.sqlite"))
    #expect(run.output.contains(#"declare Index(\.name) in Stop"#), "\(run.output)")
    #expect(!run.output.contains(#"\\."#))
  }

  @Test func plansTakeTheExceptionsToo() async throws {
    let plans = [
      "plans", "--sql", Self.sql, "--database", folder.path("store.sqlite"), "--fail-on", "scan",
    ]
    // An empty table is small.
    try Connection(path: folder.path("store.sqlite")).execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
      INSERT INTO ZSTOP SELECT i, i, i FROM n
      """)
    #expect(try await tool.run(plans).status == 2)
    let file = try exceptions("[AvoidFullTableScan]\nsql = FROM ZSTOP\nreason = Twelve stops.\n")
    let run = try await tool.run(plans + ["--exceptions", file])
    #expect(run.status == 0)
    #expect(run.errorOutput == "trace-report: 1 full scan is excused\n")
  }

  @Test(arguments: [
    ("transit/Search.swift", 0), ("transit/Search.swift:42", 0), ("transit/Import.swift", 2),
  ])
  func plansExcuseTheScansOfACaller(caller: String, status: Int32) async throws {
    try Connection(path: folder.path("store.sqlite")).execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
      INSERT INTO ZSTOP SELECT i, i, i FROM n
      """)
    let file = try exceptions("[AvoidFullTableScan]\ncaller = \(caller)\nreason = At night.\n")
    let options = [
      "--exceptions", file, "--database", folder.path("store.sqlite"), "--fail-on", "scan",
    ]
    let run = try await tool.run(["plans", folder.path("a.log")] + options)
    #expect(run.status == status, "\(run.errorOutput)")
    // A saved report contains the callers as well.
    let saved = folder.path("saved.json")
    let summary = try await tool.run("summary", folder.path("a.log"), "--json")
    try summary.output.write(toFile: saved, atomically: true, encoding: .utf8)
    #expect(try await tool.run(["plans", saved] + options).status == status)
    // SQL of the command line has no caller.
    let alone = try await tool.run(["plans", "--sql", Self.sql] + options)
    #expect(alone.status == 2)
  }

  /// One of two lines is not excused: the scan counts.
  @Test func aScanIsExcusedForAllOfItsCallersOrNot() async throws {
    let run = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 3, fullScanSteps: 12_800)
      $0.fetch(
        Self.sql, at: SourceLocation(file: "transit/Import.swift", line: 7), fullScanSteps: 12_800)
      $0.close()
    }
    try run.log.write(toFile: folder.path("two.log"), atomically: true, encoding: .utf8)
    try Connection(path: folder.path("store.sqlite")).execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
      INSERT INTO ZSTOP SELECT i, i, i FROM n
      """)
    let plans = [
      "plans", folder.path("two.log"), "--database", folder.path("store.sqlite"), "--fail-on",
      "scan", "--exceptions",
    ]
    let one = "[AvoidFullTableScan]\ncaller = transit/Import.swift\nreason = At night.\n"
    #expect(try await tool.run(plans + [try exceptions(one)]).status == 2)
    let other = "[AvoidFullTableScan]\ncaller = transit/Search.swift\nreason = Few stops.\n"
    #expect(try await tool.run(plans + [try exceptions(one + other)]).status == 0)
  }

  @Test func aBadFileOfExceptionsIsAnErrorWithItsLine() async throws {
    let file = try exceptions("[AvoidFullTableScan]\n")
    let run = try await tool.run("summary", "--all", folder.path("a.log"), "--exceptions", file)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("exceptions:1: the exception from AvoidFullTableScan has no"))
    let missing = try await tool.run(
      "summary", "--all", folder.path("a.log"), "--exceptions", "/nowhere")
    #expect(missing.status == 1)
  }

  @Test func explainsARule() async throws {
    let run = try await tool.run("explain", "avoidfaultstorm")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("AvoidFaultStorm\nObjects are fetched with the values"))
    #expect(run.output.contains("Bad:") && run.output.contains("Good:"))
    let all = try await tool.run("explain")
    #expect(all.output.contains("KeepStatistics"))
    let none = try await tool.run("explain", "NoSuchRule")
    #expect(none.status == 1)
    #expect(none.errorOutput.contains("no rule 'NoSuchRule'"))
  }
}
