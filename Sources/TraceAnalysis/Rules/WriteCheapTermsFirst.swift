// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Of terms that no index serves, the cheap ones are written before the costly ones.
struct WriteCheapTermsFirst: Rule {
  static let explanation = RuleExplanation(
    law: "Of terms that no index serves, the cheap ones are written before the costly ones.",
    reason: """
      SQLite evaluates such terms row by row in the order in which they are written, and stops at the first that fails: a
      number compared first spares most rows the text search. It moves terms that an index serves, and correlated
      subqueries, by itself.
      """,
    bad: """
      (name CONTAINS[cd] %@) AND (timestamp >= %@)
      SELECT … WHERE ( NSCoreDataStringSearch(t0.ZNAME, ?, 129, 0) AND  t0.ZTIMESTAMP >= ?)
      """,
    good: """
      (timestamp >= %@) AND (name CONTAINS[cd] %@)
      SELECT … WHERE ( t0.ZTIMESTAMP >= ? AND  NSCoreDataStringSearch(t0.ZNAME, ?, 129, 0))
      """,
    limits: """
      Speaks where a statement steps through 500 rows a run and more and calls a text search before it compares a plain
      column. With `--database` a comparison that an index serves is left alone, wherever it is written. How selective the
      terms are is not known, so no saving is told: `trace-report orderings INPUT --statement ID` measures it.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.statements.compactMap { statement -> Finding? in
      guard let sql = statement.sql, isWorthIt(statement, workload),
        let pair = MisorderedTerms(sql: sql, plan: workload.explanations[statement.id]?.plan)
      else { return nil }
      return Finding(
        rule: Self.name, severity: .note, confidence: .medium, statement: statement.id,
        caller: statement.mainCaller,
        message: """
          Each row is searched by '\(pair.costly)' before '\(pair.cheap)' is compared\
          \(statement.runsText).
          """,
        evidence: statement.scanEvidence + [.init("vmSteps", statement.work.vmSteps)],
        fix: """
          write the comparison before the search; measure it with: trace-report orderings INPUT \
          --statement \(statement.id) --database FILE
          """)
    }
  }

  private func isWorthIt(_ statement: StatementProfile, _ workload: Workload) -> Bool {
    if statement.isCounted {
      return statement.work.perRun(\.fullScanSteps) >= AvoidFullTableScan.fewestSteps
    }
    let rows = workload.judgement(of: statement)?.largestScan?.size?.rows ?? 0
    return Double(rows) >= AvoidFullTableScan.fewestSteps
  }
}
