// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceAnalysis

extension AdviceReport {
  /// The report for a terminal or a pipe; it ends in a newline.
  public func text(_ style: TextStyle = .plain) -> String {
    var drawing = PlanDrawing(style: style)
    drawing.paragraph("Indexes for \(database) (SQLite \(sqliteVersion)), tried on a copy", .bold)
    drawing.paragraph(measured, .faint)
    if let sentence = StoreNamesNote.sentence(advice.storeNames) {
      drawing.paragraph(sentence, .faint)
    }
    drawing.line("")
    drawing.paragraph(sentence, advice.creations.isEmpty ? .bold : .green)
    for creation in advice.creations { draw(creation, &drawing) }
    if !advice.creations.isEmpty { drawing.line("") }
    for effect in advice.effects where effect.after != effect.before {
      drawing.text(
        "\(effect.statement)  \(time(effect.before)) → \(time(effect.after)), "
          + effect.runs.counted("run"), indent: 2)
    }
    for removal in advice.removals { draw(removal, &drawing) }
    if !advice.unmeasured.isEmpty { drawing.line("") }
    for (statement, reason) in advice.unmeasured {
      drawing.text("not measured: \(statement): \(reason)", indent: 0, hang: 2, ink: .yellow)
    }
    for doubt in doubts + cancellation { drawing.paragraph(doubt, .yellow) }
    return drawing.output
  }

  var measured: String {
    "\(advice.effects.count.counted("statement")) timed with sampled values, "
      + "\(advice.tried.counted("index", "indexes")) tried"
  }

  var sentence: String {
    guard !advice.creations.isEmpty else {
      return advice.wasCancelled
        ? "No index was found worth having until then." : "No new index is worth having."
    }
    let count = advice.creations.count.counted("index", "indexes")
    return "Make \(count): the workload's statements then take \(time(advice.after)) in place of "
      + "\(time(advice.before))."
  }

  private func draw(_ creation: IndexAdvice.Creation, _ drawing: inout PlanDrawing) {
    drawing.line("")
    drawing.text(creation.candidate.sql, indent: 2, hang: 2, ink: .bold)
    if let declaration = creation.declaration {
      let entity = creation.entity.map { "in \($0), " } ?? ""
      drawing.text("or \(entity)with the properties' own spelling:", indent: 2, hang: 2)
      // Not through text(_:), to which a backslash is one to escape.
      drawing.line("  " + declaration)
    } else {
      drawing.text(creation.undeclarableSentence ?? "", indent: 2, hang: 2)
    }
    drawing.text("saves \(time(creation.saving)) of the workload", indent: 2)
    drawing.text(
      cost(creation.bytes, creation.writeBefore, creation.writeAfter), indent: 2, hang: 2,
      ink: .faint)
  }

  private func draw(_ removal: IndexAdvice.Removal, _ drawing: inout PlanDrawing) {
    drawing.line("")
    drawing.text(
      "DROP INDEX \(SQLName.quotedIfNeeded(removal.index.name))", indent: 2, hang: 2, ink: .bold)
    drawing.text(removal.sentence, indent: 2, hang: 2)
    drawing.text(
      cost(removal.index.bytes, removal.writeBefore, removal.writeAfter), indent: 2, hang: 2,
      ink: .faint)
  }

  func cost(_ bytes: UInt64?, _ before: WriteCost?, _ after: WriteCost?) -> String {
    let size = bytes.map { "\(Cell.bytes($0).text); " } ?? ""
    guard let before, let after else {
      if advice.wasCancelled { return "interrupted before its size and its writes were measured" }
      return size + "what a write costs could not be measured: its rows cannot be copied"
    }
    return size + "a row's insert \(time(before.insert)) → \(time(after.insert)), "
      + "its update \(time(before.update)) → \(time(after.update))"
  }

  func time(_ nanoseconds: Double) -> String {
    Cell.duration(Int64(exactly: nanoseconds.rounded()) ?? 0).text
  }
}

extension IndexAdvice.Removal {
  /// What the index is of, and why it may go.
  var sentence: String {
    let reason =
      switch reason {
      case .unused: "no statement of this workload uses it; another workload may"
      case .redundant(let other): "'\(other)' serves what it serves"
      }
    return "\(index.table) (\(index.termsText)): \(reason)"
  }
}
