// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// No value of a statement is in an output that is meant to leave the machine.
@Suite struct SharedValuesTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// Statements with the text or the number `424242` as values, in each place where SQL has them.
  private static let statements = [
    "SELECT a FROM book WHERE name = 'marked'", "SELECT a FROM book WHERE name = \"marked\"",
    "SELECT a FROM book WHERE id IN (424242, 424243)", "SELECT 424242, a FROM book LIMIT 424242",
    "SELECT substr(a, 424242) FROM book WHERE a LIKE 'marked%' -- marked",
    "SELECT a FROM book WHERE b = x'6d61726b6564' /* marked */ ORDER BY 1",
    "INSERT INTO book VALUES (424242, 'marked'), (2, \"marked\")",
    "UPDATE book SET name = 'marked' WHERE id = 424242", "SAVEPOINT marked_424242",
    "SELECT CASE WHEN a = 'marked' THEN 'marked' ELSE 424242 END FROM book",
  ]

  /// The hashes of the texts: they show whether a guess of the values is right.
  private static let hashes = statements.map { "\(StatementID(sql: $0))" }

  private func leaks(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { line in
      (["marked", "42424", "6d61726b6564"] + Self.hashes).contains { line.contains($0) }
    }
  }

  private static var run: RunBuilder {
    RunBuilder {
      $0.connect()
      for (index, sql) in statements.enumerated() {
        $0.caller(UInt64(index + 1), line: UInt64(index + 1))
        for _ in 0..<300 {
          $0.run(
            sql, caller: UInt64(index + 1), rows: 1, bindHash: 1, step: 2_000_000, vmSteps: 90_000,
            fullScanSteps: 9000, error: sql.hasPrefix("UPDATE") ? "SQLITE_BUSY: marked" : "")
        }
      }
      $0.disconnect(1)
      $0.close()
    }
  }

  @Test func noOutputThatLeavesTheMachineHasAValue() async throws {
    let trace = folder.url.appending(path: "trace")
    try Self.run.writeTrace(to: trace)
    let file = { (name: String) in folder.path(name) }
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: file(name), encoding: .utf8)
    }
    let summary = try await report.run(
      "summary", trace.path, "--json", "--markdown", file("comment.md"), "--sarif", file("a.sarif"))
    #expect(leaks(summary.output) == [])
    #expect(leaks(try text("comment.md")) == [])
    #expect(leaks(try text("a.sarif")) == [])
    for options in [
      ["findings", trace.path, "--json"], ["summary", trace.path, "--json", "--brief"],
      ["prove", trace.path, trace.path, "--json"],
    ] {
      let run = try await report.run(options)
      #expect(run.output.hasPrefix("{") && leaks(run.output) == [], "\(options)")
    }
    try Connection(path: file("app.db")).execute("CREATE TABLE book(a, b, id, name)")
    let plans = try await report.run(
      "plans", trace.path, "--database", file("app.db"), "--json", "--forms")
    #expect(plans.output.hasPrefix("{") && leaks(plans.output) == [])
    let kept = try await report.run("summary", trace.path, "--json", "--with-sql")
    #expect(leaks(kept.output).isEmpty == false)
    for format in ["json", "openmetrics", "otlp"] {
      let export = try await report.run("export", trace.path, "--format", format)
      #expect(export.status == 0 && leaks(export.output) == [], "\(format)")
    }
    _ = try await report.run("export", trace.path, "--format", "rows", "-o", file("rows"))
    let rows = FileManager.default.enumerator(atPath: file("rows"))?.allObjects as? [String] ?? []
    for row in rows where row.hasSuffix(".jsonl") { #expect(leaks(try text("rows/\(row)")) == []) }
    let merge = try await report.run("merge", trace.path, "-o", file("merged.json"))
    #expect(merge.status == 0, "\(merge.error)")
    #expect(leaks(try text("merged.json")) == [])
    let baseline = try await report.run("baseline", trace.path, "-o", file("baseline.json"))
    #expect(baseline.status == 0, "\(baseline.error)")
    #expect(leaks(try text("baseline.json")) == [])
    let other = folder.url.appending(path: "other")
    try RunBuilder {
      $0.connect()
      for sql in Self.statements {
        for _ in 0..<300 { $0.run(sql, rows: 1, vmSteps: 900_000, fullScanSteps: 90_000) }
      }
      $0.disconnect(1)
      $0.close()
    }.writeTrace(to: other)
    for arguments in [["--json"], ["--junit", file("gate.xml")], ["--markdown", file("gate.md")]] {
      let gate = try await report.run(
        ["gate", other.path, "--baseline", file("baseline.json")] + arguments)
      #expect(gate.status == 2 && leaks(gate.output) == [], "\(gate.error)")
      guard arguments.count == 2 else { continue }
      #expect(leaks(try String(contentsOfFile: arguments[1], encoding: .utf8)) == [])
    }
  }

  @Test func logLinesThatAreNotRecognizedStay() async throws {
    let log = folder.path("app.log")
    let lines =
      Self.run.log(status: 0) + "marked\n"
      + "2026-11-25 10:00:00.000000 app[1:1] ObjectStore: sql: SELECT marked"
    try Data(lines.utf8).write(to: URL(filePath: log))
    let summary = try await report.run("summary", log, "--json")
    #expect(leaks(summary.output) == [])
    let text = try await report.run("summary", "--all", log)
    #expect(leaks(text.output).isEmpty == false)
  }

  /// The form of a saved report is that of its trace, so that both can be compared.
  @Test func aSavedReportDoesTheSameWorkAsItsTrace() async throws {
    let trace = folder.url.appending(path: "trace")
    try Self.run.writeTrace(to: trace)
    let saved = folder.path("saved.json")
    let summary = try await report.run("summary", trace.path, "--json")
    try Data(summary.output.utf8).write(to: URL(filePath: saved))
    let baseline = folder.path("baseline.json")
    _ = try await report.run("baseline", trace.path, "-o", baseline)
    let gate = try await report.run("gate", saved, "--baseline", baseline)
    #expect(gate.status == 0, "\(gate.output)\(gate.error)")
    let difference = try await report.run("diff", trace.path, saved)
    #expect(
      !difference.output.contains("gone") && !difference.output.contains("new"),
      "\(difference.output)")
  }

  private struct Report: Decodable {
    var statements: [Statement]
    var findings: [Finding]
    struct Statement: Decodable {
      var id: String
      var sql: String
      var count: Int
    }
    struct Finding: Decodable { var statement: String? }
  }

  /// The ids of a shared report name statements of it, exceptions and `--statement` take them, and texts that
  /// differ in their values alone are one statement.
  @Test func idsAreHashesOfTheStatementsWithoutTheirValues() async throws {
    func trace(_ name: String, pid: Int64) throws -> String {
      let trace = folder.url.appending(path: name)
      try RunBuilder {
        $0.process = ProcessIdentity(id: pid, name: "app")
        $0.connect()
        for name in ["marked", "other"] {
          for _ in 0..<300 {
            $0.run(
              "SELECT a FROM book WHERE name = '\(name)'", rows: 1, bindHash: 1, step: 2_000_000,
              vmSteps: 90_000, fullScanSteps: 9000)
          }
        }
        $0.disconnect(1)
        $0.close()
      }.writeTrace(to: trace)
      return trace.path
    }
    let (one, other) = (try trace("one", pid: 1), try trace("other", pid: 2))
    let summary = try await report.run("summary", one, "--json")
    let shared = try JSONDecoder().decode(Report.self, from: Data(summary.output.utf8))
    let id = "\(StatementID(sql: "SELECT a FROM book WHERE name = ?"))"
    #expect(shared.statements.map(\.id) == [id])
    #expect(shared.statements.map(\.count) == [600])
    #expect(!shared.findings.isEmpty && shared.findings.allSatisfy { $0.statement == id })
    let exceptions = folder.path("exceptions.ini")
    try Data(
      """
      [AvoidFullTableScan]
      statement = \(id)
      reason = known

      """.utf8
    ).write(to: URL(filePath: exceptions))
    let excused = try await report.run("summary", "--all", one, "--exceptions", exceptions)
    #expect(excused.output.contains("excused: AvoidFullTableScan"), "\(excused.output)")
    // A report of an older version has hashes of texts with their values.
    let old = folder.path("old.json")
    let local = try await report.run("summary", one, "--json", "--with-sql")
    try Data(local.output.utf8).write(to: URL(filePath: old))
    let merged = folder.path("merged.json")
    _ = try await report.run("merge", old, other, "-o", merged)
    let sum = try JSONDecoder().decode(
      Report.self, from: Data(contentsOf: URL(filePath: merged)))
    #expect(sum.statements.map(\.id) == [id])
  }
}
