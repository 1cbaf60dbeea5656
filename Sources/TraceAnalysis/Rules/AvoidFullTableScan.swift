// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// A fetch finds its rows by an index instead of stepping through a table.
///
/// A scan costs as much as the table is long, however few rows are wanted.
///
///     SELECT … FROM ZSTOP t0 WHERE t0.ZLONGITUDE >= ?      -- SCAN t0
///     CREATE INDEX … ON ZSTOP (ZLONGITUDE)
///     SELECT … FROM ZSTOP t0 WHERE t0.ZLONGITUDE >= ?      -- SEARCH t0 USING INDEX …
///
/// Small tables are left alone, and so are fetches that return most of what they step through.
struct AvoidFullTableScan: Rule {
  // 500 is arbitrary: fewer steps take less time than the rest of a fetch.
  static let fewestSteps = 500.0
  // A quarter and more of the rows wanted: a scan is then about as fast as an index.
  static let fewestStepsPerRow = 4.0

  func check(_ profile: Profile) -> [Finding] {
    profile.statements.compactMap { statement in
      guard statement.scansInVain else { return nil }
      let columns = ComparedColumns.all(in: statement.sql ?? "").first { !$0.filtered.isEmpty }
      if columns == nil, statement.searchesStrings { return nil }
      return finding(statement, columns)
    }
  }

  private func finding(_ statement: StatementProfile, _ columns: ComparedColumns?) -> Finding {
    let work = statement.work
    return Finding(
      rule: "AvoidFullTableScan", severity: .warning, statement: statement.id,
      caller: statement.mainCaller,
      message: """
        Each run steps through \(work.perRun(\.fullScanSteps).wholeText) rows of a table without \
        an index to return \(work.perRun(\.rows).wholeText)\(statement.runsText).
        """,
      evidence: [
        .init("runs", work.count), .init("rows", work.rows),
        .init("fullScanSteps", work.fullScanSteps), .init("connectionNs", work.connectionTime),
      ], fix: columns.map(Self.fix) ?? Self.fixUnknown,
      savesAtMost: statement.savingIfOnlyRowsWereRead)
  }

  /// One index for all terms that AND joins, one for each term that OR joins.
  private static func fix(_ columns: ComparedColumns) -> String {
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

extension StatementProfile {
  /// Whether it steps through many rows of a table, and through far more than it returns.
  var scansInVain: Bool {
    work.perRun(\.fullScanSteps) >= AvoidFullTableScan.fewestSteps
      && Double(work.fullScanSteps)
        >= Double(work.rows) * AvoidFullTableScan.fewestStepsPerRow
  }

  /// The time in SQLite, less the part of the rows that were wanted.
  var savingIfOnlyRowsWereRead: Int64 {
    let wanted = Double(work.rows) / Double(max(work.fullScanSteps, 1))
    return Int64(exactly: (Double(work.connectionTime) * (1 - wanted)).rounded()) ?? 0
  }
}
