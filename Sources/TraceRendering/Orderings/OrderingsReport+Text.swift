// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension OrderingsReport {
  /// The report for a terminal or a pipe; it ends in a newline.
  public func text(_ style: TextStyle = .plain) -> String {
    var drawing = PlanDrawing(style: style)
    drawing.paragraph("Orders of AND terms in \(database) (SQLite \(sqliteVersion))", .bold)
    drawing.sql(sql)
    drawing.line("")
    for (index, term) in comparison.terms.enumerated() {
      drawing.text("\(index + 1). \(term)", indent: 2, hang: 3)
      drawing.text(comparison.roles[index].words, indent: 5, ink: .faint)
    }
    drawing.line("")
    if let valuesUsed { drawing.paragraph(valuesUsed, .faint) }
    for (table, keys) in comparison.keys {
      drawing.paragraph(
        "\(table) filled with \(keys.count.counted("key")) sampled from the column", .faint)
    }
    if let sentence = StoreNamesNote.sentence(comparison.storeNames) {
      drawing.paragraph(sentence, .faint)
    }
    drawing.paragraph(rowsEqual, .faint)
    drawing.line("")
    draw(&drawing)
    drawing.line("")
    drawing.paragraph(sentence, comparison.verdict == .faster ? .green : .bold)
    if comparison.verdict == .faster, let best = comparison.best {
      // To be copied: as a whole.
      for clause in SQLLayout.lines(of: comparison.variants[best].sql) {
        drawing.item(clause)
      }
    }
    if let suggestionText { drawing.text(suggestionText, indent: 0, hang: 2, ink: .bold) }
    return drawing.output
  }

  private var valuesUsed: String? {
    guard let run = comparison.runs.first, !run.isEmpty else { return nil }
    let values = run.enumerated().map { "?\($0 + 1) = \($1)" }.joined(separator: ", ")
    let others = comparison.runs.count - 1
    return "values \(comparison.source.words): \(values)"
      + (others > 0 ? "; and those of \(others.counted("other run"))" : "")
  }

  private var rowsEqual: String {
    "every order that was timed returns the same \(comparison.rows.counted("row"))"
      + (comparison.comparedWithoutLimit ? ", compared without LIMIT" : "")
      + "; \(comparison.rounds.counted("round")), interleaved in random order"
      + (comparison.wasCancelled ? "; interrupted" : "")
  }

  /// Fastest first; the order as written is marked.
  private func draw(_ drawing: inout PlanDrawing) {
    let width = max(comparison.terms.count * 2 - 1, 5)
    let column = TerminalText.right
    drawing.line(
      "  \(column("order", width)) \(column("median", 10)) \(column("ratio", 8))"
        + " \(column("95% interval", 17)) \(column("VM steps", 14))")
    let sorted = comparison.variants.enumerated().sorted { rank($0.element) < rank($1.element) }
    for (index, variant) in sorted where variant.failure == nil {
      let time = variant.medianTime.map { Cell.duration(Nanoseconds($0)).text } ?? "–"
      let ratio = index == 0 ? "1" : variant.ratio.map { Cell.factor($0.median).text } ?? "–"
      let interval = index == 0 ? "as written" : variant.ratio?.interval ?? "–"
      drawing.line(
        "  \(column(variant.name, width)) \(column(time, 10)) \(column(ratio, 8))"
          + " \(column(interval, 17)) \(column(variant.vmSteps?.grouped ?? "–", 14))")
    }
    if comparison.untimed > 0 {
      drawing.paragraph(
        "\(comparison.untimed.counted("order")) without a time: their steps show that they do not "
          + "matter, or there was no time to count them", .faint)
    }
    for variant in comparison.variants {
      guard let failure = variant.failure else { continue }
      drawing.item("order \(variant.name): \(failure)", .yellow)
    }
  }

  /// Timed orders by their times, then the others by their steps.
  private func rank(_ variant: OrderingComparison.Variant) -> (Int, Double) {
    if let time = variant.medianTime { return (0, variant.ratio?.median ?? time) }
    return (1, variant.vmSteps.map(Double.init) ?? .infinity)
  }
}

extension TermRole {
  var words: String {
    switch self {
    case .indexServed: "index-served: its place does not matter"
    case .deferred: "deferred: a correlated subquery, which SQLite evaluates last"
    case .residual: "residual: evaluated where it is written"
    }
  }
}

extension ValueSource {
  /// After the word `values`.
  fileprivate var words: String {
    switch self {
    case .none, .given: "given"
    case .recorded: "recorded"
    case .fitted(let rows, let counted):
      "sampled, so that a run returns \(rows.shortText) rows (counted: \(counted.shortText))"
    case .fittedSteps(let steps, let counted):
      "sampled, so that a run takes \(steps.shortText) VM steps (counted: \(counted.shortText))"
    case .sampled: "sampled"
    }
  }
}

extension Double {
  /// Whole where it is large: `0.4`, `20`, `1,500`.
  fileprivate var shortText: String {
    self < 10 && self != rounded() ? "\((self * 10).rounded() / 10)" : UInt64(rounded()).grouped
  }
}
