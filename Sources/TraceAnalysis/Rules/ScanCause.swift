// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The cause of a scan, which decides which rule reports it.
enum ScanCause {
  case deepOffset, automaticIndex, correlatedSubquery, stringSearch, localeSort, sort, table
}

extension Rules {
  /// The rules that report a full scan, each for a different cause.
  public static let ofScans: Set<String> = [
    AvoidDeepOffset.name, AvoidAutomaticIndex.name, AvoidScanInCorrelatedSubquery.name,
    UnindexedStringSearch.name, UseStoredSortKey.name, UseIndexForSort.name,
    AvoidFullTableScan.name, AvoidCostlySearch.name,
  ]
}

extension JudgedStatement {
  /// Nil unless the judge calls it a full scan.
  var scanCause: ScanCause? {
    // Runs that all failed show no scan.
    guard judgement.verdict == .fullScan, work.errors == 0 || work.errors < work.count else {
      return nil
    }
    let steps = stepsPerRun
    if skippedRows > 0, skippedRows >= steps / 2 { return .deepOffset }
    if judgement.correlatedScan != nil { return .correlatedSubquery }
    if profile.statementWork.fillsAutomaticIndex { return .automaticIndex }
    if judgement.evidence != .counted, !judgement.automaticIndexes.isEmpty,
      judgement.suspects.isEmpty
        || judgement.work?.fillsAutomaticIndex == true
    {
      return .automaticIndex
    }
    if judgement.largestScan?.isVirtual == true { return .table }
    let tried = judgement.largestScan?.indexes
    let compared = Set((comparedColumns?.filtered ?? []).map { $0.lowercased() })
    let onlyText =
      tried?.allSatisfy { index in
        index.expression == nil && index.condition == nil
          && compared.isDisjoint(with: index.columns.map { $0.lowercased() })
      } ?? (comparedColumns == nil)
    if onlyText, profile.searchesStrings, judgement.obstacles.isEmpty { return .stringSearch }
    let finds =
      tried.map { !$0.isEmpty }
      ?? (comparedColumns != nil || !ComparedExpression.all(in: qualifiedSQL).isEmpty)
    if !finds, sortsRows, !isGrouped, work.limited > 0 || limitsRows {
      return clauses.sortsByLocale ? .localeSort : .sort
    }
    return .table
  }

  private var work: StatementCounts { profile.work }

  /// Whether an object store ran it, rather than a program that writes its SQL itself.
  var isOfObjects: Bool { !profile.entity.isEmpty }

  /// The columns that an index could serve: columns of the scanned table, or without a plan of the
  /// first table with columns that WHERE compares.
  var comparedColumns: ComparedColumns? {
    let all = ComparedColumns.all(in: qualifiedSQL)
    let filtered = all.filter { !$0.filtered.isEmpty }
    guard let scan = judgement.largestScan, let table = scan.table else {
      return filtered.first { !$0.filtered.allSatisfy(\.isProbablyKey) }
    }
    let ofTable = { (columns: ComparedColumns) in columns.areOf(table) }
    guard var columns = filtered.first(where: ofTable) ?? all.first(where: ofTable),
      !(columns.filtered + scan.comparedColumns).isEmpty
    else { return nil }
    // Another table can be read first if this one is then found by the columns of the join.
    let joined = scan.comparedColumns.filter { !columns.filtered.containsName($0) }
    columns.equal.insert(contentsOf: joined, at: 0)
    return columns
  }

  /// Full-scan steps of a run: counted, measured, or as many as the scanned table has rows.
  var stepsPerRun: Double {
    if profile.isCounted, judgement.hasCountsOfTrace { return work.perRun(\.fullScanSteps) }
    if let steps = judgement.work?.perRun(\.fullScanSteps), steps > 0 { return steps }
    return Double(judgement.largestScan?.size?.rows ?? 0)
  }

  /// Rows that OFFSET skips, per run: from the source, from the text, or from the rows that were read
  /// and not returned.
  var skippedRows: Double {
    let traced = work.perRun(\.offset)
    guard traced == 0 else { return traced }
    let clauses = clauses
    if let offset = clauses.offset { return Double(offset) }
    // Without a WHERE and a sort, only the offset discards rows that were read.
    guard clauses.onlyOffsetDiscards, work.sorts == 0, profile.isCounted else { return 0 }
    // A scan of n rows takes n - 1 steps.
    let read = work.fullScanSteps > 0 ? work.perRun(\.fullScanSteps) + 1 : 0
    return max(read - work.perRun(\.rows), 0)
  }

  /// Rows that OFFSET skips in all runs.
  var allSkipped: UInt64 {
    UInt64(exactly: (skippedRows * Double(work.count)).rounded()) ?? 0
  }

  var skipsRows: Bool {
    skippedRows >= AvoidDeepOffset.minSkipped
      && skippedRows >= work.perRun(\.rows) * AvoidDeepOffset.minSkippedPerRow
  }

  /// Whether it sorts groups, not rows of a table.
  var isGrouped: Bool { clauses.isGrouped }

  var limitsRows: Bool { clauses.hasLimit }

  /// Whether each run sorts for its ORDER BY, or for a window, as counted, otherwise by its plan.
  var sortsRows: Bool {
    guard clauses.hasOrderBy || clauses.hasWindow else { return false }
    // An index of plain text never has that order.
    if isTextOnly { return clauses.sortsByLocale }
    let byPlan = plan.map { _ in judgement.sortsByTemporaryBTree }
    // The counter has sorts for GROUP BY and DISTINCT as well; a plan shows which.
    return profile.isCounted ? work.perRun(\.sorts) >= 1 && byPlan != false : byPlan == true
  }
}

extension String {
  /// Whether a column has a name that is mostly that of an integer primary key, which needs no index.
  var isProbablyKey: Bool {
    ["id", "_id", "rowid", "oid", "_rowid_", "pk", "z_pk"].contains(lowercased())
  }
}

extension PlanJudgement {
  /// The largest table that is read from end to end without need, outside correlated subqueries.
  var largestScan: Scan? {
    suspects.filter { !$0.isInCorrelatedSubquery && $0.table != nil }
      .max { ($0.size?.rows ?? 0) < ($1.size?.rows ?? 0) }
  }

  /// The indexes for the tables that other SELECTs of the statement read from end to end, such as
  /// the arms of a UNION.
  func indexesOfOtherSelects(than scan: Scan?, _ own: [IndexCandidate]) -> [IndexCandidate] {
    guard scan?.isOutermost == true else { return [] }
    return suspects.filter { $0.isOutermost && !$0.isInCorrelatedSubquery && $0 != scan }
      .indexes(except: own)
  }

  /// The indexes for the tables that other subqueries read for each row of the outer SELECT.
  func indexesOfOtherSubqueries(than scan: Scan, _ own: [IndexCandidate]) -> [IndexCandidate] {
    suspects.filter { $0.isInCorrelatedSubquery && $0 != scan }.indexes(except: own)
  }

  /// A table that is read from end to end once for every row of the outer SELECT.
  var correlatedScan: Scan? {
    suspects.first { $0.isInCorrelatedSubquery && $0.table != nil }
  }
}

extension [PlanJudgement.Scan] {
  fileprivate func indexes(except own: [IndexCandidate]) -> [IndexCandidate] {
    compactMap(\.indexes).joined().reduce(into: []) { indexes, index in
      if !own.contains(index), !indexes.contains(index) { indexes.append(index) }
    }
  }
}
