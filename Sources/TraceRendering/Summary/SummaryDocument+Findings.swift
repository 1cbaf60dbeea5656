// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis
import TraceReading

extension Document {
  // 20 is arbitrary: findings are sorted by their saving, and a user who fixes 20 runs it again.
  private static let minFindings = 20

  public init(findings review: FindingReview, in profile: Profile) {
    let shared = SharedProfile(profile, withSQL: true)
    let verdict = RunVerdict(shared, review)
    self.init(title: profile.headline)
    add(verdict.sentence, verdict.tone)
    blocks += profile.warnings
    blocks += Self.findings(review, in: shared, options: SummaryOptions(top: .max))
    blocks += Self.failures(of: shared.profile, options: SummaryOptions(top: .max))
  }

  static func findings(
    _ review: FindingReview, in shared: SharedProfile, options: SummaryOptions
  ) -> [Block] {
    let profile = shared.profile
    let findings = review.findings
    let remarks: [Block] =
      (review.remarks + review.suppressedSentences).map { .paragraph($0, .quiet) }
      + review.complaints.map { .paragraph($0, .bad) }
      + review.scope(in: profile).map { .paragraph($0, .quiet) }
    guard !findings.isEmpty else { return remarks }
    let listed = findings.prefix(max(options.top, minFindings))
    return [.heading(findingsTitle(findings.count, listed.count))]
      + listed.enumerated().map { .item(Item($1, number: $0 + 1, in: shared)) }
      + moreFindings(findings.count - listed.count, see: "--top, or --json for all")
      .map { .paragraph($0, .quiet) } + remarks
  }

  /// `Findings (6)`, or `Findings (20 of 300)`.
  static func findingsTitle(_ all: Int, _ listed: Int) -> String {
    "Findings" + (all > listed ? rest(all, listed) : " (\(all))")
  }

  static func moreFindings(_ count: Int, see: String) -> [String] {
    count > 0 ? ["\(count.counted("more finding")), which cost less: see \(see)."] : []
  }
}

extension FindingReview {
  /// A sentence on the rules that were not checked.
  func scope(in profile: Profile) -> [String] {
    guard !hasDatabase, !profile.isEmpty else { return [] }
    let plans = profile.reading.plans
    let unknown = profile.statements.count { statement in
      statement.sql.map { plans[SQLFingerprint(sql: $0)] == nil } ?? false
    }
    let subject =
      plans.isEmpty
      ? "Rules on plans, indexes and large columns"
      : unknown == 0
        ? "The plans are those of the log. Rules on indexes and large columns"
        : """
        The plans are those of the log; it has none of \(unknown.counted("statement")). Rules on \
        these plans, on indexes and large columns
        """
    return ["\(subject) were not checked: they need --database FILE."]
  }

  /// The findings that were suppressed, with their reasons.
  var suppressedSentences: [String] {
    suppressed.map { suppressed in
      let location = suppressed.finding.caller.text ?? suppressed.finding.object
      return "excused: \(suppressed.finding.rule)\(location.isEmpty ? "" : " at \(location)"): "
        + suppressed.exception.reason
    }
  }
}

extension Document.Item {
  fileprivate init(_ finding: Finding, number: Int, in shared: SharedProfile) {
    var lines: [Document.Fact] = [.init("", .text(finding.message))]
    if let id = shared.shared(finding).statement, let sql = shared.profile.statement(id)?.sql {
      lines.append(.init("", .sql(sql)))
    }
    if finding.saving == nil, finding.timeOfCause > 0 {
      lines.append(.init("time", .duration(finding.timeOfCause)))
    }
    if let saving = finding.saving {
      lines.append(
        .init(
          "potential saving",
          .text("up to \(Cell.duration(saving.atMost).text) (\(saving.basis))")))
    }
    lines.append(.init("fix", .text(finding.fix)))
    if let trial = finding.trialText { lines.append(.init("", .text(trial))) }
    if finding.confidence != .high {
      lines.append(.init("confidence", .text(finding.confidence.rawValue)))
    }
    self.init(
      tone: finding.severity == .warning ? .bad : .plain,
      headline: "\(number). \(finding.severity.rawValue): \(finding.rule)",
      location: finding.caller.text ?? (finding.statement == nil ? finding.object : ""),
      lines: lines)
  }
}
