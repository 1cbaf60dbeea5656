// SPDX-License-Identifier: Apache-2.0

import Dashboards
import StoreEvents
import TraceAnalysis

extension DashboardPage {
  var findingsSection: Dashboards.Section? {
    let (count, listed) = (review.findings.count, review.findings.prefix(top))
    var blocks: [Dashboards.Block] = listed.enumerated().map {
      .finding(card($1, number: $0 + 1))
    }
    blocks += Document.moreFindings(count - listed.count, see: "--top").map {
      .paragraph($0, .quiet)
    }
    if blocks.isEmpty { blocks = [noFindings] }
    blocks += review.suppressedSentences.map { .paragraph($0, .quiet) }
    blocks += review.complaints.map { .paragraph($0, .bad) }
    blocks += review.scope(in: profile).map { .paragraph($0, .quiet) }
    return Dashboards.Section(
      anchor: "findings", name: count > 0 ? "Findings (\(UInt64(count).grouped))" : "Findings",
      heading: count > 0 ? Document.findingsTitle(count, listed.count) : nil, blocks: blocks)
  }

  private var noFindings: Dashboards.Block {
    profile.isEmpty
      ? .paragraph("There are no events, so there is nothing to judge.")
      : .paragraph("No findings.", profile.completeness.isComplete ? .good : .plain)
  }

  private func card(_ finding: Finding, number: Int) -> Dashboards.Finding {
    var card = Dashboards.Finding(
      headline: "\(number). \(finding.message)".visible, severity: finding.severity.rawValue,
      changes: [.init("Fix", finding.fix.visible)],
      summary: "Evidence and reason; confidence \(finding.confidence.rawValue)")
    card.rule = [finding.rule]
    card.number = [number]
    card.statement = [finding.statement.flatMap { statementRows[$0] }].compactMap(\.self)
    card.caller = [callers.firstIndex { $0.name == finding.caller.text }].compactMap(\.self)
    card.sql = [finding.statement.flatMap(profile.statement)?.sql].compactMap(\.self)
      .map { SQLText.shortened($0).visible }
    card.code = [finding.sqlOfFix].compactMap(\.self).map(\.visible)
    if let trial = finding.trialText { card.evidence.append(.init("the index", trial)) }
    card.place = [finding.caller.text ?? (finding.statement == nil ? finding.object : "")]
      .filter { !$0.isEmpty }.map(\.visible)
    card.link = finding.statement.flatMap { statementRows[$0] }.map { ["statements-\($0)"] } ?? []
    card.saving = [finding.shareText(of: verdict.time)].compactMap(\.self)
    if let saving = finding.saving {
      card.evidence.append(.init("the saving is", saving.basis.visible))
    }
    card.evidence += profile.evidence(of: finding).map(\.fact)
    if let rule = Rules.named(finding.rule) {
      let explanation = type(of: rule).explanation
      card.reason = "\(explanation.law) \(explanation.reason)"
    }
    return card
  }
}

extension Finding {
  /// `up to 95.2 ms, 91% of the time`.
  fileprivate func shareText(of time: Nanoseconds?) -> String? {
    guard let costText else { return nil }
    guard let time, time > 0 else { return costText }
    return "\(costText), \(Cell.ratio(min(Double(cost) / Double(time), 1)).text) of the time"
  }

  /// `CREATE INDEX a ON b (c)` of a fix, up to the words after the SQL.
  var sqlOfFix: String? {
    guard let start = fix.firstRange(of: "CREATE INDEX")?.lowerBound else { return nil }
    var level = 0
    for index in fix[start...].indices {
      if fix[index] == "(" { level += 1 }
      guard fix[index] == ")" else { continue }
      level -= 1
      if level == 0 { return String(fix[start...index]) + ";" }
    }
    return nil
  }
}

extension Finding.Evidence {
  /// `fullScanSteps 12800` as `full scan steps: 12,800`, `connectionNs` as a duration.
  fileprivate var fact: Dashboards.Fact {
    let isTime = name.hasSuffix("Ns")
    let words = (isTime ? String(name.dropLast(2)) : name).reduce(into: "") { words, character in
      words += character.isUppercase ? " \(character.lowercased())" : String(character)
    }
    let count = (value < 0 ? "-" : "") + value.magnitude.grouped
    return Dashboards.Fact(words.visible, isTime ? Cell.duration(value).text : count)
  }
}
