// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension PlansV1 {
  /// Lists every statement of a report.
  public init(_ report: PlansReport) {
    self.init(
      database: report.database ?? "", sqliteVersion: report.sqliteVersion ?? "",
      doubts: report.doubts,
      statements: report.entries.map { entry in
        let fixes = report.fetchIndexes(entry)
        return Statement(entry, fetchIndexes: fixes.isEmpty ? nil : fixes)
      },
      statementsWithoutPlan: report.withoutPlan)
  }
}

extension PlansV1.Statement {
  fileprivate init(_ entry: PlansReport.Entry, fetchIndexes: [String]?) {
    let explanation = entry.explanation
    self.init(
      id: entry.id, texts: entry.texts, sql: explanation.sql, verdict: entry.verdict.rawValue,
      evidence: explanation.judgement?.evidence.rawValue,
      confidence: explanation.judgement?.confidence.rawValue,
      planChange: explanation.judgement?.change?.rawValue,
      plan: explanation.plan?.roots.map(PlansV1.Step.init), error: explanation.failure,
      scans: explanation.judgement?.scans.map(PlansV1.Scan.init) ?? [],
      flags: explanation.judgement?.flags ?? [],
      automaticIndexHints: explanation.judgement?.automaticIndexHints ?? [],
      indexes: explanation.judgement?.namedIndexes.map(\.sql) ?? [], fetchIndexes: fetchIndexes,
      executions: entry.work.executions,
      fullScanSteps: entry.work.fullScanSteps, vmSteps: entry.work.vmSteps,
      measured: entry.work.vmSteps > 0 ? ["fullScanSteps", "vmSteps"] : [],
      standIns: explanation.standIns, database: explanation.database)
  }
}

extension PlansV1.Step {
  fileprivate init(_ node: QueryPlan.Node) {
    self.init(
      detail: node.detail, table: node.fact.access?.table,
      children: node.children.map(PlansV1.Step.init))
  }
}

extension PlansV1.Scan {
  fileprivate init(_ scan: PlanJudgement.Scan) {
    self.init(
      table: scan.table, rows: scan.size.flatMap { $0.isEstimate ? nil : $0.rows },
      estimatedRows: scan.size.flatMap { $0.isEstimate ? $0.rows : nil },
      harmlessBecause: scan.harmlessBecause?.rawValue,
      sentence: scan.sentence, comparedColumns: scan.comparedColumns, hint: scan.indexHint)
  }
}

extension PlanJudgement {
  fileprivate var flags: [String] {
    [
      sortsByTemporaryBTree ? "sortsByTemporaryBTree" : nil,
      automaticIndexes.isEmpty ? nil : "automaticIndex",
      correlatedSubqueries > 0 ? "correlatedSubquery" : nil,
      scansInCorrelatedSubquery ? "scanInCorrelatedSubquery" : nil,
      unexplainedFullScanSteps == nil ? nil : "unexplainedFullScanSteps",
    ].compactMap { $0 }
  }
}
