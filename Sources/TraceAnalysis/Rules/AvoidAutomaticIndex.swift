// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A join or a subquery finds its rows by an index of the schema.
struct AvoidAutomaticIndex: Rule {
  // 100 is arbitrary: an index over fewer rows is made in microseconds.
  static let fewestRows = 100.0

  static let explanation = RuleExplanation(
    law: "A join or a subquery finds its rows by an index of the schema.",
    reason: "Where there is none, SQLite may build one for each run, and throws it away.",
    bad: """
      SELECT … FROM ZSTOP t0 JOIN ZSTOPTIME t1 ON t1.ZSTOP = t0.Z_PK
      -- SEARCH t1 USING AUTOMATIC COVERING INDEX (ZSTOP=?)
      """,
    good: """
      CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP)
      -- SEARCH t1 USING INDEX ZSTOPTIME_ZSTOP_INDEX (ZSTOP=?)
      """,
    limits: """
      Speaks from 100 rows put into such an index a run. Where a log has no counters, the plan in `--database` says so.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.statements.compactMap { statement -> Finding? in
      let work = statement.work
      let tables = workload.judgement(of: statement)?.automaticIndexes ?? []
      let isCounted = work.perRun(\.autoIndexRows) >= Self.fewestRows
      guard isCounted || (!statement.isCounted && !tables.isEmpty) else { return nil }
      let rows = isCounted ? " of \(work.perRun(\.autoIndexRows).counted("row"))" : ""
      let place = tables.first.map { " on '\($0)'" } ?? ""
      return Finding(
        rule: Self.name, confidence: isCounted ? .high : .medium, statement: statement.id,
        caller: statement.mainCaller, object: tables.first ?? "",
        message: """
          Each run builds an index\(place)\(rows) and throws it away\(statement.runsText).
          """,
        evidence: [
          .init("runs", work.count), .init("rows", work.rows),
          .init("autoIndexRows", work.autoIndexRows),
          .init("connectionNs", work.connectionTime),
        ],
        fix: """
          declare an index on the column that the join or the subquery looks up; trace-report \
          plans INPUT --database FILE names it behind AUTOMATIC
          """)
    }
  }
}
