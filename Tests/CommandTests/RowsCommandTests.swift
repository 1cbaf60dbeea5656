// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

@testable import TraceRendering

/// `export --format rows`, and the recipes of dashboards/sql on the engines that are installed.
@Suite struct RowsCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// Two versions on two hosts: the newer one scans, has an N+1, and a log that grows.
  private func recording(_ host: String, _ version: String, pid: Int64) throws -> String {
    let run = RunBuilder { run in
      run.process = ProcessIdentity(id: pid, name: "app", host: "berlin")
      run.connect(path: "/srv/app.db")
      run.caller(1, line: 10)
      run.caller(2, line: 12)
      for round in 0..<20 {
        let list = UInt64(round + 1)
        run.run("SELECT id FROM book", caller: 1, rows: 12, step: 1000, open: 1000, list: list)
        guard version == "1.4" else { continue }
        for row in 0..<12 {
          run.run(
            "SELECT name FROM author WHERE id = '\(row)'", caller: 2,
            bindHash: UInt64(round * 12 + row), step: Int64(50_000 * (row + 1)),
            fullScanSteps: 400, origin: list, row: UInt64(row + 1))
        }
      }
      run.append(
        .transaction(
          TransactionEnded(
            storeID: 1, saveID: 0, outcome: "commit", waitTime: 0, totalTime: 5000,
            transactionID: 7, kind: "immediate", writerTime: 10, statements: 1,
            logBytes: UInt64(pid) << 20)))
      run.busy(2_000_000)
      run.checkpoint(9, of: 9)
      run.close()
    }
    let path = folder.path("\(host)-\(version)")
    try run.writeTrace(
      to: URL(filePath: path), labels: ["host": host, "version": version, "region": "eu"])
    return path
  }

  private func fleet() throws -> [String] {
    try [("a", "1.3", 1), ("b", "1.3", 2), ("a", "1.4", 3), ("../c", "1.4", 4)].map {
      try recording($0.0.replacing("../", with: "up-"), $0.1, pid: Int64($0.2))
    }
  }

  private func files(_ table: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path("rows/\(table)"))
      .filter { $0.hasSuffix(".jsonl") }.sorted()
  }

  private func lines(_ table: String) throws -> [String] {
    try files(table).flatMap {
      try String(contentsOfFile: folder.path("rows/\(table)/\($0)"), encoding: .utf8)
        .split(separator: "\n").map(String.init)
    }
  }

  @Test func writesEventsAndSumsByDayAndHost() async throws {
    let run = try await report.run(
      ["export"] + fleet() + ["--format", "rows", "-o", folder.path("rows")])
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.hasPrefix("Wrote 572 events and the sums to "))
    let events = try files("events")
    #expect(events.count == 4)
    #expect(events[0].hasPrefix("date=2024-01-01/host=a/"))
    #expect(try files("sums").count == 4 && files("locks").count == 4)
    let rows = try lines("events").map {
      try JSONDecoder().decode(EventRowV1.self, from: Data($0.utf8))
    }
    #expect(rows.count == 572)
    #expect(Set(rows.map(\.host)) == ["a", "b", "up-c"])
    #expect(Set(rows.map(\.labels)) == [#"{"region":"eu"}"#])
    #expect(rows.filter { $0.summary == "SELECT author" }.count == 480)
    let sums = try lines("sums").map {
      try JSONDecoder().decode(SumRowV1.self, from: Data($0.utf8))
    }
    let runs = rows.count { $0.event == "statement_run" }
    #expect(sums.reduce(0) { $0 + $1.runs } == UInt64(runs))
    let buckets = try lines("buckets").map {
      try JSONDecoder().decode(BucketRowV1.self, from: Data($0.utf8))
    }
    #expect(buckets.reduce(0) { $0 + $1.runs } == UInt64(runs))
    #expect(try lines("loops").count == 2)
    // No literal of a statement left.
    #expect(try !lines("sums").contains { $0.contains("'0'") })
  }

  @Test func aRecordingThatIsExportedAgainCountsOnce() async throws {
    let input = try recording("a", "1.4", pid: 3)
    for _ in 0..<2 {
      let run = try await report.run(
        "export", input, "--format", "rows", "-o", folder.path("rows"))
      #expect(run.status == 0, "\(run.error)")
    }
    #expect(try files("events").count == 1 && files("sums").count == 1)
    let twice = try await report.run(
      "export", input, input, "--format", "rows", "-o", folder.path("rows"))
    #expect(twice.status == 3 && twice.error.contains("would count twice"))
  }

  @Test func theNameOfAHostIsNoPath() throws {
    func path(_ host: String) -> String {
      RowPartition(table: "events", date: "2026-11-22", host: host).path
    }
    #expect(path("../../etc/x") == "events/date=2026-11-22/host=%2E%2E%2F%2E%2E%2Fetc%2Fx")
    #expect(path("..") == "events/date=2026-11-22/host=%2E%2E")
    #expect(path("") == "events/date=2026-11-22/host=unknown")
    #expect(path("kiosk-7.local") == "events/date=2026-11-22/host=kiosk-7.local")
    #expect(path(String(repeating: "ü", count: 200)).utf8.count < 255)
  }

  @Test func aRowEqualsCodableOutput() throws {
    var row = EventRowV1()
    (row.date, row.host, row.timeNs, row.error) = ("2026-11-22", "a\"b\u{1b}", -5, "SQLITE_BUSY")
    #expect(try JSONDecoder().decode(EventRowV1.self, from: Data(row.line.utf8)) == row)
    let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(row))
    let written = try JSONSerialization.jsonObject(with: Data(row.line.utf8))
    #expect(encoded as? NSDictionary == written as? NSDictionary)
  }

  @Test func daysFollowUTC() {
    var date = RowDate()
    #expect(date.text(0) == "1970-01-01")
    #expect(date.text(1_795_391_999_999_999_999) == "2026-11-23")
    #expect(date.text(1_709_208_000_000_000_000) == "2024-02-29")
    #expect(date.text(-1) == "1969-12-31")
    #expect(date.text(.max).hasPrefix("2262-04-11"))
    _ = date.text(.min)
  }

  private static var engines: String {
    ProcessInfo.processInfo.environment["FLEET_ENGINES"] ?? "duckdb"
  }

  @Test(.enabled(if: Python.has("duckdb"), "needs duckdb of PyPI: make test-rows"))
  func enginesAnswerTheRecipesEqually() async throws {
    let inputs = try fleet()
    let run = try await report.run(
      ["export"] + inputs + ["--format", "rows", "-o", folder.path("rows")])
    #expect(run.status == 0, "\(run.error)")
    let answer = try Python.run("recipes.py", folder.path(""), "--engines", Self.engines)
    #expect(answer.status == 0, "\(answer.output)")
    // Spark writes to standard error until it ends.
    let text =
      answer.output.split(separator: "\n").last { $0.hasPrefix("{") }.map(String.init) ?? ""
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[Any]]])
    let slowest = try #require(json["slowest-forms"])
    #expect(slowest[0][1] as? String == "SELECT author" && slowest[0][3] as? Int == 480)
    let loops = try #require(json["loops-by-release"])
    #expect(loops.map { $0[0] as? String } == ["1.4"] && loops[0][5] as? Int == 2)
    #expect(json["scans-by-release"]?.count == 1)
    #expect(json["wal-growth"]?.map { $0[3] as? Int } == [4 << 20, 3 << 20, 2 << 20])
    // The percentile of the sum that merge writes.
    let sum = folder.path("sum.json")
    #expect(try await report.run(["merge"] + inputs + ["-o", sum]).status == 0)
    let groups = try await report.run("summary", sum, "--json", "--group-by", "version")
    let saved = try JSONSerialization.jsonObject(with: Data(groups.output.utf8)) as? [String: Any]
    let expected = try #require(saved?["groups"] as? [[String: Any]])
      .filter { $0["name"] as? String == "1.4" }.map { $0["p99Ns"] as? Int }
    let p99 = json["p99-by-version"]?.filter { $0[0] as? String == "1.4" }.map { $0[2] as? Int }
    let measured = try #require(p99?.first ?? nil)
    let summed = try #require(expected.first ?? nil)
    #expect(abs(measured - summed) <= summed / 100)
  }
}
