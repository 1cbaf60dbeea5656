// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing
import TraceRendering

@testable import QueryPlans
@testable import TraceAnalysis

/// Compares the verdicts of `plans`, `summary` and `gate` with SQLite's counts: `make verdicts`.
@Suite struct VerdictTests {
  private struct Scores {
    /// Judged without a trace, as by `plans --sql`.
    var measured = VerdictScore()
    /// Judged by the counters of a trace.
    var counted = VerdictScore()
  }

  private static func open(_ schema: VerdictSchema, _ folder: TemporaryDirectory) throws
    -> Connection
  {
    let connection = try Connection(path: folder.path("store.sqlite"))
    try StoreNames.define(on: connection)
    try connection.execute(schema.setUp)
    try connection.execute("PRAGMA foreign_keys = ON")
    return connection
  }

  @Test func precisionAndRecallAreAtLeast98Percent() throws {
    var scores = Scores()
    for schema in VerdictSchema.all {
      let folder = try TemporaryDirectory()
      let writer = try Self.open(schema, folder)
      let reader = try InspectedDatabase(path: folder.path("store.sqlite"))
      let explainer = PlanExplainer(reader.connection)
      for sql in schema.statements {
        let truth = try MeasuredTruth(sql, on: writer)
        let measured = explainer.explain(sql).verdict
        let counted = explainer.explain(sql, work: truth.work).verdict
        scores.measured.add(
          "\(schema): \(sql)", truth: truth.isScan, verdict: measured == .fullScan)
        scores.counted.add("\(schema): \(sql)", truth: truth.isScan, verdict: counted == .fullScan)
      }
    }
    print("without a trace: \(scores.measured.summary)")
    print("with its counts: \(scores.counted.summary)")
    for score in [scores.measured, scores.counted] {
      #expect(score.count >= 300)
      #expect(score.precision >= 0.98, "no scans: \(score.falsePositives)")
      #expect(score.recall >= 0.98, "missed: \(score.falseNegatives)")
    }
    #expect(VerdictSchema.all.count >= 12)
  }

  @Test(arguments: VerdictSchema.all)
  func summaryAndGateAgreeWithPlans(schema: VerdictSchema) throws {
    let folder = try TemporaryDirectory()
    let writer = try Self.open(schema, folder)
    let reader = try InspectedDatabase(path: folder.path("store.sqlite"))
    let explainer = PlanExplainer(reader.connection)
    let profile = try Self.run(schema, on: writer).profile()
    let workload = try Workload(profile, database: reader.connection)
    let findings = workload.findings.filter { Rules.ofScans.contains($0.rule) }
    let found = Set(findings.compactMap(\.statement))
    // A sort of many rows and a deep offset are reported where an index finds the rows as well.
    let others: Set = ["UseIndexForSort", "UseStoredSortKey", "AvoidDeepOffset"]
    let scans = Set(findings.filter { !others.contains($0.rule) }.compactMap(\.statement))
    let baseline = BaselineV1(profile) { sql in
      let work = profile.statement(StatementID(sql: sql))?.statementWork ?? StatementWork()
      return BaselineV1.Plan(
        verdict: explainer.explain(sql, work: work).verdict.rawValue, steps: [])
    }
    let verdicts = Dictionary(
      baseline.statements.map { ($0.sql, $0.plan?.verdict) }, uniquingKeysWith: { a, _ in a })
    for (fingerprint, texts) in Dictionary(grouping: schema.statements, by: SQLFingerprint.init) {
      let plans = texts.map { sql in
        explainer.explain(
          sql, work: profile.statement(StatementID(sql: sql))?.statementWork ?? StatementWork()
        ).verdict
      }
      let isScan = plans.contains(.fullScan)
      let ids = isScan ? found : scans
      #expect(texts.contains { ids.contains(StatementID(sql: $0)) } == isScan, "summary: \(texts)")
      #expect((verdicts[fingerprint.description] == "fullScan") == isScan, "gate: \(texts)")
    }
  }

  /// The same through the binary: one log with all statements of a schema.
  @Test(arguments: VerdictSchema.all)
  func theCommandsAgree(schema: VerdictSchema) async throws {
    let folder = try TemporaryDirectory()
    let (log, store, baseline) = (
      folder.path("a.log"), folder.path("store.sqlite"), folder.path("baseline.json")
    )
    let tool = BuiltTool("trace-report")
    try Self.run(schema, on: Self.open(schema, folder)).log
      .write(toFile: log, atomically: true, encoding: .utf8)
    func json<T: Decodable>(_ type: T.Type, _ arguments: String...) async throws -> T {
      let run = try await tool.run(arguments + [log, "--database", store, "--json"])
      #expect(run.status == 0, "\(arguments): \(run.errorOutput)")
      return try JSONDecoder().decode(type, from: Data(run.output.utf8))
    }
    let plans = try await json(PlansV1.self, "plans")
    // Without the texts, the ids are the forms' ids.
    let summary = try await json(ReportV1.self, "summary", "--with-sql")
    let written = try await tool.run("baseline", log, "--database", store, "-o", baseline)
    #expect(written.status == 0, "\(written.errorOutput)")
    let gate = try await json(GateReportV1.self, "gate", "--baseline", baseline)
    #expect(gate.replanned.isEmpty && gate.regressions.isEmpty)
    let held = try JSONDecoder().decode(
      BaselineV1.self, from: Data(contentsOf: URL(filePath: baseline)))
    let gateVerdicts = Dictionary(
      held.statements.map { ($0.sql, $0.plan?.verdict) }, uniquingKeysWith: { first, _ in first })
    let findings = summary.findings.filter { Rules.ofScans.contains($0.rule) }
    let found = Set(findings.compactMap(\.statement))
    let others: Set = ["UseIndexForSort", "UseStoredSortKey", "AvoidDeepOffset"]
    let scans = Set(findings.filter { !others.contains($0.rule) }.compactMap(\.statement))
    #expect(
      plans.statements.compactMap(\.texts).reduce(0, +) == Set(schema.statements).count)
    #expect(plans.statements.reduce(0) { $0 + $1.executions } == schema.statements.count)
    let forms = Dictionary(grouping: plans.statements) { SQLFingerprint(sql: $0.sql).description }
    for (form, statements) in forms {
      let isScan = statements.contains { $0.verdict == "fullScan" }
      let ids = isScan ? found : scans
      #expect(statements.contains { ids.contains($0.id) } == isScan, "summary: \(form)")
      #expect((gateVerdicts[form] == "fullScan") == isScan, "gate: \(form)")
    }
  }

  private static func run(_ schema: VerdictSchema, on connection: Connection) throws -> RunBuilder {
    var run = RunBuilder()
    run.open()
    for (index, sql) in schema.statements.enumerated() {
      let truth = try MeasuredTruth(sql, on: connection)
      run.fetch(
        sql, at: SourceLocation(file: "\(schema).swift", line: UInt64(index + 1)),
        rows: UInt64(truth.rows), vmSteps: truth.vmSteps, fullScanSteps: UInt64(truth.steps),
        sorts: truth.sorts, autoIndexRows: UInt64(truth.autoIndexRows))
    }
    run.close()
    return run
  }
}

extension MeasuredTruth {
  var work: StatementWork {
    StatementWork(
      executions: 1, rows: UInt64(rows), fullScanSteps: UInt64(steps),
      autoIndexRows: UInt64(autoIndexRows), vmSteps: vmSteps)
  }
}
