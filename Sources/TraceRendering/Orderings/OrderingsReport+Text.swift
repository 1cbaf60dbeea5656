// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceAnalysis

extension OrderingsReport {
  /// The report for a terminal or a pipe; it ends in a newline.
  public func text(_ style: TextStyle = .plain) -> String {
    var drawing = PlanDrawing(style: style)
    drawing.paragraph("Orders of AND terms in \(database) (SQLite \(sqliteVersion))", .bold)
    for clause in SQLLayout.lines(of: sql) { drawing.text(clause, indent: 2, hang: 2) }
    drawing.line("")
    for (index, term) in comparison.terms.enumerated() {
      drawing.text("\(index + 1). \(term)", indent: 2, hang: 3)
      drawing.text(comparison.roles[index].words, indent: 5, ink: .faint)
    }
    drawing.line("")
    if !comparison.values.isEmpty { drawing.paragraph(valuesUsed, .faint) }
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
      for clause in SQLLayout.lines(of: comparison.variants[best].sql) {
        drawing.text(clause, indent: 2, hang: 2)
      }
    }
    if let suggestionText { drawing.text(suggestionText, indent: 0, hang: 2, ink: .bold) }
    return drawing.output
  }

  private var valuesUsed: String {
    let values = comparison.values.enumerated().map { "?\($0 + 1) = \($1)" }.joined(separator: ", ")
    return comparison.valuesAreSampled
      ? "values sampled from the columns compared (a trace holds none; --bind gives yours): \(values)"
      : "values: \(values)"
  }

  private var rowsEqual: String {
    "every order gives the same \(comparison.rows.counted("row"))"
      + (comparison.comparedWithoutLimit ? ", compared without LIMIT" : "")
      + "; \(comparison.rounds.counted("round")), interleaved in random order"
      + (comparison.wasCancelled ? "; interrupted" : "")
  }

  /// Fastest first; the order as written is marked.
  private func draw(_ drawing: inout PlanDrawing) {
    let width = max(comparison.terms.count * 2 - 1, 5)
    func column(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(width - TerminalText.width(text), 0)) + text
    }
    drawing.line(
      "  \(column("order", width)) \(column("median", 10)) \(column("ratio", 8))"
        + " \(column("95% interval", 17)) \(column("VM steps", 14))")
    let sorted = comparison.variants.enumerated().sorted {
      ($0.element.ratio?.median ?? $0.element.medianTime)
        < ($1.element.ratio?.median ?? $1.element.medianTime)
    }
    for (index, variant) in sorted {
      let time = Cell.duration(Nanoseconds(variant.medianTime)).text
      let ratio = index == 0 ? "1" : variant.ratio.map { Cell.factor($0.median).text } ?? "–"
      let interval = index == 0 ? "as written" : variant.ratio?.interval ?? "–"
      drawing.line(
        "  \(column(variant.name, width)) \(column(time, 10)) \(column(ratio, 8))"
          + " \(column(interval, 17)) \(column(variant.vmSteps.grouped, 14))")
    }
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
