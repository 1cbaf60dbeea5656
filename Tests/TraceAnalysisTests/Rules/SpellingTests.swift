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

  // MARK: - Reports

  /// A report's JSON: each value once, in a fixed order, its names in one case and without quotes; without
  /// ids and the texts of the statements.
  private static func canonical(_ value: Any) -> String {
    let spelled: Set = ["id", "texts", "database", "sql"]
    switch value {
    case let object as [String: Any]:
      let left = object.filter { name, _ in !spelled.contains(name) }
      return "{\(left.map { "\($0): \(canonical($1))" }.sorted().joined(separator: ", "))}"
    case let array as [Any]:
      return "[\(Set(array.map(canonical)).sorted().joined(separator: ",\n"))]"
    case let text as String:
      return text.lowercased().replacing(/[0-9a-f]{16}/, with: "ID")
        .replacingOccurrences(of: "/* a, b */", with: "")
        .filter { !$0.isWhitespace && !"\"`[]'".contains($0) }
    default: return "\(value)"
    }
  }

  /// The log of a program that runs each statement once, with its counts.
  private static func log(
    of statements: [String], _ counts: [MeasuredTruth], store: String
  ) -> String {
    RunBuilder {
      $0.open(path: store)
      for (index, (sql, truth)) in zip(statements, counts).enumerated() {
        $0.fetch(
          sql, at: SourceLocation(file: "a.swift", line: UInt64(index + 1)),
          rows: UInt64(truth.rows), total: 90_000_000, vmSteps: truth.vmSteps,
          fullScanSteps: UInt64(truth.steps), sorts: truth.sorts,
          autoIndexRows: UInt64(truth.autoIndexRows))
      }
    }.log
  }

  /// Verdicts, plans, sentences and hints are the same for each spelling of a statement.
  @Test(arguments: VerdictSchema.all)
  func reportsAreTheSame(schema: VerdictSchema) async throws {
    let folder = try TemporaryDirectory()
    let (store, log) = (folder.path("store.sqlite"), folder.path("run.log"))
    let writer = try Connection(path: store)
    try StoreNames.define(on: writer)
    try writer.execute(schema.setUp)
    let counts = try schema.statements.map { try MeasuredTruth($0, on: writer) }
    var spelling = SQLSpelling(random: SeededGenerator(seed: Self.seed), hasLines: false)
    func report(_ statements: [String]) async throws -> String {
      try Self.log(of: statements, counts, store: store)
        .write(toFile: log, atomically: true, encoding: .utf8)
      let run = try await BuiltTool("trace-report").run(
        "plans", log, "--database", store, "--json")
      #expect([0, 3].contains(run.status), "\(run.errorOutput)")
      return Self.canonical(try JSONSerialization.jsonObject(with: Data(run.output.utf8)))
    }
    let before = try await report(schema.statements).split(separator: "\n")
    let after = try await report(schema.statements.map { spelling.respelled($0) })
    let lines = Set(before).symmetricDifference(after.split(separator: "\n"))
    #expect(lines == [], "SPELLING_SEED=\(Self.seed)")
  }
}
