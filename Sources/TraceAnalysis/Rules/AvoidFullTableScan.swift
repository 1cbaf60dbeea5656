// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidFullTableScan: Rule {
  static let explanation = RuleExplanation(
    problem: "a full scan",
    law: "A fetch finds its rows by an index instead of stepping through a table.",
    reason: "The cost of a scan grows with the table, however few rows are returned.",
    bad: """
      SELECT … FROM ZSTOP t0 WHERE  t0.ZLONGITUDE >= ?
      -- SCAN t0
      """,
    good: """
      static let indexes = [Index(\\.longitude)]
      CREATE INDEX ZSTOP_ZLONGITUDE ON ZSTOP (ZLONGITUDE)
      SELECT … FROM ZSTOP t0 WHERE  t0.ZLONGITUDE >= ?
      -- SEARCH t0 USING INDEX ZSTOP_ZLONGITUDE (ZLONGITUDE>?)
      """,
    limits: """
      Reported when a run reads 500 rows or more, and four or more for each row that it returns: the bound of
      Documentation/Verdicts.md, which `plans` and `gate` use as well. Small tables are not reported, nor are fetches
      that return most of the rows that they read. A note where no index that was tried, and no other text, reads fewer
      rows, as of groups of a whole table, and where the program removed a table or a column of the statement later, as
      a migration does. A scan that another rule explains (a deep offset, a sort, a text search, an
      automatic index, a correlated subquery) is reported by that rule alone. If a log has no counters, like
      Core Data's, a run on `--database`, or the plan and the size of the table, are used instead.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      guard statement.scanCause == .table else { return nil }
      return finding(statement, workload)
    }
  }

  private func finding(_ statement: JudgedStatement, _ workload: Workload) -> Finding {
    let judgement = statement.judgement
    let scan = judgement.largestScan
    let isCounted = statement.profile.isCounted && judgement.hasCountsOfTrace
    var evidence = statement.profile.scanEvidence
    if let rows = scan?.size?.rows { evidence.append(.init("tableRows", rows)) }
    return Finding(
      rule: Self.name,
      severity: statement.hasFixOfScan && !statement.isOfEarlierSchema ? .warning : .note,
      confidence: isCounted ? .high : .medium, statement: statement.id,
      caller: statement.profile.mainCaller, object: isCounted ? "" : scan?.table ?? "",
      message: walkText(statement, scan)
        ?? (isCounted && scan?.isVirtual != true
          ? countedText(statement) : plannedText(statement, scan)),
      evidence: evidence, fix: fix(statement, scan, workload), saving: statement.scanSaving)
  }

  private func countedText(_ statement: JudgedStatement) -> String {
    // Nothing is compared: no index finds fewer rows, and one may be there.
    let how = statement.comparesNothing ? "" : " without an index"
    return """
      Each run steps through \(statement.work.perRun(\.fullScanSteps).counted("row")) of a table\
      \(how)\(statement.averageText(\.fullScanSteps))\(statement.resultText())\
      \(statement.runsText).
      """
  }

  /// Where an index is read as a whole, since every row counts; otherwise nil.
  private func walkText(_ statement: JudgedStatement, _ scan: PlanJudgement.Scan?) -> String? {
    guard let scan, let index = scan.index, statement.comparesNothing,
      statement.judgement.hasCountsOfTrace
    else { return nil }
    return """
      Each run reads all of '\(scan.table ?? scan.name)' in the order of the index '\(index)', \
      \(UInt64(exactly: statement.stepsPerRun.rounded())?.counted("row") ?? "all rows")\
      \(statement.averageText(\.fullScanSteps))\(statement.resultText(after: ","))\(statement.runsText).
      """
  }

  /// Without counters, or with the counters of another plan.
  private func plannedText(_ statement: JudgedStatement, _ scan: PlanJudgement.Scan?) -> String {
    let change =
      statement.judgement.change == .nowScans
      ? " The trace counted no scan: the plan has changed since the trace." : ""
    if let scan, scan.size == nil, statement.judgement.evidence == .plan, let plan = statement.plan
    {
      return """
        By the plan in the log (\(plan.nodes.map(\.detail).joined(separator: "; "))) each run reads \
        all rows of '\(scan.table ?? scan.name)'\(statement.resultText())\(statement.runsText).
        """
    }
    guard let scan, let size = scan.size else {
      return """
        A run here takes \(statement.stepsPerRun.counted("full-scan step"))\
        \(statement.resultText())\(statement.runsText).\(change)
        """
    }
    return """
      By its plan each run reads all \(UInt64(size.rows).grouped) rows of \
      '\(scan.table ?? scan.name)'\(statement.resultText())\(statement.runsText).\(change)
      """
  }

  private func fix(
    _ statement: JudgedStatement, _ scan: PlanJudgement.Scan?, _ workload: Workload
  ) -> String {
    if statement.isOfEarlierSchema {
      return """
        no index was tried, because the program removed a table or a column of the statement later: a migration may \
        read a table once; a statement that runs again needs an index on the columns that it compares
        """
    }
    if let scan, scan.isVirtual { return Self.fixOfModule(statement, scan) }
    if let fix = Self.fixOfBookkeeping(scan?.table ?? statement.comparedColumns?.table) {
      return fix
    }
    if statement.judgement.change == .otherPlan {
      return """
        the plan here has no scan, but the trace counted one: compare the database, the settings \
        (case_sensitive_like), the functions and the indexes that the program had when it ran
        """
    }
    if !statement.judgement.obstacles.isEmpty {
      let tried = statement.judgement.indexes ?? scan?.indexes ?? []
      let condition =
        statement.judgement.obstacles.contains { $0.isOfLike }
        ? "if the pattern begins with text, " : ""
      let index =
        tried.isEmpty ? [] : [IndexFix(tried, entity: statement.entity).sentence]
      return condition
        + (index + statement.judgement.obstacles.map(\.sentence)).joined(separator: "; or ")
    }
    if statement.clauses.readsExtremes {
      return """
        read each in a SELECT of its own, which takes one row of an index on its column: SELECT \
        (SELECT min(a) FROM t), (SELECT max(a) FROM t)
        """
    }
    let isElsewhere =
      statement.plan != nil && statement.judgement.unexplainedFullScanSteps != nil
    if isElsewhere || statement.comparedColumns == nil {
      let references = statement.judgement.unindexedReferences
      if !references.isEmpty { return Self.fix(references) + statement.fixOfReplace }
      if let trigger = statement.judgement.triggerScans.first { return Self.fix(trigger) }
    }
    if let tried = scan?.indexes, !isElsewhere { return fix(statement, scan, tried) }
    let expression = ComparedExpression.all(in: statement.qualifiedSQL).first
    if let expression, expression.hasCollation || statement.comparedColumns == nil {
      return IndexCandidate(expression).sql
    }
    if var columns = statement.comparedColumns, !isElsewhere {
      columns.schema = columns.schema ?? scan?.schema
      return statement.sentence(IndexFix(columns, entity: statement.entity))
    }
    if let fix = statement.fixOfView ?? fixOfProgramFunction(statement) { return fix }
    if isElsewhere, statement.judgement.isOfWrite {
      return """
        index the columns that refer to its table: triggers and foreign keys look rows up in \
        other tables
        """
    }
    if let table = scan?.table { return fixWithoutIndex(statement, scan, table) }
    return workload.database == nil
      ? "see which table is scanned with: trace-report plans INPUT --database FILE"
      : "index the columns that it compares, or keep its result"
  }
}

extension AvoidFullTableScan {
  /// - Parameter tried: the indexes that SQLite would use.
  private func fix(
    _ statement: JudgedStatement, _ scan: PlanJudgement.Scan?, _ tried: [IndexCandidate]
  ) -> String {
    if let fix = statement.triedFix { return fix }
    let sorting = statement.sortsRows ? statement.judgement.sortIndexes ?? [] : []
    let indexes = tried.isEmpty ? sorting : tried
    if !indexes.isEmpty {
      let others = statement.judgement.indexesOfOtherSelects(than: scan, indexes)
      return
        ([statement.sentence(IndexFix(indexes, entity: statement.entity))]
        + others.map { statement.sentence(IndexFix([$0], entity: statement.entity)) }).joined(
          separator: "; ")
    }
    return statement.fixOfView ?? fixOfProgramFunction(statement)
      ?? fixWithoutIndex(statement, scan, scan?.table ?? "")
  }

  private func fixWithoutIndex(
    _ statement: JudgedStatement, _ scan: PlanJudgement.Scan?, _ table: String
  ) -> String {
    guard statement.isGrouped else {
      if statement.compares(table) { return Self.withoutFasterIndex(scan) }
      if statement.clauses.isDistinct {
        return "keep the values that it lists from '\(table)' in a table of their own"
      }
      if let list = statement.clauses.listColumn {
        return """
          keep the elements of '\(list)' in a table of their own, a row for each, with an index on them: no index \
          finds rows by a part of a column
          """
      }
      if statement.clauses.windowsInSubquery {
        return """
          a window numbers all rows of '\(table)' before a WHERE around it keeps some: read the first row of each part \
          by GROUP BY with max() or min(), or by a subquery with ORDER BY and LIMIT 1 for each part
          """
      }
      return """
        no index finds its rows: compare columns of '\(table)' with values by =, <, BETWEEN, IN or \
        IS, not within other expressions
        """
    }
    let store = """
      store the sum or the list that it computes from '\(table)' in a separate row and keep it \
      up to date
      """
    return scan?.index == nil ? "\(store), or index the columns that it reads" : store
  }

  private static func fixOfBookkeeping(_ table: String?) -> String? {
    guard let table, BookkeepingTable.isNamed(table) else { return nil }
    return BookkeepingTable.isFromHistory(table)
      ? """
      make no index on '\(table)', which is Core Data's own: delete the history that every target \
      has read (NSPersistentHistoryChangeRequest.deleteHistory)
      """
      : "make no index on '\(table)', which is Core Data's own: fetch less often, or fewer objects"
  }

  private static func withoutFasterIndex(_ scan: PlanJudgement.Scan?) -> String {
    let trial =
      scan?.indexes == nil
      ? "no index was tried" : "no index that was tried makes it faster"
    return "\(trial): keep its result, or read fewer rows"
  }

  private static func fix(_ references: [PlanJudgement.Reference]) -> String {
    let indexes = references.map {
      IndexFix(table: $0.table, columns: $0.columns, entity: "").sentence
    }
    return "index the foreign keys that refer to it: \(indexes.joined(separator: "; "))"
  }

  private static let module =
    "a virtual table that finds rows by rowid alone or by its own search: keep the rowid in"

  private static func fixOfModule(
    _ statement: JudgedStatement, _ scan: PlanJudgement.Scan
  ) -> String {
    let name = scan.table ?? scan.name
    let equal = statement.comparedColumns?.equal ?? []
    let written = statement.sql.flatMap { WrittenTable(sql: $0) }?.table
    guard written?.lowercased() == name.lowercased() || !equal.isEmpty else {
      return "search '\(name)' by its index: MATCH for full text, bounds for boxes"
    }
    let columns = equal.isEmpty ? "the compared columns" : equal.joined(separator: ", ")
    return "'\(name)' is \(module) a table with an index on \(columns), and compare it"
  }

  static func fix(_ trigger: PlanJudgement.TriggerScan) -> String {
    let scan = trigger.scan
    let cause = "the trigger '\(trigger.trigger)' reads all of '\(scan.table ?? scan.name)'"
    if scan.isVirtual {
      return """
        \(cause), \(module) the triggering table and compare it, and run the trigger only WHEN a value has \
        changed
        """
    }
    if let tried = scan.indexes {
      return tried.isEmpty
        ? "\(cause), and no index finds its rows"
        : "\(cause): \(IndexFix(tried, entity: "").sentence)"
    }
    if let expression = scan.comparedExpression, scan.comparedColumns.isEmpty {
      return "\(cause): \(IndexCandidate(expression).sql)"
    }
    guard !scan.comparedColumns.isEmpty else { return "\(cause): index the columns it compares" }
    let index = IndexFix(
      table: scan.table ?? scan.name, columns: scan.comparedColumns, entity: "")
    return "\(cause): \(index.sentence)"
  }

  /// An index can call a function that the program makes, if the program states that it is deterministic.
  private func fixOfProgramFunction(_ statement: JudgedStatement) -> String? {
    let expressions = ComparedExpression.all(
      in: statement.qualifiedSQL, programFunctions: statement.standIns)
    guard let expression = expressions.first,
      let function = statement.standIns.first(where: expression.calls)
    else { return nil }
    return """
      store the result of '\(function)' in a column and index that; or make the function \
      deterministic in every program that writes to the table, and: \(IndexCandidate(expression).sql)
      """
  }
}

extension JudgedStatement {
  fileprivate var fixOfReplace: String {
    clauses.replacesRows ? "; \(PlanJudgement.fixOfReplace)" : ""
  }

  /// Whether an index that was tried, or another text, reads fewer rows, or nothing was tried that might.
  fileprivate var hasFixOfScan: Bool {
    let scan = judgement.largestScan
    let tried = scan?.indexes.map { $0 + (sortsRows ? judgement.sortIndexes ?? [] : []) }
    return tried.map { !$0.isEmpty } ?? !(isGrouped ? comparesNothing : readsAll)
      || scan?.isVirtual == true && clauses.hasTerms
      || judgement.change != nil
      // A number that is counted once, as at the start of a program, takes its time once.
      || judgement.obstacles.contains { $0.reason != .count || profile.work.count > 1 }
      || !judgement.unindexedReferences.isEmpty || !judgement.triggerScans.isEmpty
      || !standIns.isEmpty || clauses.readsExtremes || fixOfView != nil
  }

  /// Whether no index can find fewer rows: the statement compares neither columns nor expressions.
  fileprivate var comparesNothing: Bool {
    comparedColumns == nil && ComparedExpression.all(in: qualifiedSQL).isEmpty
  }

  /// Whether it needs each row, in any order.
  private var readsAll: Bool { !clauses.hasTerms && !clauses.isDistinct && !sortsRows }

  /// Whether it compares columns or expressions of a table as an index might serve.
  fileprivate func compares(_ table: String) -> Bool {
    ComparedColumns.all(in: qualifiedSQL).contains {
      !($0.filtered + $0.joined).isEmpty && $0.areOf(table)
    }
      || ComparedExpression.all(in: qualifiedSQL).contains {
        $0.table.lowercased() == table.lowercased()
      }
  }

  /// The result of a run: ` to return 15`, or ` to change 15` of a statement that writes; "" where the input
  /// has no rows.
  func resultText(after mark: String = "") -> String {
    guard profile.work.known(\.rows) != nil || (profile.work.changes ?? 0) > 0 else {
      return ""
    }
    let writes = (profile.work.changes ?? 0) > profile.work.rows
    return "\(mark) to \(writes ? "change" : "return") \(rowsPerRun.wholeText)"
  }

  /// Rows that a run returns, or changes.
  private var rowsPerRun: Double {
    profile.statementWork.perRun(\.rows)
  }

  /// The time in SQLite for rows that were not returned.
  var scanSaving: Finding.Saving? {
    let steps = stepsPerRun
    // The plan of a log has no steps.
    guard steps > 0 || judgement.evidence != .plan else { return nil }
    let wanted = steps > 0 ? min(rowsPerRun / steps, 1) : 1
    return Finding.Saving(
      atMost: Int64(exactly: (Double(profile.work.connectionTime) * (1 - wanted)).rounded()) ?? 0,
      basis: "the time in SQLite for rows that were not returned")
  }
}
