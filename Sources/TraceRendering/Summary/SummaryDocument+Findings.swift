// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  static func findings(_ findings: [Finding], in profile: Profile) -> [Block] {
    guard !findings.isEmpty else {
      let sentence =
        profile.statements.isEmpty && profile.faults.isEmpty
        ? "Nothing was fetched, so there is nothing to judge." : "No findings."
      let tone: Tone = profile.completeness.isComplete ? .good : .plain
      return [.heading("Findings"), .paragraph(sentence, tone)]
    }
    return [.heading("Findings (\(findings.count))")]
      + findings.enumerated().map { .item(Item($1, number: $0 + 1, in: profile)) }
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
