// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  /// The lines that committed often, most time in COMMIT first.
  static func transactions(of profile: Profile, options: SummaryOptions) -> [Block] {
    let all = (profile.locks?.transactions ?? []).filter(\.isFrequent)
    let columns = Table.columns(
      numbers: "transactions", "rows each", "commit", texts: "line")
    return table("Transactions", all, top: options.top, columns) { transactions in
      let count = Double(transactions.site.count)
      return Table.Row(
        [
          .count(transactions.site.count),
          // A log has no rows, and perhaps no times.
          transactions.writes == nil ? .number(Double(transactions.rows) / count) : .none,
          transactions.writes == nil || transactions.commitTime > 0
            ? .duration(transactions.commitTime) : .none,
          .location(transactions.site.locationText),
        ], notes: transactions.site.sql.map { [.sql($0)] } ?? [])
    }
  }

  /// The errors, most failures first.
  static func failures(of profile: Profile, options: SummaryOptions) -> [Block] {
    let columns = Table.columns(numbers: "failed", texts: "line", "error")
    return table("Errors", profile.locks?.failures ?? [], top: options.top, columns) { failure in
      Table.Row(
        [.count(failure.site.count), .location(failure.site.locationText), .text(failure.error)],
        notes: failure.notes)
    }
  }
}

extension LockSite {
  fileprivate var locationText: String { location.text ?? "unknown caller" }
}

extension FailureSite {
  /// The statement, the one that was in its way, and a remedy.
  fileprivate var notes: [Cell] {
    [site.sql.map(Cell.sql), cause.map(Cell.text), obstacle?.sql.map(Cell.sql)].compactMap(\.self)
  }
}

extension Profile {
  // 3 is arbitrary: the findings should stay visible.
  private static let maxErrors = 3

  /// The errors that no finding names: `2 errors at app.py:9: SQLITE_ERROR: no such table: item`.
  func errorLines(without findings: [Finding]) -> [Document.Block] {
    let rules: Set = [
      "RespectLimits", "ResetStatement", "HandleBusy", "HandleCorruption", "AvoidLockWait",
      "SetBusyTimeout", "UseBeginImmediate", "DoNotUseAfterFork",
    ]
    let reported = Set(findings.filter { rules.contains($0.rule) }.map(\.caller))
    let others = (locks?.failures ?? []).filter { !reported.contains($0.site.location) }
    let lines = others.prefix(Self.maxErrors).map { failure in
      let cause = failure.cause.map { "; \($0)" } ?? ""
      let errors = failure.site.count.counted("error")
      return "\(errors) at \(failure.site.locationText): \(failure.error)\(cause)"
    }
    let rest = others.count - lines.count
    return (lines + (rest > 0 ? ["\(UInt64(rest).grouped) more: trace-report summary --all"] : []))
      .map { .excerpt($0, .plain, lines: 3) }
  }
}
