// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A subquery that runs once for every row of the outer SELECT finds its rows by an index.
struct AvoidScanInCorrelatedSubquery: Rule {
  static let explanation = RuleExplanation(
    problem: "a scan for each row",
    law: "A correlated subquery finds its rows by an index.",
    reason: """
      It runs once for every row that the outer SELECT reads, and a scan in it reads its table each time.
      """,
    bad: """
      (SUBQUERY(stopTimes, $x, $x.departureTime >= %@).@count != 0)
      SELECT … FROM ZSTOP t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND …) ) <> ?
      -- CORRELATED SCALAR SUBQUERY 1
      --   SCAN t1
      """,
    good: """
      CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP)
      -- CORRELATED SCALAR SUBQUERY 1
      --   SEARCH t1 USING INDEX ZSTOPTIME_ZSTOP_INDEX (ZSTOP=?)
      """,
    limits: """
      Needs `--database`: only the plan shows which of two tables is scanned. Reported when the statement is a full scan
      by the bound of Documentation/Verdicts.md and its plan scans a table in a correlated subquery. A subquery that
      runs once, one that an index serves, and a run of fewer than 500 full-scan steps are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard statement.scanCause == .correlatedSubquery,
        let scan = statement.judgement.correlatedScan
      else { return nil }
      return finding(statement, scan)
    }
  }

  private func finding(_ statement: JudgedStatement, _ scan: PlanJudgement.Scan) -> Finding {
    let table = scan.table ?? scan.name
    let rows = scan.size.map { " (\($0.rows.counted("row")))" } ?? ""
    let work = statement.work
    return Finding(
      rule: Self.name, confidence: statement.profile.isCounted ? .high : .medium,
      statement: statement.id, caller: statement.profile.mainCaller, object: table,
      message: """
        A correlated subquery reads all of '\(table)'\(rows) once for every row that the outer \
        SELECT reads\(statement.runsText).
        """,
      evidence: statement.profile.scanEvidence + [.init("tableRows", scan.size?.rows ?? 0)],
      fix: ([statement.names?.count(in: statement.qualifiedSQL, of: table)].compactMap(\.self)
        + [Self.fix(statement, scan, table)]).joined(separator: ", or "),
      saving: work.fullScanSteps > 0 ? statement.scanSaving : nil)
  }

  /// The column that the subquery compares with the outer row comes first, then the other compared
  /// columns.
  private static func fix(
    _ statement: JudgedStatement, _ scan: PlanJudgement.Scan, _ table: String
  ) -> String {
    if let fix = statement.triedFix { return fix }
    let tried = scan.indexes ?? []
    let others = statement.judgement.indexesOfOtherSubqueries(than: scan, tried)
    if !(tried + others).isEmpty {
      return ([tried] + others.map { [$0] }).filter { !$0.isEmpty }
        .map { statement.sentence(IndexFix($0, entity: statement.entity)) }.joined(separator: "; ")
    }
    let columns = ComparedColumns.all(in: statement.qualifiedSQL).first {
      $0.table.lowercased() == table.lowercased() && !$0.filtered.isEmpty
    }
    guard let columns, scan.indexes == nil else {
      return "index the column of \(table) that the subquery compares with the outer row"
    }
    return statement.sentence(IndexFix(columns, entity: statement.entity))
  }
}
