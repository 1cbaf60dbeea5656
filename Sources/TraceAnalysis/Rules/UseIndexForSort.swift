// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// A fetch of many rows reads them in the order of an index instead of sorting them.
///
/// A sort reads all rows before it gives the first one; with a limit it sorts what nobody sees.
///
///     SELECT … FROM ZSTOP t0 ORDER BY t0.ZNAME LIMIT 50     -- USE TEMP B-TREE FOR ORDER BY
///     CREATE INDEX … ON ZSTOP (ZNAME)
///     SELECT … FROM ZSTOP t0 ORDER BY t0.ZNAME LIMIT 50     -- SCAN t0 USING INDEX …
///
/// Sorts of few rows are left alone.
struct UseIndexForSort: Rule {
  // Both are arbitrary: some tenths of a millisecond on a machine of today.
  static let fewestRows = 1000.0
  static let fewestSteps = 10_000.0

  func check(_ profile: Profile) -> [Finding] {
    profile.statements.compactMap { statement in
      let work = statement.work
      let isLarge =
        work.perRun(\.rows) >= Self.fewestRows
        || (work.limited > 0 && work.perRun(\.vmSteps) >= Self.fewestSteps)
      guard work.perRun(\.sorts) >= 1, isLarge else { return nil }
      return finding(statement)
    }
  }

  private func finding(_ statement: StatementProfile) -> Finding {
    let work = statement.work
    let columns = ComparedColumns.all(in: statement.sql ?? "").first { !$0.sorted.isEmpty }
    return Finding(
      rule: "UseIndexForSort", severity: .warning, statement: statement.id,
      caller: statement.mainCaller,
      message: """
        Each run sorts its rows in \(work.perRun(\.vmSteps).wholeText) steps to return \
        \(work.perRun(\.rows).wholeText)\(statement.runsText).
        """,
      evidence: [
        .init("runs", work.count), .init("rows", work.rows), .init("sorts", work.sorts),
        .init("vmSteps", work.vmSteps), .init("connectionNs", work.connectionTime),
      ], fix: columns.map(Self.fix) ?? "index what its ORDER BY, DISTINCT or GROUP BY names")
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
