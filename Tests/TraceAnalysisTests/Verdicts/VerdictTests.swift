// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@testable import QueryPlans
@testable import TraceAnalysis

/// Holds the verdicts of `plans`, `summary` and `gate` against what SQLite counted: `make verdicts`.
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
