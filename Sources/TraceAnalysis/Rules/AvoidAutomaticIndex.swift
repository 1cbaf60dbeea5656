// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidAutomaticIndex: Rule {
  static let explanation = RuleExplanation(
    problem: "an index that each run builds",
    law: "A join or a subquery finds its rows by an index of the schema.",
    reason: "If there is none, SQLite may build an index for each run and then discard it.",
    bad: """
      SELECT … FROM ZSTOP t0 JOIN ZSTOPTIME t1 ON t1.ZSTOP = t0.Z_PK
      -- SEARCH t1 USING AUTOMATIC COVERING INDEX (ZSTOP=?)
      """,
    good: """
      CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP)
      -- SEARCH t1 USING INDEX ZSTOPTIME_ZSTOP_INDEX (ZSTOP=?)
      """,
    limits: """
      Reported when a run puts 500 rows or more into such indexes, whatever it returns. If a log has no counters, a run
      on `--database`, or its plan, is used instead. A note where the index is on the rows of a subquery, which no index of
      a table has, or where one for all runs saves nothing.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard statement.scanCause == .automaticIndex else { return nil }
      let work = statement.work
      let tables = statement.judgement.automaticIndexes
      let metric = WorkMetric.automaticIndexRows
      let isCounted = work.perRun(metric) >= ScanBound.minRows
      let rows =
        isCounted
        ? " of \(work.perRun(metric).counted("row"))\(statement.averageText(work.counter(metric)))"
        : ""
      // On the rows of a subquery, which no index of a table has.
      let isOfSubquery = statement.plan != nil && statement.judgement.automaticIndexColumns.isEmpty
      // An index for all runs would save nothing.
      let isUseless =
        statement.judgement.indexes?.isEmpty == true
        && statement.judgement.smallGain.map { $0.after >= $0.before } ?? true
      let tableText = tables.first.map { " on '\($0)'" } ?? ""
      return Finding(
        rule: Self.name, severity: isOfSubquery || isUseless ? .note : .warning,
        confidence: isCounted ? .high : .medium, statement: statement.id,
        caller: statement.profile.mainCaller, object: tables.first ?? "",
        message: """
          Each run builds an index\(tableText)\(rows) and discards it\(statement.runsText).
          """,
        evidence: [
          .init("runs", work.count), .init("rows", work.rows),
          .init(metric.key, work.counter(metric)),
          .init("connectionNs", work.connectionTime),
        ],
        fix: fix(statement)
          ?? """
          create an index on the column that the join or the subquery looks up\
          \(workload.database == nil
            ? "; trace-report plans INPUT --database FILE names it after AUTOMATIC" : "")
          """)
    }
  }

  /// The index that SQLite builds, made once; nil where it is built on the rows of a subquery.
  private func fix(_ statement: JudgedStatement) -> String? {
    if statement.judgement.indexes?.isEmpty == true {
      let small = statement.judgement.smallGain.flatMap { gain in
        gain.after < gain.before
          ? "; an index ON \(gain.indexes[0].table) (\(gain.indexes[0].terms)) takes "
            + "\(gain.after.counted("VM step")) in place of \(gain.before.grouped)" : nil
      }
      return "no index halves its steps: keep its result, or read fewer rows\(small ?? "")"
    }
    if let fix = statement.triedFix { return fix }
    guard let built = statement.judgement.automaticIndexColumns.first else { return nil }
    return statement.sentence(
      IndexFix(table: built.table, columns: built.columns, entity: statement.entity))
  }
}
