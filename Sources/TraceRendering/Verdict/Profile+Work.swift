// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Profile {
  /// The work of a run in two lines.
  ///
  ///     1,204 statements returned 3,000 rows and read 1,200,000 rows in full scans; 12 commits.
  ///     3.02 s in SQLite: 90% running, 5% compiling, 5% waiting.
  var work: [String] {
    guard !isEmpty else { return [] }
    let rows = known(\.totals.rows).map { " returned \($0.counted("row"))" } ?? " ran"
    let subject =
      totals.isFromStore
      ? totals.fetches.counted("fetch", "fetches") + rows
      : (observed?.runs ?? 0).counted("statement") + rowsOfRuns
    let scans = rowsOfScans.map { " and read \($0.counted("row")) in full scans" } ?? ""
    let others = [
      (known(\.totals.faults) ?? 0).mentioned("fault"),
      (known(\.totals.saves) ?? 0).mentioned("save"),
      (observed?.changes ?? 0).mentioned("changed row"),
      waits.commits.mentioned("commit"), waits.busyWaits.mentioned("lock wait"),
      totals.errors.mentioned("error"),
    ].compactMap(\.self)
    let parts: [String?] = [subject + scans, others.isEmpty ? nil : others.joined(separator: ", ")]
    return [parts.compactMap(\.self).joined(separator: "; ") + "."] + timeSentence
  }

  private var rowsOfRuns: String {
    known(observed?.rows, .rows).map { " returned \($0.counted("row"))" } ?? " ran"
  }

  /// A count of all runs of the probe; nil where no input has it.
  func known(_ count: UInt64?, _ measure: Measures) -> UInt64? {
    let count = count ?? 0
    return count > 0 || measures.contains(measure) ? count : nil
  }

  private var timeSentence: [String] {
    guard let time = timeInDatabase else { return [] }
    var work = StatementCounts()
    for statement in statements { work.add(statement.work) }
    let split = work.timeSplit.map { ": \($0)" } ?? ""
    return [
      "\(Cell.duration(time).text) in \(totals.isFromStore ? "the store" : "SQLite")\(split)."
    ]
  }

  /// Nil where no input counts them, and where there are none.
  private var rowsOfScans: UInt64? {
    let steps = statements.compactMap { $0.work.known(\.fullScanSteps) }.reduce(0, &+)
    return steps > 0 ? steps : nil
  }
}

extension UInt64 {
  /// `12 commits`, or nil for none.
  fileprivate func mentioned(_ name: String) -> String? { self > 0 ? counted(name) : nil }
}
