// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents

extension AdviceReport {
  /// How the statements were measured, and where their values come from.
  var measured: String {
    let count = advice.effects.count.counted("statement")
    let writes = advice.rowSearches
    let searches = writes > 0 ? ", \(writes) that write by the search for their rows" : ""
    return "\(count) measured \(valueSources)\(searches); "
      + "\(advice.tried.counted("set")) of indexes tried; a step is one of SQLite's VM steps, looking up a page counts as 4"
  }

  private var valueSources: String {
    let names = advice.effects.map(\.values.name)
    func count(_ name: String...) -> Int { names.count { name.contains($0) } }
    let parts = [
      (count("recorded"), "with recorded values"),
      (count("fitted"), "with sampled values that return the rows of the trace"),
      (count("fittedSteps"), "with sampled values that take the VM steps of the trace"),
      (count("sampled"), "with sampled values, for want of counts"),
      (count("none"), "without values"),
    ].filter { $0.0 > 0 }
    if parts.count == 1 { return parts[0].1 }
    return "(" + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + ")"
  }

  var sentence: String {
    guard advice.isMeasured else { return "No index was tried: a capsule has no rows." }
    guard !advice.creations.isEmpty else {
      return advice.wasCancelled
        ? "No index was found worth having until then." : "No new index is worth having."
    }
    let count = advice.creations.count.counted("index", "indexes")
    return "Make \(count): the workload then takes \(steps(advice.after)) in place of "
      + "\(steps(advice.before)) steps."
  }

  /// The full scans of `plans` that remain with the advice; nil if there are none.
  var scansLeft: String? {
    let left = advice.effects.filter { effect in
      verdicts[effect.statement] == .fullScan && effect.after >= effect.before
    }
    guard !left.isEmpty else { return nil }
    let ids = left.prefix(3).map(\.statement).joined(separator: ", ")
    let others = left.count > 3 ? " and \(left.count - 3) more" : ""
    return "\(left.count.counted("full scan")) remain\(left.count == 1 ? "s" : ""): no index tried "
      + "saves enough of the workload: \(ids)\(others)."
  }

  /// Whether statistics help, as clearly where they do not.
  var statisticsSentence: String {
    guard let today = advice.statistics.first(where: { $0.state == .today }) else { return "" }
    let others = advice.statistics.filter { $0.state != .today }
    guard others.contains(where: { !$0.changed.isEmpty }) else {
      return "Statistics make no difference to this workload: every statement takes the same steps "
        + "without them, with today's, after PRAGMA optimize and after ANALYZE."
    }
    let list = advice.statistics.map { "\($0.state.words) \(steps($0.steps))" }
    let counts = "Steps of the workload: \(list.joined(separator: ", "))."
    let best = others.min { $0.steps < $1.steps }
    if let best, best.steps < 0.95 * today.steps {
      return "\(best.state.advice) \(counts)"
    }
    let least = others.map(\.steps).max().map { $0 <= 1.05 * today.steps } ?? true
    return least
      ? "Statistics make no difference of 5% to this workload. \(counts)"
      : "The current statistics are as good as any for this workload. \(counts)"
  }

  func steps(_ count: Double) -> String { UInt64(clamping: Int64(count.rounded())).grouped }

  func time(_ nanoseconds: Double) -> String {
    Cell.duration(Int64(exactly: nanoseconds.rounded()) ?? 0).text
  }

  /// `1.2 ms → 34 µs a run`, or that the times do not differ.
  func words(_ effect: TimeEffect?) -> String {
    guard let effect else { return "not timed" }
    let ratio = effect.ratio
    if ratio.high < 1, ratio.low > 0 {
      let interval = "\(Cell.factor(1 / ratio.high).text)–\(Cell.factor(1 / ratio.low).text)"
      return "\(time(effect.before)) → \(time(effect.after)) "
        + "(\(Cell.factor(1 / ratio.median).text) faster, 95% interval \(interval))"
    }
    let interval = "95% interval \(ratio.interval)"
    return effect.isDifference
      ? "\(time(effect.before)) → \(time(effect.after)) (\(Cell.factor(effect.ratio.median).text), "
        + "\(interval))"
      : "no difference in time (\(interval))"
  }

  /// The size of an index, and the cost of writes with all indexes that are advised for its table.
  func cost(_ bytes: UInt64?, _ writes: WriteCost?, table: String) -> String {
    let size = bytes.map { "\(Cell.bytes($0).text); " } ?? ""
    guard let writes else {
      return advice.wasCancelled
        ? "interrupted before its size and its writes were measured" : size + "writes not measured"
    }
    if let failure = writes.failure { return size + "write cost not measured: \(failure)" }
    let tables = advice.creations.map(\.candidate.table) + advice.removals.map(\.index.table)
    let changes = tables.count { $0 == table }
    let all = changes > 1 ? " with all \(changes) changes to \(SQLName.quotedIfNeeded(table))" : ""
    return size + "insert of a row\(all): \(words(writes.insert)); update: \(words(writes.update))"
  }

  /// Why the order of an index's columns is inconclusive, and which option decides it; nil if it is
  /// not.
  func orderSentence(_ creation: IndexAdvice.Creation) -> String? {
    guard let other = creation.otherOrder else { return nil }
    let count = steps(abs(other.difference))
    let difference =
      switch other.difference {
      case 0: "as many steps"
      case ..<0: "\(count) steps fewer"
      default: "\(count) steps more"
      }
    return "the order of its columns is INCONCLUSIVE: (\(other.columns.joined(separator: ", "))) "
      + "takes \(difference) with the sampled values; record the program's own with record --values"
  }

  func entries(_ creation: IndexAdvice.Creation) -> String? {
    guard creation.entriesWritten > 0 else { return nil }
    return "the workload's own writes put up to "
      + "\(creation.entriesWritten.counted("entry", "entries")) into it"
  }
}

extension StatisticsTrial.State {
  var words: String {
    switch self {
    case .none: "without statistics"
    case .today: "today"
    case .optimize: "after PRAGMA optimize"
    case .analyze: "after ANALYZE"
    }
  }

  fileprivate var advice: String {
    switch self {
    case .none: "Delete the statistics (DELETE FROM sqlite_stat1)."
    case .today: ""
    case .optimize:
      "Run PRAGMA optimize before the program closes its connections, or ANALYZE once (PRAGMA "
        + "optimize leaves out tables that its own connection has not queried)."
    case .analyze: "Run ANALYZE."
    }
  }
}

extension IndexAdvice.Rejection {
  var sentence: String {
    func number(_ count: Double) -> String { UInt64(clamping: Int64(count.rounded())).grouped }
    switch reason {
    case .unused: return "no statement uses it"
    case .smallSaving(let steps, let all):
      return "saves \(number(steps)) of \(number(all)) steps"
    case .littleBeside(let steps, let all):
      return "beside the advised indexes it saves \(number(steps)) of \(number(all)) steps"
    case .writes(let entries, let steps, let isCertain):
      return "saves \(number(steps)) steps; the workload's own writes put "
        + "\(isCertain ? "" : "up to ")\(number(entries)) entries into it"
        + (isCertain ? "" : " (the trace does not name the tables of saved objects)")
    case .slower(let ratio): return "takes fewer steps and more time: \(ratio.interval)"
    case .failed(let message): return "cannot be made: \(message)"
    case .noRows: return "SQLite would use it; what it saves was not measured"
    }
  }
}

extension IndexAdvice.Removal {
  /// SQL that drops the index.
  public var sql: String { "DROP INDEX \(SQLName.quotedIfNeeded(index.name))" }

  /// The columns of the index, and the reason to drop it.
  var sentence: String {
    let reason =
      switch reason {
      case .unused: "no statement of this workload uses it; another workload may"
      case .redundant(let other): "'\(other)' serves what it serves"
      }
    return "\(index.table) (\(index.termsText)): \(reason)"
  }
}
