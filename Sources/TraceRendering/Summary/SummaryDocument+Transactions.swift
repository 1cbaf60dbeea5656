// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceAnalysis

extension Document {
  /// The lines that committed often, most time in COMMIT first.
  static func transactions(of profile: Profile, options: SummaryOptions) -> [Block] {
    let all = (profile.locks?.transactions ?? []).filter(\.isFrequent)
    guard !all.isEmpty else { return [] }
    let listed = all.prefix(options.top)
    let rows = listed.map { transactions in
      let count = Double(transactions.site.count)
      return Table.Row(
        [
          .count(transactions.site.count),
          // A log has no rows, and perhaps no times.
          transactions.writes == nil ? .number(Double(transactions.rows) / count) : .none,
          transactions.writes == nil || transactions.commitTime > 0
            ? .duration(transactions.commitTime) : .none,
          .place(transactions.site.place),
        ], notes: transactions.site.sql.map { [.sql($0)] } ?? [])
    }
    return [
      .heading("Transactions\(rest(all.count, listed.count))"),
      .table(
        Table(
          columns: [
            .number("transactions"), .number("rows each"), .number("commit"), .text("line"),
          ], rows: rows)),
    ]
  }

  /// The errors, most failures first.
  static func failures(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard let all = profile.locks?.failures, !all.isEmpty else { return [] }
    let listed = all.prefix(options.top)
    let rows = listed.map { failure in
      Table.Row(
        [.count(failure.site.count), .place(failure.site.place), .text(failure.error)],
        notes: failure.notes)
    }
    return [
      .heading("Errors\(rest(all.count, listed.count))"),
      .table(
        Table(columns: [.number("failed"), .text("line"), .text("error")], rows: rows)),
    ]
  }
}

extension LockSite {
  fileprivate var place: String { location.text ?? "unknown caller" }
}

extension FailureSite {
  /// The statement, the one that was in its way, and a remedy.
  fileprivate var notes: [Cell] {
    var notes: [Cell] = []
    if let sql = site.sql { notes.append(.sql(sql)) }
    if let obstacle {
      let place = obstacle.location.text.map { " at \($0)" } ?? ""
      notes.append(
        .text("a statement of \(sharesCache ? "another" : "the same") connection was open\(place)"))
      if let sql = obstacle.sql { notes.append(.sql(sql)) }
    }
    if let remedy { notes.append(.text(remedy)) }
    return notes
  }

  /// Limits of SQLite that a program can respect.
  ///
  /// See <https://www.sqlite.org/limits.html>.
  private var remedy: String? {
    if error.contains("too many SQL variables") {
      let count = site.sql.map { FoldedSQL.parameterCount(of: $0) } ?? 0
      return """
        \(count > 0 ? "it has \(UInt64(count).grouped) parameters or more; " : "")SQLite accepts \
        32,766 unless it was built with another limit: split the list, or join json_each(?) or a \
        temporary table
        """
    }
    return nil
  }
}
