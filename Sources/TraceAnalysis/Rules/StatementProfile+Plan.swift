// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension StatementProfile {
  /// Whether the source counted its work; Core Data's log does not.
  var isCounted: Bool { work.vmSteps > 0 }

  /// Whether it steps through many rows of a table, and through far more than it returns.
  var scansInVain: Bool {
    work.perRun(\.fullScanSteps) >= AvoidFullTableScan.fewestSteps
      && Double(work.fullScanSteps)
        >= Double(work.rows) * AvoidFullTableScan.fewestStepsPerRow
  }

  /// The time in SQLite, less the part of the rows that were wanted.
  var savingIfOnlyRowsWereRead: Finding.Saving {
    let wanted = min(Double(work.rows) / Double(max(work.fullScanSteps, 1)), 1)
    return Finding.Saving(
      atMost: Int64(exactly: (Double(work.connectionTime) * (1 - wanted)).rounded()) ?? 0,
      basis: "the time in SQLite, less the part of the rows that were wanted")
  }

  var scanEvidence: [Finding.Evidence] {
    [
      .init("runs", work.count), .init("rows", work.rows),
      .init("fullScanSteps", work.fullScanSteps), .init("connectionNs", work.connectionTime),
    ]
  }
}

extension PlanJudgement {
  /// The largest table that is read from end to end without need, outside correlated subqueries.
  var largestScan: Scan? {
    scans.filter { $0.harmlessBecause == nil && !$0.isInCorrelatedSubquery && $0.table != nil }
      .max { ($0.size?.rows ?? 0) < ($1.size?.rows ?? 0) }
  }

  /// A table that is read from end to end once for every row of the outer SELECT.
  var correlatedScan: Scan? {
    scans.first { $0.harmlessBecause == nil && $0.isInCorrelatedSubquery && $0.table != nil }
  }
}
