// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis

extension Document {
  /// Two runs side by side: the verdict, the findings that came and went, totals, then each statement with
  /// its mean time and work per run.
  public init(
    difference: ProfileDifference, before: String, after: String, top: Int = 10,
    findings: Int = .max
  ) {
    self.init(title: "before: \(before); after: \(after)")
    add(difference.sentence, difference.tone)
    for (name, profile) in [("before", difference.before), ("after", difference.after)]
    where !profile.completeness.isComplete {
      add("\(name) is incomplete: its counts may be too low", .bad)
      blocks += profile.completeness.doubts.map { .paragraph("  - " + $0, .bad) }
    }
    blocks += Self.findings(difference, atMost: findings)
    var totals = Self.totals(difference)
    if findings < .max { totals.rows.removeAll(where: \.isOfNothing) }
    blocks.append(.table(totals))
    let listed = difference.pairs.prefix(top)
    guard !listed.isEmpty else { return }
    let rest =
      difference.pairs.count > listed.count ? " (\(listed.count) of \(difference.pairs.count))" : ""
    blocks.append(.heading("Statements, per run\(rest)"))
    add(
      Table.columns("change", numbers: "before", "after", "runs", "rows", "scan steps", "VM steps"),
      listed.map(Self.row))
    add("")
    add(Self.remark(on: listed), .quiet)
  }

  private static func findings(_ difference: ProfileDifference, atMost count: Int) -> [Block] {
    let (new, gone) = (difference.findings.new, difference.findings.gone)
    let after = SharedProfile(difference.after, withSQL: true)
    func rest(_ all: Int, _ word: String) -> [Block] {
      all > count ? [.paragraph("\(UInt64(all - count).grouped) more \(word)", .quiet)] : []
    }
    let came = new.prefix(count).enumerated().map { index, finding in
      Block.brief(
        Brief(
          [finding], number: index + 1, in: after, maxLines: count == .max ? .max : 3, mark: "new: "
        ))
    }
    let went = gone.prefix(count).map { finding in
      let statement = finding.statement.flatMap(difference.before.statement)
      let locationText = finding.caller.text.map { "\($0)  " } ?? ""
      return Block.paragraph(
        "gone: \(locationText)\(finding.phrase(finding.problem, finding.culprit(of: statement)))",
        .good)
    }
    return came + rest(new.count, "new") + (went.isEmpty ? [] : [.paragraph("")]) + went
      + rest(gone.count, "gone")
      + (suppressed(difference).map { [.paragraph($0, .quiet)] } ?? [])
  }

  /// How many findings of the second run exceptions suppress; nil for none.
  static func suppressed(_ difference: ProfileDifference) -> String? {
    let count = difference.findings.suppressed
    return count > 0 ? count.counted("finding is", "findings are") + " excused" : nil
  }

  /// A remark on the reliability of the columns of times.
  static func remark(on pairs: some Sequence<ProfileDifference.Pair>) -> String {
    let sentence = "Times are one run each and vary; counts do not."
    let isUncounted = pairs.contains { $0.speedup != nil && !$0.isCounted }
    return isUncounted
      ? sentence + " Where scan steps are –, the times are the logs' own, and there are no counts."
      : sentence
  }

  /// The totals in the words of the store, or of SQLite where no store ran.
  static func totals(_ difference: ProfileDifference) -> Table {
    let (before, after) = (difference.before, difference.after)
    func row(_ name: String, _ count: (Profile) -> UInt64?) -> Table.Row {
      let (old, new) = (count(before), count(after))
      let words = old.flatMap { old in new.map { change(from: old, to: $0) } }
      return Table.Row([
        .text(name), .known(old), .known(new), words.map { .text($0) } ?? .none,
      ])
    }
    func total(_ name: String, _ path: KeyPath<Profile, UInt64>) -> Table.Row {
      row(name) { $0.known(path) }
    }
    func time(_ name: String, _ path: KeyPath<Profile, Int64>) -> Table.Row {
      let (old, new) = (before.known(path), after.known(path))
      var words = Cell.none
      if let old, let new, old != new || old > 0 {
        words = .text(
          old > 0 && new > 0 ? change(Double(old) / Double(new)) : new == 0 ? "gone" : "new")
      }
      return Table.Row([.text(name), .known(old), .known(new), words])
    }
    let isObserved = before.observed != nil || after.observed != nil
    let isFromStore = before.totals.isFromStore || after.totals.isFromStore || !isObserved
    var rows: [Table.Row] = []
    if isFromStore {
      rows += [
        total("fetches", \.totals.fetches), total("counts", \.totals.counts),
        total("rows", \.totals.rows), total("faults", \.totals.faults),
        total("relationship faults", \.totals.relationshipFaults),
        total("cache misses", \.totals.cacheMisses), total("saves", \.totals.saves),
      ]
    }
    if isObserved {
      rows += [
        row("statements") { $0.observed?.runs ?? 0 },
        row(isFromStore ? "their rows" : "rows") { $0.known($0.observed?.rows, .rows) },
        row("changes") { $0.known($0.observed?.changes, .changes) },
        total("commits", \.waits.commits),
        total("lock waits", \.waits.busyWaits),
      ]
    }
    rows.append(time("in SQLite", \.totals.connectionTime))
    if isFromStore {
      rows += [
        time("fetching", \.totals.totalTime), time("in faults", \.totals.faultTime),
        time("saving", \.totals.saveTime),
      ]
    }
    return Table(
      columns: Table.columns("totals", numbers: "before", "after", texts: "change"), rows: rows)
  }

  private static func row(_ pair: ProfileDifference.Pair) -> Table.Row {
    let (before, after) = (pair.before, pair.after)
    func perRun(_ path: KeyPath<StatementCounts, UInt64>) -> Cell {
      .text(arrow([before, after].map { $0?.perRunText(path) ?? "–" }))
    }
    var notes: [Cell] = []
    if let sql = before?.statement.sql { notes.append(.sql(sql)) }
    if let sql = after?.statement.sql, before?.fingerprint != after?.fingerprint {
      notes.append(.sql(before == nil ? sql : "→ " + sql))
    }
    if let rewriting = rewriting(pair) { notes.append(.text(rewriting)) }
    notes.append(.text(arrow([before, after].map { $0?.caller.text ?? "–" })))
    return Table.Row(
      [
        .text(change(pair)),
        mean(before), mean(after), perRun(\.count), perRun(\.rows), perRun(\.fullScanSteps),
        perRun(\.vmSteps),
      ], notes: notes)
  }

  /// `a → b`; `a → a` is written once.
  static func arrow(_ sides: [String]) -> String {
    sides[0] == sides[1] ? sides[0] : sides.joined(separator: " → ")
  }

  /// `rewritten: MATCHES → BEGINSWITH, 38.5 ms → 2.30 ms by the logs' own times`.
  static func rewriting(_ pair: ProfileDifference.Pair) -> String? {
    guard pair.isRewritten, let before = pair.before, let after = pair.after else { return nil }
    let words = [before, after].compactMap { group in
      group.statement.sql.flatMap { PredicateFormat.textOperator(of: $0) }
    }
    let change = words.count == 2 && words[0] != words[1] ? ": \(words[0]) → \(words[1])" : ""
    let times = [before, after].map { mean($0).text }
    let basis = pair.isCounted ? "" : " by the logs' own times"
    return "rewritten\(change), \(times[0]) → \(times[1])\(basis)"
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

  static func mean(_ group: StatementGroup?) -> Cell {
    .known(
      group.flatMap { group in
        group.work.known(\.totalTime).map { _ in Int64(exactly: group.meanTime.rounded()) ?? .max }
      })
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

extension Table.Row {
  /// Whether neither run has any of it.
  fileprivate var isOfNothing: Bool {
    cells.dropFirst().prefix(2).allSatisfy { [.count(0), .duration(0), .none].contains($0) }
  }
}

extension StatementGroup {
  func perRunText(_ path: KeyPath<StatementCounts, UInt64>) -> String {
    let value = path == \.count ? Double(work.count) : work.knownPerRun(path)
    return value.flatMap { UInt64(exactly: $0.rounded())?.grouped } ?? "–"
  }
}
