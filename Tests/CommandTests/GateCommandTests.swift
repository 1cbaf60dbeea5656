// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// `baseline`, `gate` and `export` as CI runs them.
@Suite struct GateCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  private func log(_ name: String, scans: UInt64 = 0, total: Nanoseconds = 1000) throws -> String {
    let run = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 15, total: total, vmSteps: 1000, fullScanSteps: scans)
      $0.close()
    }
    try Data(run.log.utf8).write(to: URL(filePath: folder.path(name)))
    return folder.path(name)
  }

  private func database(index: Bool) throws -> String {
    let path = folder.path(index ? "indexed.sqlite" : "plain.sqlite")
    let connection = try Connection(path: path)
    try connection.execute(
      """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZNAME TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO ZSTOP SELECT i, 'stop ' || i FROM n;
      """)
    if index { try connection.execute("CREATE INDEX ZSTOP_ZNAME ON ZSTOP (ZNAME)") }
    return path
  }

  @Test func gateComparesPlansOfTheDatabase() async throws {
    let baseline = folder.path("baseline.json")
    let indexed = try database(index: true)
    let wrote = try await report.run(
      "baseline", log("a.log"), "-o", baseline, "--database", indexed)
    #expect(wrote.status == 0)
    let text = try String(contentsOfFile: baseline, encoding: .utf8)
    #expect(text.contains("SEARCH t0 USING COVERING INDEX ZSTOP_ZNAME (ZNAME=?)"))
    #expect(text.contains("\"verdict\" : \"search\""))
    let same = try await report.run(
      "gate", log("b.log"), "--baseline", baseline, "--database", indexed)
    #expect(same.status == 0)
    let plain = try database(index: false)
    let scanned = try await report.run(
      "gate", log("c.log"), "--baseline", baseline, "--database", plain)
    #expect(scanned.status == 2)
    #expect(scanned.output.contains("plan is: SCAN t0"))
    let missing = try await report.run(
      "gate", log("d.log"), "--baseline", baseline, "--database", folder.path("no.sqlite"))
    #expect(missing.status == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { $0.contains("sqlite-") } == [])
  }

  @Test func theGateReportsInEveryForm() async throws {
    let baseline = folder.path("baseline.json")
    _ = try await report.run("baseline", log("a.log"), "-o", baseline)
    let names = ["gate.md", "gate.xml", "gate.sarif"].map(folder.path)
    let run = try await report.run(
      "gate", log("b.log", scans: 12_800), "--baseline", baseline, "--quiet", "--markdown",
      names[0], "--junit", names[1], "--sarif", names[2])
    #expect(run.status == 2)
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(run.output.hasPrefix("gate: regression: 1 worse (full-scan steps 0 → 12,800"))
    let texts = try names.map { try String(contentsOfFile: $0, encoding: .utf8) }
    #expect(texts[0].hasPrefix("## gate: regression\n"))
    #expect(texts[1].contains("failures=\"1\""))
    #expect(texts[2].contains("\"version\" : \"2.1.0\""))
    #expect(
      try await report.run("gate", log("c.log"), "--baseline", baseline, "--json", "--quiet").status
        == 64)
  }

  @Test func anUpdateKeepsTheBudgets() async throws {
    let baseline = folder.path("baseline.json")
    _ = try await report.run("baseline", log("a.log"), "-o", baseline)
    let text = try String(contentsOfFile: baseline, encoding: .utf8)
    try text.replacing(
      "\"autoIndexRows\" :", with: "\"budget\" : {\"fullScanSteps\":20000}, \"autoIndexRows\" :"
    )
    .write(toFile: baseline, atomically: true, encoding: .utf8)
    let within = try await report.run("gate", log("b.log", scans: 12_800), "--baseline", baseline)
    #expect(within.status == 0)
    _ = try await report.run(
      "gate", log("b.log", scans: 12_800), "--baseline", baseline, "--update")
    #expect(try String(contentsOfFile: baseline, encoding: .utf8).contains("20000"))
    #expect(
      try await report.run("gate", log("c.log", scans: 20_001), "--baseline", baseline).status == 2)
  }

  @Test func timesAreComparedByChoice() async throws {
    let baseline = folder.path("baseline.json")
    func runs(_ name: String, _ factor: Nanoseconds) throws -> [String] {
      try (0..<5).map { try log("\(name)\($0).log", total: (1_000_000 + $0 * 1000) * factor) }
    }
    let quick = try runs("quick", 1)
    let slow = try runs("slow", 2)
    let wrote = try await report.run(["baseline", "--timing", "-o", baseline] + quick)
    #expect(wrote.status == 0)
    let slower = try await report.run(["gate", "--timing", "--baseline", baseline] + slow)
    #expect(slower.status == 2)
    #expect(slower.output.contains("mean time 1.00 ms → 2.00 ms (2.00×), by chance 0.40%"))
    #expect(try await report.run(["gate", "--timing", "--baseline", baseline] + quick).status == 0)
    #expect(try await report.run(["gate", "--baseline", baseline, slow[0]]).status == 0)
    let few = try await report.run(["gate", "--timing", "--baseline", baseline] + slow.prefix(2))
    #expect(few.status == 3)
    #expect(few.output.contains("5 or more"))
  }

  // MARK: - Export

  @Test func exportsEveryFormat() async throws {
    let path = try log("a.log", scans: 12_800)
    let perfetto = folder.path("trace.json")
    #expect(
      try await report.run("export", path, "--format", "perfetto", "-o", perfetto).status == 0)
    let events = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: perfetto)))
    #expect(((events as? [String: Any])?["traceEvents"] as? [Any])?.isEmpty == false)
    let csv = try await report.run("export", path, "--format", "csv")
    #expect(csv.output.hasPrefix("time_ns,"))
    #expect(csv.output.split(separator: "\r\n").count == 2)
    let statements = try await report.run(
      "export", path, "--format", "csv", "--table", "statements")
    #expect(statements.output.hasPrefix("sql,"))
    let metrics = try await report.run("export", path, "--format", "openmetrics")
    #expect(metrics.output.contains("\nstorescope_fetches_total 1\n"))
    #expect(metrics.output.hasSuffix("# EOF\n"))
    let json = folder.path("report.json")
    #expect(try await report.run("export", path, "--format", "json", "-o", json).status == 0)
    let again = try await report.run("export", json, "--format", "openmetrics")
    #expect(again.output == metrics.output)
  }

  @Test func failedExportOfTheGateIsReported() async throws {
    let path = try log("a.log")
    let json = folder.path("report.json")
    _ = try await report.run("export", path, "--format", "json", "-o", json)
    let events = try await report.run("export", json, "--format", "csv")
    #expect(events.status == 1)
    #expect(events.error.contains("holds sums and no events"))
    #expect(try await report.run("export", path, "--format", "xml").status == 64)
    let unwritable = try await report.run("export", path, "--format", "csv", "-o", "/no/such/file")
    #expect(unwritable.status == 1)
    let missing = try await report.run(
      "export", "/nowhere", "--format", "csv", "-o", folder.path("x.csv"))
    #expect(missing.status == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.csv")))
  }
}
