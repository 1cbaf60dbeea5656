// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct WriteCheapTermsFirst: Rule {
  static let explanation = RuleExplanation(
    problem: "a costly term that is computed first",
    law: "Among terms that no index serves, cheap terms are written before costly ones.",
    reason: """
      SQLite evaluates such terms for each row in the order in which they are written, and stops at the first that is
      false. If a number is compared first, most rows need no text search. SQLite itself moves terms that an index
      serves, and correlated subqueries.
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
      Reported when a statement reads 500 rows a run or more (100 with a regular expression) and calls a text search before
      it compares a plain column. Without counters and a plan, as from Core Data's log alone, the text is enough.
      With `--database` a comparison that an index serves is not reported, wherever it is written. The selectivity of
      the terms is not known, so no saving is estimated; `trace-report orderings INPUT --statement ID` measures it.
      """)

  private func minRows(_ sql: String) -> Double {
    TextSearch.all(in: sql).map(UnindexedStringSearch.minRows).min() ?? ScanBound.minRows
  }

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard let sql = statement.sql, statement.isTextOnly || statement.stepsPerRun >= minRows(sql),
        let pair = MisorderedTerms(sql: sql, plan: statement.plan)
      else { return nil }
      return Finding(
        rule: Self.name, severity: .note, confidence: statement.isTextOnly ? .low : .medium,
        statement: statement.id,
        caller: statement.profile.mainCaller,
        message: """
          Each row\(statement.isTextOnly ? " that no index excludes" : "") is searched by \
          '\(pair.costly)' before '\(pair.cheap)' is compared\(statement.runsText).
          """,
        evidence: statement.profile.evidence([
          .init("fullScanSteps", statement.work.fullScanSteps),
          .init("vmSteps", statement.work.vmSteps),
        ]),
        fix: """
          write the comparison before the search; measure it with: trace-report orderings INPUT \
          --statement \(statement.id)\(workload.database == nil ? " --database FILE" : "")
          """)
    }
  }
}
