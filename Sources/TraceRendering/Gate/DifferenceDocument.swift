// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

extension Document {
  /// Two runs side by side: totals, then each statement with its mean time and work per run.
  public init(
    difference: ProfileDifference, before: String, after: String, top: Int = 10
  ) {
    self.init(title: "before: \(before); after: \(after)")
    for (name, profile) in [("before", difference.before), ("after", difference.after)]
    where !profile.completeness.isComplete {
      blocks.append(.paragraph("\(name) is incomplete: its counts may be too low", .bad))
      blocks += profile.completeness.doubts.map { .paragraph("  - " + $0, .bad) }
    }
    blocks.append(.table(Self.totals(difference)))
    let listed = difference.pairs.prefix(top)
    guard !listed.isEmpty else { return }
    let rest =
      difference.pairs.count > listed.count ? " (\(listed.count) of \(difference.pairs.count))" : ""
    blocks.append(.heading("Statements, per run\(rest)"))
    blocks.append(
      .table(
        Table(
          columns: [
            .text("change"), .number("before"), .number("after"), .number("runs"),
            .number("rows"), .number("scan steps"), .number("VM steps"),
          ], rows: listed.map(Self.row))))
    blocks.append(.paragraph(""))
    blocks.append(.paragraph("Times are one run each and vary; counts do not.", .quiet))
  }

  /// The totals in the words of the store, or of SQLite where no store ran.
  static func totals(_ difference: ProfileDifference) -> Table {
    let (before, after) = (difference.before, difference.after)
    func row(_ name: String, _ count: (Profile) -> UInt64) -> Table.Row {
      let (old, new) = (count(before), count(after))
      return Table.Row([.text(name), .count(old), .count(new), .text(change(from: old, to: new))])
    }
    func time(_ name: String, _ path: KeyPath<Profile.Totals, Int64>) -> Table.Row {
      let (old, new) = (before.totals[keyPath: path], after.totals[keyPath: path])
      return Table.Row([
        .text(name), .duration(old), .duration(new),
        old > 0 && new > 0
          ? .text(Self.change(Double(old) / Double(new)))
          : old == new ? .none : .text(new == 0 ? "gone" : "new"),
      ])
    }
    let isObserved = before.observed != nil || after.observed != nil
    let isOfStore = before.totals.isOfStore || after.totals.isOfStore || !isObserved
    var rows: [Table.Row] = []
    if isOfStore {
      rows += [
        row("fetches", \.totals.fetches), row("counts", \.totals.counts),
        row("rows", \.totals.rows), row("faults", \.totals.faults),
        row("relationship faults", \.totals.relationshipFaults),
        row("cache misses", \.totals.cacheMisses), row("saves", \.totals.saves),
      ]
    }
    if isObserved {
      rows += [
        row("statements") { $0.observed?.runs ?? 0 },
        row(isOfStore ? "their rows" : "rows") { $0.observed?.rows ?? 0 },
        row("changes") { $0.observed?.changes ?? 0 }, row("commits", \.waits.commits),
        row("lock waits", \.waits.busyWaits),
      ]
    }
    rows.append(time("in SQLite", \.connectionTime))
    if isOfStore {
      rows += [
        time("fetching", \.totalTime), time("in faults", \.faultTime), time("saving", \.saveTime),
      ]
    }
    return Table(
      columns: [.text("totals"), .number("before"), .number("after"), .text("change")], rows: rows)
  }

  private static func row(_ pair: ProfileDifference.Pair) -> Table.Row {
    let (before, after) = (pair.before, pair.after)
    func perRun(_ path: KeyPath<Work, UInt64>) -> Cell {
      .text([before, after].map { $0?.perRunText(path) ?? "–" }.joined(separator: " → ").collapsed)
    }
    var notes: [Cell] = []
    if let sql = before?.statement.sql { notes.append(.sql(sql)) }
    if let sql = after?.statement.sql, before?.fingerprint != after?.fingerprint {
      notes.append(.sql(before == nil ? sql : "→ " + sql))
    }
    notes.append(
      .text([before, after].map { $0?.caller.text ?? "–" }.joined(separator: " → ").collapsed))
    return Table.Row(
      [
        .text(change(pair)),
        mean(before), mean(after), perRun(\.count), perRun(\.rows), perRun(\.fullScanSteps),
        perRun(\.vmSteps),
      ], notes: notes)
  }

  /// Times only where the work of a run is another: they vary from run to run.
  private static func change(_ pair: ProfileDifference.Pair) -> String {
    guard let before = pair.before, let after = pair.after else {
      return pair.before == nil ? "new" : "gone"
    }
    if pair.isSame { return "same work" }
    if pair.isSamePerRun {
      return after.work.count < before.work.count ? "fewer runs" : "more runs"
    }
    return pair.speedup.map(change) ?? "–"
  }

  private static func mean(_ group: StatementGroup?) -> Cell {
    group.map { .duration(Int64(exactly: $0.meanTime.rounded()) ?? .max) } ?? .none
  }

  /// `−625`, `+3`, or `same`.
  static func change(from before: UInt64, to after: UInt64) -> String {
    if before == after { return "same" }
    return after > before ? "+\((after - before).grouped)" : "−\((before - after).grouped)"
  }

  /// `12.3× faster`, `1.50× slower`, or `same` within a tenth.
  static func change(_ speedup: Double) -> String {
    if speedup >= 1.1 { return "\(Cell.factor(speedup).text) faster" }
    return speedup <= 1 / 1.1 ? "\(Cell.factor(1 / speedup).text) slower" : "same"
  }
}

extension StatementGroup {
  fileprivate func perRunText(_ path: KeyPath<Work, UInt64>) -> String {
    let value = path == \.count ? Double(work.count) : work.perRun(path)
    return UInt64(exactly: value.rounded())?.grouped ?? "–"
  }
}

extension String {
  /// `a → a` is written once.
  fileprivate var collapsed: String {
    let sides = components(" → ")
    return sides.count == 2 && sides[0] == sides[1] ? sides[0] : self
  }

  private func components(_ separator: String) -> [String] {
    guard let range = firstRange(of: separator) else { return [self] }
    return [String(self[..<range.lowerBound]), String(self[range.upperBound...])]
  }
}
