// SPDX-License-Identifier: Apache-2.0

import Dashboards
import QueryPlans
import StoreEvents

extension DashboardPage {
  var adviceSections: [Dashboards.Section] {
    guard let advice else { return [] }
    let found = advice.advice
    let origin =
      "For \(advice.database), SQLite \(advice.sqliteVersion), tried on a copy; \(advice.measured)."
    var blocks: [Dashboards.Block] = [
      .paragraph(advice.sentence, found.creations.isEmpty ? .plain : .good),
      .paragraph(origin, .quiet),
    ]
    if let sentence = advice.scansLeft { blocks.append(.paragraph(sentence, .bad)) }
    if let sentence = StoreNamesNote.sentence(found.storeNames) {
      blocks.append(.paragraph(sentence, .quiet))
    }
    blocks += found.creations.map { .finding(advice.card($0)) }
    blocks += found.removals.map { .finding(advice.card($0)) }
    if let effects = advice.effectsTable(labels: label) { blocks.append(.table(effects)) }
    blocks.append(.paragraph(advice.statisticsSentence, .plain))
    let remarks =
      [found.removalsSkipped].compactMap(\.self).map { "No index to drop was looked for: \($0)." }
      + found.rejections.map { "not advised: \($0.candidate.sql): \($0.sentence)" }
      + found.unmeasured.map { "not measured: \($0.statement): \($0.reason)" }
    blocks += remarks.map { .paragraph($0, .quiet) } + advice.doubts.map { .paragraph($0, .bad) }
    return [Dashboards.Section(anchor: "indexes", name: "Indexes", blocks: blocks)]
  }

  /// The SQL of a statement on one line, or its id if it has no row.
  private func label(_ id: String) -> String {
    let row = UInt64(id, radix: 16).flatMap { statementRows[StatementID(rawValue: $0)] }
    return row.map { Self.label(statements[$0]) } ?? id.visible
  }
}

extension AdviceReport {
  fileprivate func card(_ creation: IndexAdvice.Creation) -> Dashboards.Finding {
    let entity = creation.entity.map { "In \($0)" } ?? "In the entity"
    let declaration = creation.declaration ?? creation.undeclarableSentence
    var card = Dashboards.Finding(
      headline: creation.candidate.sql.visible, severity: "make",
      changes: declaration.map { [.init(entity.visible, $0.visible)] } ?? [],
      summary: "What it costs")
    card.message = [
      cost(creation.bytes, creation.writes, table: creation.candidate.table).visible
    ]
    card.saving =
      ["saves \(steps(creation.saving)) steps of the workload"]
      + [orderSentence(creation)].compactMap { $0?.visible }
    card.reason =
      (creation.declaration == nil
        ? "" : "The properties of the declaration have their own spelling. ")
      + "The saving is what the workload loses without this index and with the other advised ones."
    return card
  }

  fileprivate func card(_ removal: IndexAdvice.Removal) -> Dashboards.Finding {
    var card = Dashboards.Finding(
      headline: removal.sql.visible, severity: "drop", changes: [], summary: "What it costs")
    card.message = [removal.sentence.visible]
    card.reason = cost(removal.index.bytes, removal.writes, table: removal.index.table).visible
    return card
  }

  fileprivate func effectsTable(labels: (String) -> String) -> Dashboards.Table? {
    let changed = advice.effects.filter { $0.before != $0.after }
    guard !changed.isEmpty else { return nil }
    return Dashboards.Table(
      name: "effects", caption: "Statements with and without the advice",
      columns: [
        .init("statement", style: "text"), .init("runs"), .init("steps before"), .init("after"),
        .init("time", style: "text"),
      ],
      rows: changed.map { effect in
        Dashboards.Row([
          Dashboards.Cell(labels(effect.statement)),
          .init(effect.runs.grouped, order: Double(effect.runs)),
          .init(steps(effect.before), order: effect.before),
          .init(steps(effect.after), order: effect.after), Dashboards.Cell(words(effect.time)),
        ])
      })
  }
}
