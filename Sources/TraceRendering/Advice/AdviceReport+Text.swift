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
      drawing.text(
        "\(effect.statement)  \(steps(effect.before)) → \(steps(effect.after)) steps, "
          + "\(words(effect.time)), \(effect.runs.counted("run"))", indent: 2, hang: 2)
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
      drawing.text("\(statement): \(sentence)", indent: 2, hang: 2, ink: .yellow)
    }
  }

  private func draw(_ creation: IndexAdvice.Creation, _ drawing: inout PlanDrawing) {
    drawing.line("")
    drawing.text(creation.candidate.sql, indent: 2, hang: 2, ink: .bold)
    if let fix = names?.fetchIndexes([creation.candidate]) {
      drawing.text("or: \(fix)", indent: 2, hang: 2)
    } else if let declaration = creation.declaration {
      let entity = creation.entity.map { "in \($0), " } ?? ""
      drawing.text("or \(entity)with the properties' own spelling:", indent: 2, hang: 2)
      drawing.text(declaration, indent: 2, hang: 2)
    } else if let sentence = creation.undeclarableSentence {
      drawing.text(sentence, indent: 2, hang: 2)
    }
    drawing.text("saves \(steps(creation.saving)) steps of the workload", indent: 2)
    if let order = orderSentence(creation) {
      drawing.text(order, indent: 2, hang: 2, ink: .yellow)
    }
    if let entries = entries(creation) { drawing.text(entries, indent: 2, hang: 2) }
    drawing.text(
      cost(creation.bytes, creation.writes, table: creation.candidate.table), indent: 2, hang: 2,
      ink: .faint)
  }

  private func draw(_ removal: IndexAdvice.Removal, _ drawing: inout PlanDrawing) {
    drawing.line("")
    drawing.text(
      "DROP INDEX \(SQLName.quotedIfNeeded(removal.index.name))", indent: 2, hang: 2, ink: .bold)
    drawing.text(removal.sentence, indent: 2, hang: 2)
    drawing.text(
      cost(removal.index.bytes, removal.writes, table: removal.index.table), indent: 2, hang: 2,
      ink: .faint)
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
