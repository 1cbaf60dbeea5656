// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A fetch of many rows reads them in the order of an index instead of sorting them.
struct UseIndexForSort: Rule {
  // Both are arbitrary: a few tenths of a millisecond on a current machine.
  static let minRows = 1000.0
  static let minSteps = 10_000.0

  static let explanation = RuleExplanation(
    law: "A fetch of many rows reads them in the order of an index instead of sorting them.",
    reason:
      "A sort reads all rows before it returns the first one; with a limit it sorts rows that are not returned.",
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
      Reported when ORDER BY sorts 1,000 rows a run or more, or takes 10,000 VM steps or more with a limit that discards
      the rest, or reads a whole table for a few rows with no WHERE that an index could serve. Sorts of few rows, GROUP
      BY and DISTINCT are not reported. The cost of the sort alone is not measured, so no saving is estimated. A
      localized sort is reported as UseStoredSortKey.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard statement.sortsMuch, !statement.profile.sortsByLocale else { return nil }
      return finding(statement)
    }
  }

  private func finding(_ statement: JudgedStatement) -> Finding {
    let columns = ComparedColumns.all(in: statement.qualifiedSQL).first { !$0.sorted.isEmpty }
    return Finding(
      rule: Self.name, confidence: statement.profile.isCounted ? .high : .medium,
      statement: statement.id, caller: statement.profile.mainCaller, message: statement.sortText,
      evidence: statement.profile.sortEvidence,
      fix: fix(statement, columns))
  }

  private func fix(_ statement: JudgedStatement, _ columns: ComparedColumns?) -> String {
    let tried = statement.judgement.sortIndexes
    if let tried, !tried.isEmpty { return IndexFix(tried, entity: statement.entity).sentence }
    if let view = statement.fixOfView { return view }
    if tried == nil, let columns {
      return IndexFix(sorting: columns, entity: statement.entity).sentence
    }
    return """
      no index has this order: sort by columns of one table, or store the value that it sorts by in \
      a column with an index
      """
  }
}

extension StatementProfile {
  /// Whether its ORDER BY names one of Core Data's collations.
  var sortsByLocale: Bool {
    guard let sql = sql?.uppercased(), let order = sql.ranges(of: " ORDER BY ").last else {
      return false
    }
    return sql[order.upperBound...].contains(" COLLATE NSCOLLATE")
  }

  var sortEvidence: [Finding.Evidence] {
    [
      .init("runs", work.count), .init("rows", work.rows), .init("sorts", work.sorts),
      .init("vmSteps", work.vmSteps), .init("connectionNs", work.connectionTime),
    ]
  }
}

extension JudgedStatement {
  /// Whether each run sorts enough rows to matter, and no other rule reports the statement.
  var sortsMuch: Bool {
    if let cause = scanCause { return cause == .sort || cause == .localeSort }
    guard !isGrouped else { return false }
    let work = profile.work
    let isLarge =
      work.perRun(\.rows) >= UseIndexForSort.minRows
      || (work.limited > 0 && work.perRun(\.vmSteps) >= UseIndexForSort.minSteps)
    return isLarge && sortsRows
  }

  var sortText: String {
    let work = profile.work
    let steps = profile.isCounted ? " in \(work.perRun(\.vmSteps).counted("step"))" : ""
    return """
      Each run sorts its rows\(steps) to return \(work.perRun(\.rows).wholeText)\(runsText).
      """
  }
}
