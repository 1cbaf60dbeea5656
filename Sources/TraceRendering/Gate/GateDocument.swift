// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

extension Document {
  /// The verdict first, then the worse, better and new statements.
  ///
  /// - Parameters:
  ///   - baseline: the baseline's file.
  ///   - update: the command that accepts this run as the new baseline.
  ///   - top: the regressions to list, the worst first, with the numbers of everything else; nil for all.
  public init(gate result: GateResult, baseline: String, update: String, top: Int? = nil) {
    self.init(title: "gate: \(result.verdict.rawValue)")
    let isPass = result.verdict == .same || result.verdict == .mixed
    add(result.sentence(baseline), isPass ? .good : .bad)
    blocks += result.doubts.map { .paragraph("  - " + $0, .bad) }
    blocks += result.reservations.map { .paragraph("  - " + $0, .bad) }
    if let top {
      blocks += Self.worst(top, of: result)
      return
    }
    blocks += Self.section("Regressions", result.regressions, .bad)
    blocks += Self.section("Mixed: far less of one, a little more of another", result.mixed, .plain)
    blocks += Self.section("Regressions that are excused", result.suppressed, .plain)
    blocks += result.complaints.map { .paragraph($0, .bad) }
    blocks += result.remarks.map { .paragraph($0) }
    blocks += Self.section("Slower", result.slower, .bad)
    blocks += Self.section("Improvements", result.improvements, .good)
    blocks += Self.section("Faster", result.faster, .good)
    if !(result.improvements.isEmpty && result.rewritten.isEmpty && result.mixed.isEmpty),
      result.regressions.isEmpty,
      result.doubts.isEmpty
    {
      add("Tighten the baseline with: \(update)")
    }
    blocks += Self.section("Rewritten, no worse", result.rewritten, .plain)
    blocks += Self.section("Other plans, no worse", result.replanned, .plain)
    blocks += Self.tests("Tests that the baseline does not have", result.appeared)
    blocks += Self.section(
      "Statements that the baseline does not have", result.appeared.filter { $0.test == nil },
      .plain)
    blocks += Self.tests("Tests that only the baseline has", result.gone)
    blocks += Self.section(
      "Statements that only the baseline has", result.gone.filter { $0.test == nil }, .plain)
  }

  private static func worst(_ top: Int, of result: GateResult) -> [Block] {
    let all = result.regressions.sorted { a, b in
      (a.finding?.cost ?? 0, a.addedSteps) > (b.finding?.cost ?? 0, b.addedSteps)
    }
    let slower = top - min(top, all.count)
    let others: [(String, Int)] = [
      ("slower", result.slower.count - min(slower, result.slower.count)),
      ("mixed", result.mixed.count), ("excused", result.suppressed.count),
      ("with less work", result.improvements.count), ("faster", result.faster.count),
      ("rewritten", result.rewritten.count), ("with another plan", result.replanned.count),
      ("only in this run", result.appeared.count), ("only in the baseline", result.gone.count),
    ]
    let rest = others.filter { $0.1 > 0 }.map { "\(UInt64($0.1).grouped) \($0.0)" }
    return section("Regressions", all, .bad, top: top)
      + section("Slower", Array(result.slower.prefix(slower)), .bad)
      + (result.complaints + result.remarks).map { .excerpt($0, .plain, lines: 2) }
      + (rest.isEmpty
        ? [] : [.paragraph(""), .paragraph("Others: \(rest.joined(separator: ", ")).")])
  }

  /// A name for each line, and no more than a screen needs: a change may rename thousands.
  private static func tests(_ title: String, _ differences: [GateResult.Difference]) -> [Block] {
    let names = differences.compactMap(\.test)
    guard !names.isEmpty else { return [] }
    let more = names.count > 5 ? ["and \(UInt64(names.count - 5).grouped) more"] : []
    return [.heading("\(title) (\(UInt64(names.count).grouped))")]
      + (names.prefix(5) + more).map { .paragraph($0) }
  }

  private static func section(
    _ title: String, _ differences: [GateResult.Difference], _ tone: Tone, top: Int = .max
  ) -> [Block] {
    guard !differences.isEmpty else { return [] }
    let number = top < differences.count ? "\(top) of \(differences.count)" : "\(differences.count)"
    return [.heading("\(title) (\(number))")]
      + differences.prefix(top).map { .item(Item($0, tone: tone)) }
  }
}

extension Document {
  private static func section(
    _ title: String, _ changes: [TimingGate.Change], _ tone: Tone
  ) -> [Block] {
    guard !changes.isEmpty else { return [] }
    return [.heading("\(title) (\(changes.count))")]
      + changes.map { change in
        .item(
          Item(
            tone: tone, headline: change.summary, location: change.caller.text ?? "",
            lines: [.init("", .sql(change.sql))]))
      }
  }
}

extension GateResult.Difference {
  fileprivate var addedSteps: UInt64 {
    changes.first { $0.metric == .vmSteps && $0.isWorse }.map {
      $0.after - min($0.before, $0.after)
    }
      ?? 0
  }
}

extension GateResult {
  fileprivate func sentence(_ baseline: String) -> String {
    switch verdict {
    case .same:
      (improvements + rewritten).allSatisfy(\.changes.isEmpty)
        ? "Does the same work as \(baseline)." : "Does less work than \(baseline)."
    case .mixed: "Does far less of one kind of work than \(baseline), and a little more of another."
    case .regression where regressions.isEmpty && !slower.isEmpty:
      "Does no more work than \(baseline), and takes longer: look at the lines named below."
    case .regression: "Does more work than \(baseline): look at the lines named below."
    case .inconclusive: "Cannot be compared with \(baseline); this is not a pass:"
    }
  }
}

extension Document.Item {
  fileprivate init(_ difference: GateResult.Difference, tone: Document.Tone) {
    var lines: [Document.Fact] = []
    if let sql = difference.sqlBefore {
      lines.append(.init("", .sql(sql)))
    }
    lines += difference.joined.map { .init("", .sql("+ " + $0)) }
    if let sql = difference.sql {
      lines.append(.init("", .sql(difference.sqlBefore == nil ? sql : "→ " + sql)))
    }
    if let finding = difference.finding {
      if !difference.changes.isEmpty {
        lines.append(.init("new \(finding.rule)", .text(finding.message)))
      }
      lines.append(.init("fix", .text(finding.fix)))
    }
    if let plan = difference.planAfter {
      lines.append(.init("plan was", .text(difference.planBefore?.text ?? "unknown")))
      lines.append(.init("plan is", .text(plan.text)))
    }
    let subject = difference.sql == nil && difference.finding == nil ? "in all: " : ""
    self.init(
      tone: tone, headline: subject + difference.summary,
      location: difference.caller.text ?? "", lines: lines)
  }
}

extension BaselineV1.Plan {
  fileprivate var text: String { steps.joined(separator: "; ") }
}
