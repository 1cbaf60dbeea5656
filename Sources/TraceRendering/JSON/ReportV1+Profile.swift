// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis
import TraceReading

extension ReportV1 {
  /// The report of a profile, statements in the order requested.
  ///
  /// - Parameters:
  ///   - shared: the profile, with the texts that may be shown.
  ///   - options: the order and the number of the rows.
  ///   - review: the findings to show, of the profile before it was shared; nil for all that the shared profile has.
  ///   - withProfile: false for a smaller report, which cannot be read again.
  public init(
    _ shared: SharedProfile, options: SummaryOptions = SummaryOptions(top: .max),
    review: FindingReview? = nil, withProfile: Bool = true
  ) {
    let profile = shared.profile
    let review = review ?? FindingReview(profile.findings)
    self.init(
      sources: profile.reading.sources.map(Source.init),
      completeness: Completeness(profile.completeness),
      measured: profile.measures.names, totals: Totals(profile.totals),
      tracing: profile.tracingCost.map {
        Tracing(timeNs: $0.time, timePerEventNs: $0.timePerEvent)
      },
      statements: profile.statements(by: options.order).prefix(options.top)
        .map { Statement($0, measured: profile.measures) },
      faults: profile.faults.prefix(options.top).map(Fault.init),
      saves: profile.saves.prefix(options.top).map(Save.init),
      findings: review.findings.map { Finding($0, in: shared) },
      errors: (profile.locks?.failures ?? []).prefix(options.top).map(Failure.init),
      verdict: Verdict(RunVerdict(shared, review)),
      excused: review.suppressed.map { Excused($0, in: shared) },
      exceptionProblems: review.complaints,
      groups: options.grouping.map { grouping in
        profile.groups(by: grouping).prefix(options.top).map(Group.init)
      }, tests: profile.observed?.tests.map(Tests.init), profile: withProfile ? profile : nil,
      check: withProfile ? try? SavedReport.check(of: profile) : nil)
  }
}

extension ReportV1.Tests {
  init(_ tests: [TestProfile]) {
    self.init(
      count: tests.count, statements: tests.statements)
  }
}

extension ReportV1.Verdict {
  init(_ verdict: RunVerdict) {
    self.init(
      sentence: verdict.sentence, warnings: verdict.warnings, notes: verdict.notes,
      savesAtMostNs: verdict.savesAtMost, timeNs: verdict.time, worst: verdict.worst?.phrase,
      gaps: verdict.gaps)
  }
}

extension ReportV1.Failure {
  fileprivate init(_ failure: FailureSite) {
    let site = failure.site
    self.init(
      count: site.count, error: failure.error, statement: "\(site.statement)", sql: site.sql,
      caller: site.location.text, cause: failure.cause)
  }
}

extension ReportV1.Source {
  fileprivate init(_ source: SourceReport) {
    self.init(
      path: source.path, kind: source.kind.rawValue, eventsRead: source.eventsRead,
      eventsLost: source.eventsLost, unrecognizedLines: source.unrecognizedLines)
  }
}

extension ReportV1.Completeness {
  init(_ completeness: TraceAnalysis.Completeness) {
    self.init(
      eventsRead: completeness.eventsRead, eventsLost: completeness.eventsLost,
      unrecognizedLines: completeness.unrecognizedLines, doubts: completeness.doubts,
      remarks: completeness.remarks)
  }
}

extension ReportV1.Totals {
  init(_ totals: Profile.Totals) {
    self.init(
      fetches: totals.fetches, counts: totals.counts, rows: totals.rows, faults: totals.faults,
      relationshipFaults: totals.relationshipFaults, cacheMisses: totals.cacheMisses,
      saves: totals.saves, connectionNs: totals.connectionTime, totalNs: totals.totalTime,
      nestedFetches: totals.nestedFetches, cacheHits: totals.cacheHits,
      faultNs: totals.faultTime, saveNs: totals.saveTime, errors: totals.errors)
  }
}

extension ReportV1.Statement {
  init(_ statement: StatementProfile, measured: Measures) {
    let work = statement.work
    self.init(
      fields: .init(
        id: statement.id.description, sql: statement.sql, entity: statement.entity,
        count: work.count, rows: work.rows, connectionNs: work.connectionTime,
        totalNs: work.totalTime, p50Ns: statement.latency.p50, p95Ns: statement.latency.p95,
        p99Ns: statement.latency.p99, maxNs: statement.latency.max,
        cacheMisses: statement.misses, callers: statement.callers.map(ReportV1.Caller.init),
        fingerprint: statement.sql.map { SQLFingerprint(sql: $0).description },
        meanNs: work.meanTime, waitNs: work.waitTime, prepareNs: work.prepareTime,
        stepNs: work.stepTime, materializeNs: work.materializeTime,
        measured: work.measures == measured ? nil : work.measures.names),
      counters: .init(work.counter))
  }
}

extension ReportV1.Group {
  fileprivate init(_ group: GroupProfile) {
    self.init(
      name: group.name, count: group.work.count, rows: group.work.rows,
      vmSteps: group.work.vmSteps, fullScanSteps: group.work.fullScanSteps,
      totalNs: group.work.totalTime, meanNs: group.work.meanTime, p50Ns: group.latency.p50,
      p95Ns: group.latency.p95, p99Ns: group.latency.p99, maxNs: group.latency.max,
      cacheHits: group.cacheHits, cacheMisses: group.cacheMisses, faultNs: group.faultTime,
      saves: group.saves, saveNs: group.saveTime)
  }
}

extension ReportV1.Caller {
  fileprivate init(_ caller: CallerProfile) {
    self.init(
      file: caller.location.file, line: caller.location.line, count: caller.work.count,
      rows: caller.work.rows, totalNs: caller.work.totalTime)
  }
}

extension ReportV1.Fault {
  fileprivate init(_ fault: FaultProfile) {
    self.init(
      entity: fault.origin.entity, relationship: fault.origin.relationship,
      caller: ReportV1.Place(fault.origin.location), cacheHits: fault.hits,
      cacheMisses: fault.misses, missNs: fault.missTime)
  }
}

extension ReportV1.Save {
  fileprivate init(_ save: SaveProfile) {
    self.init(
      caller: ReportV1.Place(save.location), count: save.count, inserted: save.inserted,
      updated: save.updated, deleted: save.deleted, waitNs: save.waitTime,
      writeNs: save.writeTime, commitNs: save.commitTime, totalNs: save.totalTime)
  }
}

extension ReportV1.Place {
  /// Nil where the source does not contain the line.
  init?(_ location: SourceLocation) {
    guard !location.file.isEmpty else { return nil }
    self.init(file: location.file, line: location.line)
  }
}

extension ReportV1.Excused {
  fileprivate init(_ suppressed: FindingReview.Suppressed, in shared: SharedProfile) {
    self.init(
      finding: ReportV1.Finding(suppressed.finding, in: shared),
      reason: suppressed.exception.reason,
      expires: suppressed.exception.expires)
  }
}

extension ReportV1.Finding {
  init(_ finding: TraceAnalysis.Finding, in shared: SharedProfile) {
    let finding = shared.shared(finding)
    self.init(
      rule: finding.rule, severity: finding.severity.rawValue,
      statement: finding.statement?.description,
      caller: ReportV1.Place(finding.caller),
      message: finding.message,
      evidence: Dictionary(
        shared.profile.evidence(of: finding).map { ($0.name, $0.value) },
        uniquingKeysWith: { first, _ in first }),
      fix: finding.fix, savesAtMostNs: finding.savesAtMost,
      savingBasis: finding.saving?.basis, confidence: finding.confidence.rawValue,
      object: finding.object.isEmpty ? nil : finding.object,
      trial: finding.trial.map { .init(stepsBefore: $0.before, stepsAfter: $0.after) },
      tests: shared.profile.tests(of: finding))
  }
}
