// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct UseIndexForSort: Rule {
  // Both are arbitrary: a few tenths of a millisecond on a current machine.
  static let minRows = 1000.0
  static let minSteps = 10_000.0

  static let explanation = RuleExplanation(
    problem: "a sort without an index",
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
      Reported when ORDER BY takes 10,000 VM steps or more with a limit that discards the rest, or reads a whole table for
      a few rows with no WHERE that an index could serve, or sorts 1,000 rows a run or more and an index that was tried
      halves its steps: where all rows are returned, only one that holds all columns does. The order of a window,
      `rank() OVER (ORDER BY …)`, is a sort as well. Sorts of few rows, GROUP
      BY and DISTINCT are not reported. Where no index was tried, 1,000 rows in the order
      of a column other than the key, without a limit and not only the keys, are a note: an index may have that order. The cost of the sort alone is not measured, so no saving is estimated. A
      localized sort is reported as UseStoredSortKey.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard !statement.clauses.sortsByLocale, statement.judgement.verdict != .noPlan else {
        return nil
      }
      return statement.sortsMuch ? finding(statement) : possible(statement)
    }
  }

  /// Without a trial: an index may have the order.
  private func possible(_ statement: JudgedStatement) -> Finding? {
    // The keys of a batched fetch are meant to be all of them.
    guard statement.isTextOnly || statement.sortsRows && statement.judgement.sortIndexes == nil,
      statement.kinds != [.ids], statement.clauses.hasOrderBy,
      !statement.clauses.hasLimit,
      !statement.isGrouped, !statement.clauses.isDistinct, statement.sortsManyRows,
      let columns = ComparedColumns.all(in: statement.qualifiedSQL).first(where: {
        !$0.sorted.isEmpty
      }),
      let column = columns.sorted.first, !column.isProbablyKey
    else { return nil }
    return Finding(
      rule: Self.name, severity: .note, confidence: .low,
      statement: statement.id, caller: statement.profile.mainCaller,
      message: """
        Each run returns \(statement.work.perRun(\.rows).counted("row")) in the order of '\(column)', \
        without a limit\(statement.runsText). \(statement.isTextOnly
          ? "If no index has that order, it sorts all of them."
          : "It sorts all of them, and no index was tried.")
        """,
      evidence: statement.profile.sortEvidence,
      fix: statement.sentence(IndexFix(sorting: columns, entity: statement.entity))
        + (statement.kinds == [.objects] ? "; and fetch them in batches (fetchBatchSize)" : ""))
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
    if let tried, !tried.isEmpty {
      return statement.sentence(IndexFix(tried, entity: statement.entity))
    }
    if let obstacle = statement.judgement.obstacles.first { return obstacle.sentence }
    if let matches = statement.judgement.excess?.sortedMatches {
      return """
        sort by \(matches).rowid (or by rank, in FTS5), in whose order the text search finds its rows, if that order \
        will do: no index of another table has it
        """
    }
    if let view = statement.fixOfView { return view }
    if statement.clauses.sortsRandomly {
      return """
        choose random keys before the rows are read, such as id >= abs(random()) % (SELECT max(id) FROM t): a sort by \
        random() reads and sorts all rows
        """
    }
    if tried == nil, let columns {
      return statement.sentence(IndexFix(sorting: columns, entity: statement.entity))
    }
    return """
      no index has this order: sort by columns of one table, or store the value that it sorts by in \
      a column with an index
      """
  }
}

extension StatementProfile {
  var sortEvidence: [Finding.Evidence] {
    evidence([.init("sorts", work.sorts), .init("vmSteps", work.vmSteps)])
  }
}

extension JudgedStatement {
  /// Whether each run sorts enough rows to matter, and no other rule reports the statement.
  var sortsMuch: Bool {
    if let cause = scanCause { return cause == .sort || cause == .localeSort }
    guard !isGrouped else { return false }
    let work = profile.work
    if let excess = judgement.excess {
      return excess.sorts && excess.textSearch == nil
        && (excess.terms.isEmpty || judgement.sortIndexes?.isEmpty == false
          || excess.sortedMatches != nil && excess.indexes.isEmpty)
    }
    guard sortsRows else { return false }
    if work.limited > 0, work.perRun(\.vmSteps) >= UseIndexForSort.minSteps { return true }
    guard sortsManyRows else { return false }
    // Of rows that are all returned, an index that does not hold them is read instead of the sort, for as many steps.
    return clauses.sortsByLocale || limitsRows || !profile.isCounted
      || judgement.sortIndexes?.isEmpty == false
  }

  fileprivate var sortsManyRows: Bool { profile.work.perRun(\.rows) >= UseIndexForSort.minRows }

  var sortText: String {
    let work = profile.work
    let steps = profile.isCounted ? " in \(work.perRun(\.vmSteps).counted("step"))" : ""
    return """
      Each run sorts its rows\(steps) to return \(work.perRun(\.rows).wholeText)\(runsText).
      """
  }
}
