// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A fetch of many rows reads them in the order of an index instead of sorting them.
struct UseIndexForSort: Rule {
  // Both are arbitrary: some tenths of a millisecond on a machine of today.
  static let fewestRows = 1000.0
  static let fewestSteps = 10_000.0

  static let explanation = RuleExplanation(
    law: "A fetch of many rows reads them in the order of an index instead of sorting them.",
    reason:
      "A sort reads all rows before it gives the first one; with a limit it sorts what nobody sees.",
    bad: """
      SELECT … FROM ZSTOP t0 ORDER BY t0.ZNAME LIMIT 50
      -- SCAN t0
      -- USE TEMP B-TREE FOR ORDER BY
      """,
    good: """
      static let indexes = [Index(\\.name)]
      SELECT … FROM ZSTOP t0 ORDER BY t0.ZNAME LIMIT 50
      -- SCAN t0 USING INDEX ZSTOP_ZNAME
      """,
    limits: """
      Speaks from 1,000 rows a run on, or 10,000 steps where a limit hides the rest. Sorts of few rows are left alone. What
      the sort alone costs is not measured, so no saving is told. A sort by the rules of a language is UseStoredSortKey's.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.statements.compactMap { statement -> Finding? in
      guard statement.sortsMuch(workload), !statement.sortsByLocale else { return nil }
      return finding(statement)
    }
  }

  private func finding(_ statement: StatementProfile) -> Finding {
    let columns = ComparedColumns.all(in: statement.sql ?? "").first { !$0.sorted.isEmpty }
    return Finding(
      rule: Self.name, confidence: statement.isCounted ? .high : .medium,
      statement: statement.id, caller: statement.mainCaller, message: statement.sortText,
      evidence: statement.sortEvidence,
      fix: columns.map(Self.fix) ?? "index what its ORDER BY, DISTINCT or GROUP BY names")
  }

  /// Columns compared for equality come first, then those that sort.
  private static func fix(_ columns: ComparedColumns) -> String {
    let names =
      columns.equal + columns.sorted.filter { !columns.equal.contains($0) && $0 != "Z_PK" }
    let list = names.joined(separator: ", ")
    return """
      declare an index on \(list) in the entity of \(columns.table): it gives the rows in this \
      order
      """
  }
}

extension StatementProfile {
  /// Whether each run sorts rows enough to matter: as counted, or else by its plan.
  func sortsMuch(_ workload: Workload) -> Bool {
    let isLarge =
      work.perRun(\.rows) >= UseIndexForSort.fewestRows
      || (work.limited > 0 && work.perRun(\.vmSteps) >= UseIndexForSort.fewestSteps)
    let sorts =
      isCounted
      ? work.perRun(\.sorts) >= 1
      : workload.judgement(of: self)?.sortsByTemporaryBTree == true
    return sorts && isLarge
  }

  /// Whether its ORDER BY names one of Core Data's collations.
  var sortsByLocale: Bool {
    guard let sql = sql?.uppercased(), let order = sql.ranges(of: " ORDER BY ").last else {
      return false
    }
    return sql[order.upperBound...].contains(" COLLATE NSCOLLATE")
  }

  var sortText: String {
    let steps = isCounted ? " in \(work.perRun(\.vmSteps).counted("step"))" : ""
    return """
      Each run sorts its rows\(steps) to return \(work.perRun(\.rows).wholeText)\(runsText).
      """
  }

  var sortEvidence: [Finding.Evidence] {
    [
      .init("runs", work.count), .init("rows", work.rows), .init("sorts", work.sorts),
      .init("vmSteps", work.vmSteps), .init("connectionNs", work.connectionTime),
    ]
  }
}
