// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A fetch finds its rows by an index instead of stepping through a table.
struct AvoidFullTableScan: Rule {
  // 500 is arbitrary: fewer steps take less time than the rest of a fetch.
  static let fewestSteps = 500.0
  // A quarter and more of the rows wanted: a scan is then about as fast as an index.
  static let fewestStepsPerRow = 4.0

  static let explanation = RuleExplanation(
    law: "A fetch finds its rows by an index instead of stepping through a table.",
    reason: "A scan costs as much as the table is long, however few rows are wanted.",
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
      Speaks from 500 steps a run on, and from four steps for each row returned. Small tables are left alone, and so are
      fetches that return most of what they step through. Where a log has no counters, as Core Data's, the plan and the
      size of the table in `--database` take their place.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.statements.compactMap { statement -> Finding? in
      let judgement = workload.judgement(of: statement)
      if judgement?.correlatedScan != nil { return nil }
      let columns = ComparedColumns.all(in: statement.sql ?? "").first { !$0.filtered.isEmpty }
      if columns == nil, statement.searchesStrings { return nil }
      if statement.scansInVain { return counted(statement, columns) }
      guard !statement.isCounted, let scan = judgement?.largestScan else { return nil }
      return planned(statement, scan, columns)
    }
  }

  private func counted(_ statement: StatementProfile, _ columns: ComparedColumns?) -> Finding {
    let work = statement.work
    return Finding(
      rule: Self.name, confidence: .high, statement: statement.id, caller: statement.mainCaller,
      message: """
        Each run steps through \(work.perRun(\.fullScanSteps).counted("row")) of a table without \
        an index to return \(work.perRun(\.rows).wholeText)\(statement.runsText).
        """,
      evidence: statement.scanEvidence, fix: columns.map(Self.fix) ?? Self.fixUnknown,
      saving: statement.savingIfOnlyRowsWereRead)
  }

  /// Without counters: by the plan, and the rows that the table has now.
  private func planned(
    _ statement: StatementProfile, _ scan: PlanJudgement.Scan, _ columns: ComparedColumns?
  ) -> Finding? {
    let work = statement.work
    guard let size = scan.size, Double(size.rows) >= Self.fewestSteps,
      Double(size.rows) >= work.perRun(\.rows) * Self.fewestStepsPerRow
    else { return nil }
    let wanted = work.perRun(\.rows) / Double(size.rows)
    return Finding(
      rule: Self.name, confidence: .medium, statement: statement.id,
      caller: statement.mainCaller, object: scan.table ?? "",
      message: """
        By its plan each run reads all \(UInt64(size.rows).grouped) rows of \
        '\(scan.table ?? scan.name)' to return \(work.perRun(\.rows).wholeText)\
        \(statement.runsText).
        """,
      evidence: [
        .init("runs", work.count), .init("rows", work.rows), .init("tableRows", size.rows),
        .init("connectionNs", work.connectionTime),
      ], fix: columns.map(Self.fix) ?? Self.fixUnknown,
      saving: .init(
        atMost: Int64(exactly: (Double(work.connectionTime) * (1 - wanted)).rounded()) ?? 0,
        basis: "the time in SQLite, less the part of the table's rows that were wanted"))
  }

  /// One index for all terms that AND joins, one for each term that OR joins.
  static func fix(_ columns: ComparedColumns) -> String {
    let names = columns.filtered
    if columns.hasAlternatives, names.count > 1 {
      return
        "index each of \(names.joined(separator: ", ")) in \(columns.table): each OR needs its own"
    }
    let list = names.joined(separator: ", ")
    let name = ([columns.table] + names).joined(separator: "_")
    return """
      declare an index on \(list) in the entity of \(columns.table), or: \
      CREATE INDEX \(name) ON \(columns.table) (\(list))
      """
  }

  private static let fixUnknown =
    "see which table is scanned with: trace-report plans INPUT --database FILE"
}
