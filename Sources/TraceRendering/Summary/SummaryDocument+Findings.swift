// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  static func findings(_ review: FindingReview, in profile: Profile) -> [Block] {
    let findings = review.findings
    let remarks = review.remarks
    guard !findings.isEmpty else {
      let sentence =
        profile.statements.isEmpty && profile.faults.isEmpty
        ? "Nothing was fetched, so there is nothing to judge." : "No findings."
      let tone: Tone = profile.completeness.isComplete ? .good : .plain
      return [.heading("Findings"), .paragraph(sentence, tone)] + remarks
    }
    return [.heading("Findings (\(findings.count))")]
      + findings.enumerated().map { .item(Item($1, number: $0 + 1, in: profile)) } + remarks
  }
}

extension FindingReview {
  /// What was excused and why, and what is wrong with the exceptions.
  fileprivate var remarks: [Document.Block] {
    excused.map { excused in
      let place = excused.finding.caller.text ?? excused.finding.object
      return .paragraph(
        "excused: \(excused.finding.rule)\(place.isEmpty ? "" : " at \(place)"): "
          + excused.exception.reason, .quiet)
    } + complaints.map { .paragraph($0, .bad) }
  }
}

extension Document.Item {
  fileprivate init(_ finding: Finding, number: Int, in profile: Profile) {
    var lines: [Document.Fact] = [.init("", .text(finding.message))]
    if let id = finding.statement, let sql = profile.statement(id)?.sql {
      lines.append(.init("", .sql(sql)))
    }
    lines.append(.init("fix", .text(finding.fix)))
    if let saving = finding.saving {
      lines.append(
        .init("saves at most", .text("\(Cell.duration(saving.atMost).text): \(saving.basis)")))
    }
    if finding.confidence != .high {
      lines.append(.init("confidence", .text(finding.confidence.rawValue)))
    }
    self.init(
      tone: finding.severity == .warning ? .bad : .plain,
      headline: "\(number). \(finding.severity.rawValue): \(finding.rule)",
      place: finding.caller.text ?? (finding.statement == nil ? finding.object : ""),
      lines: lines)
  }
}
