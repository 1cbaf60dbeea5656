// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import QueryPlans
@testable import TraceAnalysis

/// The spelling of a statement changes no finding.
///
/// A failure prints its seed; SPELLING_SEED=n repeats it.
@Suite struct SpellingTests {
  private static let seed =
    ProcessInfo.processInfo.environment["SPELLING_SEED"].flatMap { UInt64($0) }
    ?? .random(in: 0...UInt64(UInt32.max))

  /// A finding without its statement's id, its names in one case and without quotes.
  private static func text(_ finding: Finding) -> String {
    let words = [
      finding.rule, "\(finding.severity)", "\(finding.confidence)", finding.object,
      finding.message, finding.fix,
    ]
    return words.joined(separator: " | ").lowercased()
      .replacing(/[0-9a-f]{16}/, with: "ID").filter { !"\"`[]'".contains($0) }
  }

  /// The findings of runs with the same counts, whatever the spelling.
  private static func findings(
    _ statements: [String], _ counts: [MeasuredTruth]?, _ database: Connection?,
    kind: SourceReport.Kind
  ) throws -> [String] {
    var run = RunBuilder()
    run.open()
    for (index, sql) in statements.enumerated() {
      let truth = counts?[index]
      run.fetch(
        sql, at: SourceLocation(file: "a.swift", line: UInt64(index + 1)),
        rows: truth.map { UInt64($0.rows) } ?? 1327, total: 90_000_000,
        vmSteps: truth?.vmSteps ?? 0, fullScanSteps: UInt64(truth?.steps ?? 0),
        sorts: truth?.sorts ?? 0, autoIndexRows: UInt64(truth?.autoIndexRows ?? 0))
    }
    let profile = run.profile(kind: kind)
    let workload = try database.map { try Workload(profile, database: $0) } ?? Workload(profile)
    return workload.findings.map { "\($0.caller.line) \(text($0))" }.sorted()
  }

  @Test(arguments: VerdictSchema.all)
  func findingsAreTheSame(schema: VerdictSchema) throws {
    let folder = try TemporaryDirectory()
    let writer = try Connection(path: folder.path("store.sqlite"))
    try StoreNames.define(on: writer)
    try writer.execute(schema.setUp)
    let counts = try schema.statements.map { try MeasuredTruth($0, on: writer) }
    let reader = try InspectedDatabase(path: folder.path("store.sqlite"))
    var spelling = SQLSpelling(random: SeededGenerator(seed: Self.seed))
    let respelled = schema.statements.map { spelling.respelled($0) }
    for (counts, database) in [(counts, nil), (counts, reader.connection), (nil, nil)]
      as [([MeasuredTruth]?, Connection?)]
    {
      let kind = counts == nil ? SourceReport.Kind.coreDataLog : .ctf
      let before = try Self.findings(schema.statements, counts, database, kind: kind)
      let after = try Self.findings(respelled, counts, database, kind: kind)
      for (line, sql) in respelled.enumerated() {
        let mine = { (list: [String]) in list.filter { $0.hasPrefix("\(line + 1) ") } }
        #expect(mine(before) == mine(after), "SPELLING_SEED=\(Self.seed): \(sql)")
      }
    }
  }

  // MARK: - Reports

  private static let report = BuiltTool("trace-report")

  /// The lines of a report in one case, without ids, quotes, white space and the comments of a spelling, so
  /// that the text of a statement is the same however it is written and wrapped.
  private static func lines(_ report: String) -> [String] {
    let text = report.lowercased()
      .replacing(#/\/\* a, b \*\/|\\\/\* a, b \*\\\/|\\t|\\n/#, with: "")
      .replacing(#/\b[0-9a-f]{16}\b/#, with: "ID")
      .replacing(#/&(quot|#39|#34|#96);/#, with: "")
      .filter { !"\"`[]'\\|".contains($0) && !$0.isWhitespace }
    // A line for each number and its unit: those of a statement are alike in all reports.
    return text.split(whereSeparator: { ":;,".contains($0) }).map(String.init)
  }

  /// A report in JSON without the profile, which has the texts as they were read, and its hash.
  private static func withoutProfile(_ report: String) throws -> String {
    guard report.hasPrefix("{"),
      var object = try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
    else { return report }
    for key in ["profile", "check"] { object[key] = nil }
    let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    return String(decoding: data, as: UTF8.self)
  }

  /// Every report of the same runs, whatever the spelling.
  private static func reports(
    _ statements: [String], _ counts: [MeasuredTruth], database: String
  ) async throws -> [String: [String]] {
    let folder = try TemporaryDirectory()
    let run = RunBuilder {
      $0.open()
      for (index, sql) in statements.enumerated() {
        let truth = counts[index]
        $0.fetch(
          sql, at: SourceLocation(file: "a.swift", line: UInt64(index + 1)),
          rows: UInt64(truth.rows), total: 90_000_000 - Nanoseconds(index) * 100_000,
          vmSteps: truth.vmSteps, fullScanSteps: UInt64(truth.steps), sorts: truth.sorts,
          autoIndexRows: UInt64(truth.autoIndexRows))
      }
      $0.close()
    }
    let (log, page) = (folder.path("run.log"), folder.path("page.html"))
    try run.log.write(toFile: log, atomically: true, encoding: .utf8)
    let commands = [
      ["summary", log, "--top", "500"], ["summary", log, "--top", "500", "--database", database],
      ["plans", log, "--database", database], ["plans", log, "--database", database, "--json"],
      ["export", log, "--format", "csv", "--table", "statements"],
      ["summary", log, "--top", "500", "--database", database, "--json"],
      ["html", log, "--database", database, "-o", page],
    ]
    var texts: [String: [String]] = [:]
    for command in commands {
      let output = try await report.run(command)
      #expect([0, 2].contains(output.status), "\(command): \(output.errorOutput)")
      let text =
        command[0] == "html"
        ? try String(contentsOfFile: page, encoding: .utf8) : try withoutProfile(output.output)
      let name = command.map { $0.replacing(folder.url.path, with: "") }.joined(separator: " ")
      texts[name] = lines(text.replacing(folder.url.path, with: ""))
    }
    return texts
  }

  @Test(arguments: VerdictSchema.all)
  func everyReportIsTheSame(schema: VerdictSchema) async throws {
    let folder = try TemporaryDirectory()
    let database = folder.path("store.sqlite")
    let writer = try Connection(path: database)
    try StoreNames.define(on: writer)
    try writer.execute(schema.setUp)
    let counts = try schema.statements.map { try MeasuredTruth($0, on: writer) }
    // A debug log has each text on one line.
    var spelling = SQLSpelling(random: SeededGenerator(seed: Self.seed), hasLines: false)
    let respelled = schema.statements.map { spelling.respelled($0) }
    let before = try await Self.reports(schema.statements, counts, database: database)
    let after = try await Self.reports(respelled, counts, database: database)
    for (name, lines) in before {
      let others = after[name] ?? []
      let first = zip(lines, others).first { $0 != $1 }
      #expect(
        lines.count == others.count && first == nil,
        "SPELLING_SEED=\(Self.seed): \(name): \(first.map { "\($0.0) → \($0.1)" } ?? "")")
    }
  }

  @Test(arguments: VerdictSchema.all)
  func clausesAreTheSame(schema: VerdictSchema) {
    var spelling = SQLSpelling(random: SeededGenerator(seed: Self.seed))
    func facts(_ sql: String) -> String {
      let shared = SharedStatement(sql: sql)
      let written = WrittenTable.all(in: sql).map { "\($0.kind) \($0.table)" }
      return """
        \(shared.operation) \(shared.tables) \(written) \(ResultColumns.all(in: sql)) \
        \(ComparedColumns.all(in: sql)) \(ComparedExpression.all(in: sql)) \
        \(StatementClauses(sql: sql).tables.sorted()) \(StatementCommand.name(of: sql))
        """.lowercased().filter { !"\"`[]'\\".contains($0) }
    }
    for sql in schema.statements {
      let respelled = spelling.respelled(sql)
      #expect(facts(sql) == facts(respelled), "SPELLING_SEED=\(Self.seed): \(respelled)")
      #expect(
        SQLFingerprint(sql: sql) == SQLFingerprint(sql: respelled),
        "SPELLING_SEED=\(Self.seed): \(respelled)")
    }
  }

  /// The same in a log of Core Data, whose reader has to find entities and kinds in the text.
  @Test func aLogOfCoreDataIsReadTheSame() throws {
    var spelling = SQLSpelling(random: SeededGenerator(seed: Self.seed), hasLines: false)
    func findings(_ spell: (String) -> String) throws -> [String] {
      let folder = try TemporaryDirectory()
      let path = folder.path("console.log")
      try CoreDataEvidence.all.map { $0.log(spell) }.joined()
        .write(toFile: path, atomically: true, encoding: .utf8)
      return try Profile(reading: [path]).findings.map(Self.text).sorted()
    }
    let before = try findings { $0 }
    #expect(before.count > 8)
    for _ in 1...10 {
      let after = try findings { spelling.respelled($0) }
      #expect(after == before, "SPELLING_SEED=\(Self.seed)")
    }
  }
}
