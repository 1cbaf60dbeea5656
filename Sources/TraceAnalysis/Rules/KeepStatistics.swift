// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct KeepStatistics: Rule {
  static let minRows = 10_000
  static let maxGrowth = 4.0

  static let explanation = RuleExplanation(
    problem: "missing statistics",
    law: "The planner has up-to-date statistics where it chooses between indexes.",
    reason: """
      Without statistics SQLite assumes that an equality matches ten rows, whatever the column is; with outdated ones it
      may treat a large table as a small one. It may then choose the wrong index, or the wrong order of a join.
      """,
    bad: """
      WHERE  t0.ZKIND = ? AND  t0.ZNAME = ?      -- SEARCH t0 USING INDEX ZSTOP_ZKIND: half the table
      """,
    good: """
      PRAGMA optimize                            -- or ANALYZE, after large changes
      -- SEARCH t0 USING INDEX ZSTOP_ZNAME
      """,
    limits: """
      Needs `--database`. Reported when a table of 10,000 rows has four times as many rows as in its statistics, or a
      quarter; and when a database was never analyzed and a statement compares columns of a table of 10,000 rows that
      are the first columns of two indexes. It is not known whether another plan would be faster; `advise` measures
      that.
      """)

  func check(_ workload: Workload) -> [Finding] {
    guard let database = workload.database else { return [] }
    return database.hasStatistics
      ? database.tables.compactMap { old($0, workload) } : missing(workload, database)
  }

  private func old(_ table: DatabaseFacts.Table, _ workload: Workload) -> Finding? {
    guard let known = table.rowsInStatistics, max(known, table.rows.rows) >= Self.minRows,
      workload.tablesRead.contains(table.name.lowercased())
    else { return nil }
    let growth = Double(table.rows.rows) / Double(max(known, 1))
    let shrank = growth <= 1 / Self.maxGrowth && !table.rows.isAtLeast
    guard growth >= Self.maxGrowth || shrank else { return nil }
    return Finding(
      rule: Self.name, severity: .note, confidence: .medium, object: table.name,
      message: """
        '\(table.name)' has \(table.rows.isAtLeast ? "at least " : "")\
        \(UInt64(table.rows.rows).grouped) rows; its statistics were collected with \(UInt64(known).grouped).
        """,
      evidence: [.init("tableRows", table.rows.rows), .init("rowsInStatistics", known)],
      fix: "run PRAGMA optimize when the store closes, or once: ANALYZE \(table.name)")
  }

  private func missing(_ workload: Workload, _ database: DatabaseFacts) -> [Finding] {
    let table = database.tables.first { table in
      table.rows.rows >= Self.minRows
        && workload.profile.statements.contains {
          workload.explanations[$0.id]?.judgement?.obstacles.isEmpty != false
            && hasChoice($0, table.name, database.indexes)
        }
    }
    guard let table else { return [] }
    return [
      Finding(
        rule: Self.name, severity: .note, confidence: .low, object: table.name,
        message: """
          The database was never analyzed, and several indexes of '\(table.name)' could serve one \
          statement: SQLite guesses which is better.
          """,
        evidence: [.init("tableRows", table.rows.rows)],
        fix: "run PRAGMA optimize when the store closes, or once: ANALYZE")
    ]
  }

  /// Whether the columns it compares are the first ones of two indexes.
  private func hasChoice(
    _ statement: StatementProfile, _ table: String, _ indexes: [DatabaseIndex]
  ) -> Bool {
    guard let sql = statement.sql else { return false }
    return ComparedColumns.all(in: sql).contains { columns in
      guard columns.table.lowercased() == table.lowercased() else { return false }
      let first = Set(
        indexes.filter { $0.table.lowercased() == table.lowercased() }.compactMap {
          $0.terms.first?.column
        })
      return first.intersection(columns.filtered).count > 1
    }
  }
}
