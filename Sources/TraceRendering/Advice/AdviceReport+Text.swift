// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceAnalysis

extension AdviceReport {
  /// The report for a terminal or a pipe; it ends in a newline.
  public func text(_ style: TextStyle = .plain) -> String {
    var drawing = PlanDrawing(style: style)
    drawing.paragraph(
      "Indexes for \(database) (SQLite \(sqliteVersion))"
        + (advice.isMeasured ? ", tried on a copy" : ""), .bold)
    if advice.isMeasured { drawing.paragraph(measured, .faint) }
    if let sentence = StoreNamesNote.sentence(advice.storeNames) {
      drawing.paragraph(sentence, .faint)
    }
    drawing.line("")
    drawing.paragraph(sentence, advice.creations.isEmpty ? .bold : .green)
    if let scansLeft { drawing.paragraph(scansLeft, .yellow) }
    for effect in advice.effects where effect.after >= effect.before {
      drawRewrites(of: effect.statement, &drawing)
    }
    for creation in advice.creations { draw(creation, &drawing) }
    if !advice.creations.isEmpty { drawing.line("") }
    for effect in advice.effects where effect.after != effect.before {
      drawing.item(
        "\(effect.statement)  \(steps(effect.before)) → \(steps(effect.after)) steps, "
          + "\(words(effect.time)), \(effect.runs.counted("run"))")
    }
    for removal in advice.removals { draw(removal, &drawing) }
    if let reason = advice.removalsSkipped {
      drawing.paragraph("No index to drop was looked for: \(reason).", .faint)
    }
    drawStatistics(&drawing)
    drawRejections(&drawing)
    if !advice.unmeasured.isEmpty { drawing.line("") }
    for (statement, reason) in advice.unmeasured {
      drawing.text("not measured: \(statement): \(reason)", indent: 0, hang: 2, ink: .yellow)
      drawRewrites(of: statement, &drawing)
    }
    if !isConclusive { drawing.paragraph("INCONCLUSIVE: the input is not complete.", .yellow) }
    for doubt in doubts + cancellation { drawing.paragraph(doubt, .yellow) }
    return drawing.output
  }

  private func drawRewrites(of statement: String, _ drawing: inout PlanDrawing) {
    for sentence in rewrites[statement] ?? [] {
      drawing.item("\(statement): \(sentence)", .yellow)
    }
  }

  private func draw(_ creation: IndexAdvice.Creation, _ drawing: inout PlanDrawing) {
    drawing.line("")
    drawing.item(creation.candidate.sql, .bold)
    if let fix = names?.fetchIndexes([creation.candidate]) {
      drawing.item("or: \(fix)")
    } else if let declaration = creation.declaration {
      let entity = creation.entity.map { "in \($0), " } ?? ""
      drawing.item("or \(entity)with the properties' own spelling:")
      drawing.item(declaration)
    } else if let sentence = creation.undeclarableSentence {
      drawing.item(sentence)
    }
    drawing.text("saves \(steps(creation.saving)) steps of the workload", indent: 2)
    if let order = orderSentence(creation) {
      drawing.item(order, .yellow)
    }
    if let entries = entries(creation) { drawing.item(entries) }
    drawing.item(cost(creation.bytes, creation.writes, table: creation.candidate.table), .faint)
  }

  private func draw(_ removal: IndexAdvice.Removal, _ drawing: inout PlanDrawing) {
    drawing.line("")
    drawing.item(removal.sql, .bold)
    drawing.item(removal.sentence)
    drawing.item(cost(removal.index.bytes, removal.writes, table: removal.index.table), .faint)
  }

  private func drawStatistics(_ drawing: inout PlanDrawing) {
    guard !advice.statistics.isEmpty else { return }
    drawing.line("")
    drawing.paragraph(statisticsSentence, nil)
  }

  private func drawRejections(_ drawing: inout PlanDrawing) {
    guard !advice.rejections.isEmpty else { return }
    drawing.line("")
    drawing.paragraph(
      advice.isMeasured ? "Tried and not advised:" : "By SQLite's plans alone:", .faint)
    for rejection in advice.rejections {
      let candidate = rejection.candidate
      drawing.text(
        "\(candidate.table) (\(candidate.terms)): \(rejection.sentence)",
        indent: 2, hang: 2, ink: .faint)
    }
  }
}
