// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis

/// The output of `summary --json --brief`, version 1: the first screen for programs.
public struct BriefV1: Codable, Hashable, Sendable, BriefReport {
  public var schemaVersion = 1
  public var verdict: ReportV1.Verdict
  public var findings: [Finding]
  /// Findings that the budget has no room for: they cost less.
  public var leftOut: Int
  /// Findings that an exception suppresses.
  public var excused: Int
  /// The checks on each database, and the checks that were skipped.
  public var remarks: [String]
  /// The command to type next; null where the inputs cannot be read again.
  public var next: String?

  public struct Finding: Codable, Hashable, Sendable {
    /// Sixteen hexadecimal digits: the same in each run of the same code.
    public var id: String
    public var rule: String
    /// `note` or `warning`.
    public var severity: String
    /// `high`, `medium` or `low`.
    public var confidence: String
    /// `app.py:42`; null where it is unknown.
    public var at: String?
    public var problem: String
    public var message: String
    /// The id of the statement, for `statement` and `plans`; null for a finding on a schema.
    public var statement: String?
    /// The form, a long one without its middle.
    public var sql: String?
    public var fix: String
    /// The VM steps of a run before and after the fix, tried on a copy of the database; null where it was not.
    public var trial: ReportV1.Finding.Trial?
  }

  // 3 is arbitrary: the verdict has to fit.
  private static let maxSentences = 3

  public init(_ profile: Profile, review: FindingReview, next: String?) {
    let shared = SharedProfile(profile)
    verdict = ReportV1.Verdict(RunVerdict(shared, review))
    let more = verdict.gaps.count - Self.maxSentences
    verdict.gaps = verdict.gaps.prefix(Self.maxSentences) + (more > 0 ? ["\(more) more"] : [])
    let ids = FindingIDs(review.findings + review.suppressed.map(\.finding), in: profile)
    findings = review.findings.map { Finding($0, id: ids.id(of: $0), in: shared) }
    leftOut = 0
    excused = review.suppressed.count
    remarks = Array((review.remarks + review.complaints).prefix(Self.maxSentences))
    self.next = next
  }

  public var items: Int { findings.count }

  public func prefix(_ items: Int) -> Self {
    var part = self
    part.findings = Array(findings.prefix(items))
    part.leftOut = findings.count - part.findings.count
    return part
  }
}

extension BriefV1.Finding {
  // 400 is arbitrary: the columns and the WHERE of most statements.
  private static let maxSQL = 400

  init(_ finding: TraceAnalysis.Finding, id: String, in profile: SharedProfile) {
    let shared = profile.shared(finding)
    let statement = shared.statement.flatMap(profile.profile.statement)
    self.init(
      id: id, rule: finding.rule, severity: finding.severity.rawValue,
      confidence: finding.confidence.rawValue, at: finding.caller.text,
      problem: finding.phrase(finding.problem, finding.culprit(of: statement)),
      message: finding.message, statement: shared.statement?.description,
      sql: statement?.sql.map { sql in
        let form = SharedStatement(sql: sql).text
        return form.count > Self.maxSQL ? FindingSQL(form, of: finding).line(Self.maxSQL) : form
      }, fix: finding.fix,
      trial: finding.trial.map { .init(stepsBefore: $0.before, stepsAfter: $0.after) })
  }
}
