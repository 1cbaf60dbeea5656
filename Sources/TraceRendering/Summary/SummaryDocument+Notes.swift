// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension StatementGroup {
  /// The SQL, and below it its callers and the id that `--statement` takes.
  var notes: [Cell] {
    let sql: Cell =
      statement.sql.map { .sql($0) } ?? .text("the text of this statement was not in the trace")
    var callers = callers.prefix(3).map { caller in
      "\(caller.location.text ?? "unknown caller") ×\(caller.work.count.grouped)"
    }
    if self.callers.count > 3 { callers.append("\(self.callers.count - 3) more") }
    let texts = texts > 1 ? " and \(texts - 1) more of its form" : ""
    return [
      sql, .text("\(statement.id)\(texts) · " + callers.joined(separator: ", ")),
      work.notes(misses: misses), .text(work.timeSplit ?? ""),
    ].filter { $0.text != "" }
  }
}

extension StatementCounts {
  /// A summary of the SQLite use of a run; "" if nothing is known.
  func notes(misses: UInt64) -> Cell {
    let counts =
      (rows != count ? [(perRun(\.rows), "row")] : [])
      + WorkMetric.counters.map { (perRun($0), $0.short) }
    let work = counts.filter { $0.0 > 0 }.map {
      "\(Cell.number($0.0).text) \($0.1)\($0.0 == 1 ? "" : "s")"
    }
    return .text(
      [
        work.isEmpty ? nil : "per run \(work.joined(separator: ", "))",
        misses > 0 ? "\(misses.grouped) for faults" : nil,
        errors > 0 ? "\(errors.grouped) failed" : nil,
      ].compactMap(\.self).joined(separator: " · "))
  }
}

extension GroupProfile {
  /// Faults and saves, where there are any.
  var others: String {
    let (faults, _) = cacheHits.addingReportingOverflow(cacheMisses)
    func list(_ parts: String?...) -> String { parts.compactMap(\.self).joined(separator: ", ") }
    let hits = known(\.cacheHits).map {
      "\(Cell.ratio(Double($0) / Double(faults)).text) from the row cache"
    }
    return [
      faults > 0
        ? list(
          faults.counted("fault"), hits, faultTime > 0 ? Cell.duration(faultTime).text : nil)
        : nil,
      saves > 0
        ? list(saves.counted("save"), known(\.saveTime).map { Cell.duration($0).text }) : nil,
    ].compactMap(\.self).joined(separator: " · ")
  }
}

extension SaveProfile {
  /// `8 statements a save, p50 9 ms, p95 12 ms, max 30 ms; 1 failed`.
  var anatomy: String {
    let perSave = Cell.number(count > 0 ? Double(statements) / Double(count) : 0).text
    let times = [("p50", latency.p50), ("p95", latency.p95), ("max", latency.max)]
      .map { ", \($0) \(Cell.duration($1).text)" }.joined()
    return "\(perSave) \(statements == count ? "statement" : "statements") a save"
      + (known(\.totalTime) == nil ? "" : times)
      + (errors > 0 ? "; \(errors.grouped) failed" : "")
  }
}
