// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import StoreEvents

extension PlanVerdict {
  /// The word on a terminal.
  var words: String {
    switch self {
    case .search: "search"
    case .harmlessScan: "harmless scan"
    case .costlySearch: "COSTLY SEARCH"
    case .mayScan: "MAY SCAN"
    case .fullScan: "FULL SCAN"
    case .error: "error"
    case .noPlan: "no plan"
    }
  }

  var ink: TextStyle.Ink {
    switch self {
    case .search: .green
    case .harmlessScan: .cyan
    case .costlySearch: .red
    case .mayScan: .yellow
    case .fullScan: .red
    case .error: .yellow
    case .noPlan: .faint
    }
  }
}

extension PlanJudgement.Scan {
  private var tableName: String { table ?? name }

  private var rows: String {
    guard let size else { return "" }
    if size.isEstimate { return " (SQLite's estimate: \(size.rows.counted("row")) or more)" }
    return " (\(size.isAtLeast ? "at least " : "")\(size.rows.counted("row")))"
  }

  /// The tables that are read, and whether that matters.
  var sentence: String {
    switch harmlessBecause {
    case nil: fullScanSentence
    case .constantRow: "reads a constant row, no table"
    case .subqueryResult: "reads the rows of '\(name)', a subquery"
    case .limit: "scans '\(tableName)'\(rows), but LIMIT ends the scan"
    case .smallTable: "scans '\(tableName)'\(rows): a small table"
    case .entryCount: "counts the entries of '\(tableName)'\(rows) page by page"
    case .returnsAll: "scans '\(tableName)'\(rows), and returns or changes most of what it reads"
    case .partialIndex:
      "reads the partial index '\(index ?? "")' of '\(tableName)'\(rows), which holds the rows of its WHERE"
    case .virtualTable: "searches the virtual table '\(tableName)' by the index of its module"
    case .valueList: "reads '\(tableName)', the values of an IN list"
    case .countedFew:
      "scans '\(tableName)'\(rows), but the trace counted fewer than "
        + "\(UInt64(ScanBound.minRows)) full-scan steps a run"
    case .measuredFew:
      "scans '\(tableName)'\(rows), but a run here took fewer than "
        + "\(UInt64(ScanBound.minRows)) full-scan steps"
    }
  }

  private var fullScanSentence: String {
    guard isCertain else {
      return
        "may read every row of '\(tableName)'\(rows): it stops early only if the values allow it"
    }
    if isPartial, comparedColumns.isEmpty, comparedExpression == nil {
      return "reads every entry of the partial index '\(index ?? "")' of '\(tableName)'\(rows)"
    }
    let how = index.map { ", in the order of index '\($0)'" } ?? ""
    let often = isInCorrelatedSubquery ? " once for every row of the outer SELECT" : ""
    let isServed = indexes.map { !$0.isEmpty } ?? isCompared
    let why =
      !hasFilter
      ? ""
      : isVirtual
        ? "; its module finds rows by rowid or by its own search alone"
        : isServed
          ? "; no index fits its WHERE"
          : isCompared
            ? "; no index that was tried makes it faster"
            : "; no WHERE term could use an index on its columns"
    return "reads every row of '\(tableName)'\(rows)\(how)\(often)\(why)"
  }

  /// The expression for the hint: with another collation, an index on the column cannot be used.
  private var hintedExpression: ComparedExpression? {
    comparedExpression.flatMap {
      comparedColumns.isEmpty || $0.hasCollation ? $0 : nil
    }
  }

  /// The columns or expressions that WHERE compares, for the hint.
  var comparedSentence: String {
    if let indexes {
      let columns = indexes.flatMap(\.columns)
      if indexes.contains(where: { !$0.isPlain }) || !hasFilter
        || !columns.allSatisfy(comparedColumns.contains)
      {
        return "an index of \(indexes.map(\.terms).joined(separator: ", and one of ")) serves it"
      }
      return "columns compared: \(columns.joined(separator: ", "))"
    }
    if let expression = hintedExpression { return "WHERE compares \(expression.text)" }
    return "columns compared: \(comparedColumns.joined(separator: ", "))"
  }

  /// An index that turns the scan into a search, by a trial; where none was possible, a guess.
  ///
  /// Nil beside an automatic index: its remark names the one to make.
  var indexHint: String? {
    guard harmlessBecause == nil, !isBesideAutomaticIndex, let table else { return nil }
    if let indexes {
      return indexes.isEmpty ? nil : indexes.map(\.sql).joined(separator: "; ")
    }
    if isVirtual { return nil }
    if let expression = hintedExpression { return IndexCandidate(expression).sql }
    return comparedColumns.isEmpty ? nil : guess(table).sql
  }

  private func guess(_ table: String) -> IndexCandidate {
    // `archive.stop`
    let prefix = schema.map { "\($0)." } ?? ""
    let isQualified = !prefix.isEmpty && table.lowercased().hasPrefix(prefix.lowercased())
    var index = IndexCandidate(
      table: isQualified ? String(table.dropFirst(prefix.count)) : table, equal: comparedColumns,
      order: [])
    index.schema = schema
    return index
  }

  /// The same indexes, before they are SQL.
  fileprivate var hintedIndexes: [IndexCandidate] {
    guard indexHint != nil else { return [] }
    if let indexes { return indexes }
    return hintedExpression.map { [IndexCandidate($0)] }
      ?? [guess(table ?? name)]
  }
}

extension PlanJudgement {
  /// Other remarks on the plan.
  var remarks: [String] {
    var remarks = [basis].compactMap(\.self)
    switch change {
    case .nowScans:
      remarks.append(
        "the plan has changed since the trace, which counted no such scan; check whether an index was dropped"
      )
    case .noLongerScans:
      remarks.append(
        "the plan has changed since the trace, which counted full scans: this plan has none"
      )
    case .otherPlan:
      remarks.append(
        "the trace counted full scans, and this plan has none: the statement ran with another plan (another "
          + "database, a setting or a function of the program, or an index that was created later)")
    case nil: break
    }
    if let otherVersion {
      remarks.append(
        "the statement ran in SQLite \(otherVersion), and this plan is from SQLite \(Connection.libraryVersion): "
          + "the plan may have been another one")
    }
    if let unendedSteps {
      remarks.append(
        "did not end within \(unendedSteps.grouped) VM steps\(isRecursive ? "; check that its recursion ends" : "")"
      )
    }
    remarks += excess.map(\.remarks) ?? []
    remarks += rewrites
    remarks += temporaryBTrees.map { purpose in
      let isOrder = isWorthAnOrder && purpose.hasSuffix("ORDER BY")
      let isNeeded = isOrder && suspects.allSatisfy { $0.indexes?.isEmpty != false }
      let hint = (isNeeded ? sortIndexes ?? [] : []).map { "; try \($0.sql)" }.joined()
      return "uses a temporary b-tree for \(purpose): no index has that order\(hint)"
    }
    for table in automaticIndexes {
      let hint = automaticIndexHint(table).map { "; try \($0)" } ?? ""
      remarks.append(
        "builds an automatic index on '\(table)' in every run: a permanent index is cheaper\(hint)")
    }
    if correlatedSubqueries > 0 {
      remarks.append(
        "runs a correlated subquery once for each row that the terms before it keep: "
          + (SubqueryOrder.isDeferred
            ? "SQLite \(SubqueryOrder.sqliteVersion) evaluates it last, wherever it is written; for older versions, "
            : "") + "write terms that discard rows before it")
    }
    remarks += partialSearches.map { search in
      let columns = search.served + search.others
      let index = IndexCandidate(table: search.table, equal: columns, order: [])
      return "the index '\(search.index)' finds rows by \(search.served.joined(separator: ", ")) "
        + "alone, and \(search.others.joined(separator: ", ")) is compared row by row; replace it by an "
        + "index on all of these columns: \(index.sql)"
    }
    if !otherPlan.isEmpty {
      remarks.append("this database has another plan: \(otherPlan.joined(separator: "; "))")
    }
    if let steps = unexplainedFullScanSteps {
      let hint =
        isOfWrite && triggerScans.isEmpty
        ? "; check triggers, and foreign keys without an index" : ""
      remarks.append(
        "this plan does not explain \(steps.counted("full-scan step")) a run\(hint)")
    }
    remarks += unindexedReferences.map {
      "the write looks for rows of '\($0.table)' by a foreign key without an index; try "
        + $0.index.sql
    }
    remarks += triggerScans.map { scan in
      "the trigger '\(scan.trigger)' \(scan.scan.sentence)"
        + (scan.scan.indexHint.map { "; try \($0)" } ?? "")
    }
    remarks += triggerAggregates.map {
      "the trigger '\($0.trigger)' computes an aggregate of rows of '\($0.table)' again for each row that is written"
    }
    return remarks + [gainSentence].compactMap(\.self)
  }

  /// The steps that the largest set of indexes saved on a copy, or that none was measured.
  private var gainSentence: String? {
    guard !namedIndexes.isEmpty || !partialSearches.isEmpty else { return nil }
    guard let gain = gains.max(by: { $0.indexes.count < $1.indexes.count }) else {
      return "the index was not measured"
    }
    return "\(gain.indexes.count == 1 ? "the index was" : "the indexes were") tried on a copy: "
      + "\(gain.before.grouped) → \(gain.after.grouped) "
      + (gain.isOfPages ? "pages a run" : "VM steps a run")
  }

  /// The indexes of the hints and the remarks; indexes of one scan together.
  var hintedIndexes: [[IndexCandidate]] {
    let sorting = verdict == .fullScan ? sortIndexes ?? [] : []
    let lasting = lastingIndexes ?? automaticIndexColumns.map(\.index)
    var all: [[IndexCandidate]] = []
    for group in scans.map(\.hintedIndexes) + (sorting + lasting).map({ [$0] })
    where !group.isEmpty && !all.contains(group) { all.append(group) }
    return all
  }

  private var isWorthAnOrder: Bool { verdict.isCostly || !gains.isEmpty }

  /// All indexes of the text, each once.
  var namedIndexes: [IndexCandidate] {
    let sorting = isWorthAnOrder ? sortIndexes ?? [] : []
    let actions =
      unindexedReferences.map(\.index) + triggerScans.flatMap { $0.scan.indexes ?? [] }
    return (hintedIndexes.joined() + sorting + (excess?.indexes ?? []) + actions)
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The index that replaces the one that SQLite makes on a table, as AvoidAutomaticIndex has it.
  private func automaticIndexHint(_ table: String) -> String? {
    guard let lastingIndexes else {
      return automaticIndexColumns.first { $0.table == table }?.index.sql
    }
    let own = lastingIndexes.filter { index in
      // Those of other tables serve beside the first one.
      table == automaticIndexes.first
        ? !automaticIndexes.dropFirst().contains { $0.lowercased() == index.table.lowercased() }
        : table.lowercased() == index.table.lowercased()
    }
    return own.isEmpty ? nil : own.map(\.sql).joined(separator: "; try ")
  }

  /// The indexes that replace the ones that SQLite makes at each run.
  var automaticIndexHints: [String] {
    (lastingIndexes ?? automaticIndexColumns.map(\.index)).map(\.sql)
  }

  /// The counts that support the verdict, if it is not a search.
  private var basis: String? {
    guard let work, work.executions > 0, verdict.isCostly || verdict == .mayScan else {
      return nil
    }
    let built =
      work.automaticIndexRows > 0
      ? ", \(work.automaticIndexRows.counted("row")) put into automatic indexes" : ""
    // SQLite counts no full-scan steps of virtual tables.
    let isVirtual = work.fullScanSteps == 0 && suspects.contains(where: \.isVirtual)
    let steps =
      isVirtual || verdict == .costlySearch
      ? work.perRun(\.vmSteps).counted("VM step")
      : work.perRun(\.fullScanSteps).counted("full-scan step")
    let counts = """
      \(steps)\(built) for \
      \(work.perRun(\.rows).counted("row"))
      """
    switch evidence {
    case .counted: return "counted by the trace: \(counts) a run"
    case .measured: return "measured here: \(counts)"
    case .sampled: return "measured here with sampled values: \(counts)"
    case .plan: return nil
    }
  }
}

extension PlanJudgement.Excess {
  /// The cause of the work, and the index that halves it.
  fileprivate var remarks: [String] {
    var remarks: [String] = []
    if let pages { remarks.append("count(*) reads \(pages.counted("page"))") }
    if !terms.isEmpty {
      remarks.append("compared row by row, by no index: \(terms.joined(separator: "; "))")
    }
    if let extreme { remarks.append("reads all rows that WHERE finds for \(extreme)") }
    if sorts { remarks.append("sorts rows that LIMIT discards") }
    if let sortedMatches {
      remarks.append(
        "the text search finds its rows in the order of \(sortedMatches).rowid: sort by it, if that order will do"
      )
    }
    let hints = indexes.map(\.sql).joined(separator: "; ")
    return indexes.isEmpty ? remarks : remarks + ["hint: fewer steps with \(hints)"]
  }
}
