// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension GateResult {
  /// Removes the regressions of statements that a file suppresses under `[Gate]`.
  ///
  /// The totals still include the work of these statements, so they may have increased by that
  /// amount.
  ///
  /// - Parameters:
  ///   - file: the exceptions.
  ///   - today: such as `2026-11-21`.
  public mutating func suppress(by file: ExceptionFile, today: String) {
    var book = ExceptionBook(file, today: today)
    let all = regressions
    regressions = []
    for difference in all {
      let exception =
        difference.sql == nil
        ? nil
        : book.exception(
          rule: "Gate", caller: difference.caller, statement: difference.statement,
          sql: difference.sql)
          ?? difference.finding.flatMap {
            book.exception(
              rule: $0.rule, caller: $0.caller, statement: $0.statement, sql: difference.sql,
              object: $0.object)
          }
      if exception == nil { regressions.append(difference) } else { suppressed.append(difference) }
    }
    regressions = regressions.compactMap { $0.sql == nil ? withoutSuppressed($0) : $0 }
    complaints = book.complaints { $0.rule == "Gate" }
  }

  private func withoutSuppressed(_ totals: Difference) -> Difference? {
    // A warning on a schema has no counts that a statement's exception could explain.
    guard !suppressed.isEmpty, !totals.changes.isEmpty else { return totals }
    var totals = totals
    totals.changes.removeAll { change in
      let isRuns = change.metric == .fetches || change.metric == .counts
      let metric = isRuns ? .count : change.metric
      let suppressed = suppressed.flatMap(\.changes).filter {
        $0.metric == metric && $0.after > $0.before
      }
      .reduce(UInt64(0)) { $0 &+ ($1.after - $1.before) }
      return change.after <= change.before || change.after - change.before <= suppressed
    }
    return totals.changes.isEmpty ? nil : totals
  }
}
