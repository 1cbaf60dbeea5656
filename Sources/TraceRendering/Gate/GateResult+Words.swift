// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

extension GateResult {
  /// The verdict and its main evidence, in one line without a line feed.
  ///
  ///     gate: regression: 1 statement does more (full-scan steps 0 → 12,800 at Search.swift:42)
  public var oneLine: String {
    var parts: [String] = []
    let worse = regressions.count + slower.count
    if worse > 0 {
      let first =
        regressions.first.map { ($0.summary, $0.caller) }
        ?? slower.first.map { ($0.summary, $0.caller) }
      let locationText = first.flatMap { $0.1.text }.map { " at \($0)" } ?? ""
      parts.append("\(worse) worse (\(first?.0 ?? "")\(locationText))")
    }
    for (count, word) in [
      (mixed.count, "mixed"), (improvements.count + faster.count, "better"),
      (rewritten.count, "rewritten"),
      (replanned.count, "with another plan"), (appeared.count, "new"), (gone.count, "gone"),
      (unchanged, "the same"),
    ] where count > 0 { parts.append("\(count) \(word)") }
    parts += doubts + reservations
    return LogText.escaped("gate: \(verdict.rawValue): \(parts.joined(separator: "; "))")
  }
}

extension GateResult.Difference {
  /// Its changes in one line: `full-scan steps 0 → 256,000; VM steps 1,000 → 1,200 (1.20×)`.
  var summary: String {
    let changes = changes.map(\.text).joined(separator: "; ")
    let tests = testsText.map { " in \($0)" } ?? ""
    if !changes.isEmpty { return changes + tests }
    if let finding { return "new \(finding.rule): \(finding.message)" }
    return planAfter == nil ? "other words" : "another plan"
  }

  var test: String? {
    guard let sql, sql.hasPrefix("test ") else { return nil }
    return String(sql.dropFirst("test ".count))
  }

  /// `tests/test_app.py::test_list`, or `3 tests, first tests/test_app.py::test_list`.
  var testsText: String? {
    guard let first = tests.first else { return nil }
    return tests.count == 1 ? first : "\(tests.count) tests, first \(first)"
  }
}

extension GateResult.Change {
  /// `full-scan steps 0 → 256,000`, or `VM steps 1,000 → 1,200 (1.20×), budget 1,100`.
  var text: String {
    let factor =
      before > 0 && after > 0
      ? " (\(Cell.factor(Double(after) / Double(before)).text))" : ""
    let budget = budget.map { ", budget \($0.grouped)" } ?? ""
    return "\(metric.title) \(before.grouped) → \(after.grouped)\(factor)\(budget)"
  }
}

extension TimingGate.Change {
  /// `mean time 1.20 ms → 2.40 ms (2.00×), chance 0.4%`.
  var summary: String {
    func time(_ value: Double) -> String {
      Cell.duration(Nanoseconds(exactly: value.rounded()) ?? .max).text
    }
    let chance = Cell.number(probability * 100).text
    return "mean time \(time(before)) → \(time(after)) (\(Cell.factor(after / before).text)), "
      + "by chance \(chance)%"
  }
}
