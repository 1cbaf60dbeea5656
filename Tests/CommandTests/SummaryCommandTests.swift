// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// `trace-report`'s reading commands as a user runs them, on logs written by hand.
@Suite struct SummaryCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  private func log(
    _ name: String = "log.txt", _ write: (inout RunBuilder) -> Void = { _ in }
  ) throws -> String {
    let run = RunBuilder {
      $0.open()
      write(&$0)
      $0.close()
    }
    try Data(run.log.utf8).write(to: URL(filePath: folder.path(name)))
    return folder.path(name)
  }

  private func usual(_ name: String = "log.txt") throws -> String {
    try log(name) { $0.fetch(Self.sql, rows: 15, vmSteps: 1000) }
  }

  private func scanning() throws -> String {
    try log("scan.txt") { $0.fetch(Self.sql, rows: 15, vmSteps: 90_000, fullScanSteps: 12_800) }
  }

  @Test func summaryIsTheDefault() async throws {
    let run = try await report.run(scanning(), environment: ["COLUMNS": "80"])
    #expect(run.status == 0)
    #expect(run.error == "")
    #expect(
      run.output.hasPrefix(
        """
        transit[2367], SQLite 3.40.1
        1 warning: up to 799 ns of 1.00 µs can be saved. Worst: a full scan on 'Stop' at
        transit/Search.swift:42.

        """), "\(run.output)")
    #expect(
      run.output.contains("\n1. transit/Search.swift:42  a full scan on 'Stop', up to 799 ns\n"),
      "\(run.output)")
    #expect(run.output.hasSuffix(" -o report.html\n"))
    #expect(!run.output.contains("\u{1b}"))
  }

  @Test func allStatementsAndFindingsHaveTheirTables() async throws {
    let path = try scanning()
    let statements = try await report.run("summary", path, "--statements")
    #expect(statements.output.contains("Statements by total time"))
    #expect(!statements.output.contains("Findings (1)"))
    #expect(statements.output.contains("1 warning: "))
    let all = try await report.run("summary", path, "--all")
    #expect(all.output.contains("Statements by total time"))
    let finding = "1. warning: AvoidFullTableScan  transit/Search.swift:42"
    #expect(all.output.contains(finding))
    let findings = try await report.run("findings", path)
    #expect(findings.status == 0)
    #expect(findings.output.contains(finding))
    #expect(!findings.output.contains("Statements by total time"))
  }

  /// The command that a screen ends with is complete, and runs as it is.
  @Test func theNextCommandRuns() async throws {
    let run = try await report.run("summary", scanning(), "--entity", "Stop")
    let line = try #require(run.output.split(separator: "\n").last)
    let command = String(line.trimmingPrefix("next: "))
    #expect(command.hasPrefix("trace-report html \(folder.path("scan.txt")) --entity Stop -o "))
    let words = command.split(separator: " ").dropFirst().map(String.init)
    let next = try await report.run(Array(words.dropLast()) + [folder.path("next.html")])
    #expect(next.status == 0, "\(next.error)")
  }

  @Test func withoutAnInputTheNewestRecordingIsRead() async throws {
    let tool = BuiltTool("trace-report")
    func run(_ arguments: String...) async throws -> BuiltTool.Run {
      try await tool.run(through: ["env", "-C", folder.url.path], arguments)
    }
    let none = try await run()
    #expect(none.status == 64)
    #expect(none.errorOutput.contains("trace-report record -- COMMAND"), "\(none.errorOutput)")
    let trace = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 15)
      $0.close()
    }
    try trace.writeTrace(to: folder.url.appending(path: "old"))
    #expect(try await run().output.contains("old (ctf)"))
  }

  @Test func jsonHasTheKeysOfVersionOne() async throws {
    let run = try await report.run("summary", "--json", scanning())
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let json = try #require(object)
    #expect(json["schemaVersion"] as? Int == 1)
    let totals = try #require(json["totals"] as? [String: Any])
    #expect(
      Set(totals.keys).isSuperset(of: [
        "fetches", "counts", "rows", "faults", "relationshipFaults", "cacheMisses", "saves",
        "connectionNs", "totalNs",
      ]))
    #expect(totals["rows"] as? Int == 15)
    let statement = try #require((json["statements"] as? [[String: Any]])?.first)
    #expect(statement["sql"] as? String == Self.sql)
    #expect((json["findings"] as? [[String: Any]])?.count == 1)
    #expect((json["completeness"] as? [String: Any])?["eventsLost"] as? Int == 0)
  }

  @Test func aSavedReportIsAnInput() async throws {
    let json = folder.path("report.json")
    let saved = try await report.run("summary", "--json", scanning())
    try Data(saved.output.utf8).write(to: URL(filePath: json))
    let again = try await report.run("summary", "--json", json)
    #expect(again.output == saved.output)
    let baseline = folder.path("baseline.json")
    #expect(try await report.run("baseline", json, "-o", baseline).status == 0)
    #expect(try await report.run("gate", scanning(), "--baseline", baseline).status == 0)
    #expect(try await report.run("gate", json, "--baseline", baseline).status == 0)
    #expect(try await report.run("diff", json, usual()).output.contains("12,800 → 0"))
    #expect(try await report.run("html", json, "-o", folder.path("saved.html")).status == 0)
    let filtered = try await report.run("summary", "--all", json, "--entity", "Stop")
    #expect(filtered.status == 1)
    #expect(filtered.error.contains("holds sums and no events"))
    #expect(
      try await report.run("summary", "--all", baseline).error.contains("JSON without a profile"))
    let piped = try await BuiltTool("trace-report").run(
      ["summary", "--all", "-"], input: saved.output)
    #expect(piped.status == 0)
    #expect(piped.output.contains("AvoidFullTableScan"))
    let logged = try await BuiltTool("trace-report").run(
      ["summary", "--all", "-"], input: String(contentsOfFile: scanning(), encoding: .utf8))
    #expect(logged.status == 0)
    #expect(logged.output.contains("AvoidFullTableScan"))
  }

  @Test func filtersAndGroupsNarrowTheSummary() async throws {
    let path = try log { trace in
      trace.fetch(Self.sql, rows: 15, total: 8_000_000)
      trace.fetch("SELECT b", entity: "StopTime", total: 1000)
    }
    let entity = try await report.run("summary", "--all", path, "--entity", "StopTime")
    #expect(entity.output.contains("SELECT b"))
    #expect(!entity.output.contains("ZSTOP"))
    #expect(entity.output.contains("only what is entity StopTime"))
    let long = try await report.run("summary", path, "--min-duration", "5ms", "--sort", "p99")
    #expect(!long.output.contains("SELECT b"))
    #expect(long.output.contains("Statements by 99th percentile"))
    for grouping in ["statement", "entity", "caller", "context", "process"] {
      let run = try await report.run(
        "summary", path, "--group-by", grouping, environment: ["COLUMNS": "80"])
      #expect(run.status == 0)
      #expect(run.output.contains("By \(grouping), total time first"))
      #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
    #expect(try await report.run("summary", "--all", path, "--since", "yesterday").status == 64)
    #expect(
      try await report.run("summary", "--all", path, "--since", "1h").output.contains("fetches"))
    #expect(try await report.run("summary", "--all", path, "--min-duration", "-1s").status == 64)
  }

  @Test func aLogOfCoreDataIsAnInput() async throws {
    let path = folder.path("core.log")
    try Data(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZSTOP t0
      CoreData: annotation: sql connection fetch time: 0.0412s
      CoreData: annotation: total fetch execution time: 0.0453s for 190 rows.
      CoreData: annotation: moon phase: waxing

      """.utf8
    ).write(to: URL(filePath: path))
    let run = try await report.run("summary", "--all", path)
    #expect(run.status == 0)
    #expect(run.output.contains("45.3 ms"))
    #expect(run.output.contains("not recognized: line 4: unknown annotation of Core Data: moon"))
    #expect(!run.output.contains("INCONCLUSIVE"))
    let baseline = folder.path("core.json")
    #expect(try await report.run("baseline", path, "-o", baseline).status == 0)
    #expect(try await report.run("gate", path, "--baseline", baseline).status == 3)
    let whole = try await report.run("gate", path, "--baseline", baseline, "--assume-complete")
    #expect(whole.status == 0)
  }

  @Test func noEventsAreInconclusive() async throws {
    var log = LogBuilder()
    log.open(ProcessIdentity(id: 1, name: "transit"), at: 0)
    try Data(log.text.utf8).write(to: URL(filePath: folder.path("empty.txt")))
    let run = try await report.run("summary", "--all", folder.path("empty.txt"))
    #expect(run.status == 3)
    #expect(run.error.split(separator: "\n").count == 1)
  }

  /// A name that was mistyped must not pass a build.
  @Test(arguments: [["--entity", "Nobody"], ["--caller", "nowhere.swift"], ["--since", "3600s"]])
  func aFilterThatTakesNothingIsInconclusive(filter: [String]) async throws {
    let log = try usual()
    for command in [
      ["summary", "--all", log, "--fail-on", "warning"],
      ["html", log, "-o", folder.path("a.html")],
      ["export", log, "--format", "openmetrics"], ["export", log, "--format", "perfetto"],
    ] {
      let run = try await report.run(command + filter)
      #expect(run.status == 3, "\(command) \(run.error)")
      #expect(run.error.contains("no events in "), "\(run.error)")
      #expect(filter[0] == "--since" || run.error.contains(filter[1]), "\(run.error)")
      #expect(run.error.contains("; entities here: "), "\(run.error)")
    }
  }

  @Test func aLogCutMidLineIsReported() async throws {
    let path = try usual()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n").count
    try Data(text.utf8.dropLast(9)).write(to: URL(filePath: path))
    let run = try await report.run("summary", "--all", path, environment: ["COLUMNS": "200"])
    #expect(run.status == 0)
    #expect(run.output.contains("line \(lines), the last one, is cut and was not used"))
    #expect(run.output.contains("15"))
  }

  @Test func aMissingInputFails() async throws {
    let run = try await report.run("summary", "--all", "/nowhere")
    #expect(run.status == 1)
    #expect(run.error.contains("/nowhere"))
    #expect(try await report.run("summary").status == 64)
    #expect(try await report.run("summary", "--top", "0", usual()).status == 64)
  }

  @Test(arguments: [("plan", "plans"), ("sumary", "summary"), ("gates", "gate"), ("htlm", "html")])
  func aMistypedCommandIsNamed(typed: String, meant: String) async throws {
    let run = try await report.run(typed, try usual())
    #expect(run.status == 1)
    #expect(
      run.error == "trace-report: no such input \"\(typed)\", and no such command; did you mean "
        + "'trace-report \(meant)'?\n")
    #expect(!(try await report.run("before.log").error.contains("did you mean")))
    #expect(!(try await report.run("./\(typed)").error.contains("did you mean")))
  }

  @Test func theGateReportsSameWorseAndUnknown() async throws {
    let baseline = folder.path("baseline.json")
    let wrote = try await report.run("baseline", usual(), "-o", baseline, "--tag", "seed=1")
    #expect(wrote.status == 0)
    let same = try await report.run(
      "gate", usual("again.txt"), "--baseline", baseline, "--tag", "seed=1")
    #expect(same.status == 0)
    let worse = try await report.run(
      "gate", scanning(), "--baseline", baseline, "--tag", "seed=1")
    #expect(worse.status == 2)
    #expect(worse.output.contains("full-scan steps 0 → 12,800"))
    #expect(worse.output.contains("transit/Search.swift:42"))
    let otherData = try await report.run(
      "gate", usual(), "--baseline", baseline, "--tag", "seed=2")
    #expect(otherData.status == 3)
    let lossy = try log("lossy.txt") { $0.fetch(Self.sql, rows: 15, vmSteps: 1000) }
    let text = try String(contentsOfFile: lossy, encoding: .utf8)
    try text.split(separator: "\n").filter { !$0.contains("fetch_begin") }
      .joined(separator: "\n").appending("\n")
      .write(toFile: lossy, atomically: true, encoding: .utf8)
    #expect(
      try await report.run("gate", lossy, "--baseline", baseline, "--tag", "seed=1").status == 3)
    #expect(try await report.run("gate", usual(), "--baseline", "/nowhere").status == 3)
  }

  @Test func theGateAcceptsAndTightens() async throws {
    let baseline = folder.path("baseline.json")
    _ = try await report.run("baseline", scanning(), "-o", baseline)
    let better = try await report.run("gate", usual(), "--baseline", baseline)
    #expect(better.status == 0)
    #expect(better.output.contains("Tighten the baseline with: trace-report gate"))
    #expect(try await report.run("gate", usual(), "--baseline", baseline, "--update").status == 0)
    #expect(try await report.run("gate", scanning(), "--baseline", baseline).status == 2)
  }

  @Test func diffReportsFasterStatements() async throws {
    let run = try await report.run("diff", scanning(), usual(), environment: ["COLUMNS": "80"])
    #expect(run.status == 0)
    #expect(run.output.contains("12,800 → 0"))
  }

  @Test func diffWritesAnHTMLPage() async throws {
    let page = folder.path("diff.html")
    let run = try await report.run("diff", scanning(), usual(), "--html", page)
    #expect(run.output == "Wrote \(page)\n")
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("12,800 → 0"))
    let both = try await report.run("diff", scanning(), usual(), "--html", page, "--json")
    #expect(both.status == 64)
    let plans = try await report.run("diff", scanning(), usual(), "--database", "a.sqlite")
    #expect(plans.status == 64)
    #expect(try await report.run("html", scanning(), "--advise", "-o", page).status == 64)
  }

  @Test func htmlIsOneFile() async throws {
    let run = try await report.run("html", scanning(), "-o", folder.path("report.html"))
    #expect(run.status == 0)
    let html = try String(contentsOfFile: folder.path("report.html"), encoding: .utf8)
    #expect(html.contains("AvoidFullTableScan"))
    #expect(html.contains("default-src 'none'"))
    #expect(html.matches(of: /(src|href)\s*=\s*["']?[a-z]+:/).isEmpty)
  }
}
