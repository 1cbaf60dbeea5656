// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents
import TraceReading

/// The judgement of a run that every report begins with.
///
/// Findings that an exception suppresses are not part of it.
public struct RunVerdict: Hashable, Sendable {
  /// The findings that fail `--fail-on warning`.
  public var warnings: Int
  /// The hints.
  public var notes: Int
  /// The maximum time that all fixes together save; nil where the data do not show it.
  public var savesAtMost: Nanoseconds?
  /// The time that the program spent in SQLite, or in its object store; nil where it is unknown.
  public var time: Nanoseconds?
  /// The first finding, and its subject; nil without findings.
  public var worst: Worst?
  /// The statements that failed.
  public var errors: UInt64
  /// The reasons why a finding may be missing; one sentence each.
  public var gaps: [String]
  /// Whether the inputs hold any work.
  public var isEmpty: Bool
  /// Whether every input shows its losses: a log of Core Data does not.
  public var recordsLosses: Bool

  /// The finding that costs most.
  public struct Worst: Hashable, Sendable {
    /// The finding.
    public var finding: Finding
    /// The rule's problem, as a noun: `a query in a loop`.
    public var problem: String
    /// The entity, table or index that it is about; "" where none is known.
    public var culprit: String
  }

  /// The findings, warnings and notes.
  public var count: Int { warnings + notes }

  /// Whether nothing was found, and nothing is missing.
  public var isClean: Bool { count == 0 && gaps.isEmpty && !isEmpty && recordsLosses }

  /// Judges a run.
  ///
  /// - Parameters:
  ///   - profile: the run.
  ///   - review: its findings, without suppressed ones.
  public init(_ profile: Profile, _ review: FindingReview) {
    self.init(SharedProfile(profile, withSQL: true), review)
  }

  /// Judges a run with statements that may have other ids than in its findings.
  ///
  /// - Parameters:
  ///   - shared: the run as it leaves the machine.
  ///   - review: the findings of the profile before it was shared.
  public init(_ shared: SharedProfile, _ review: FindingReview) {
    let (profile, findings) = (shared.profile, review.findings)
    warnings = findings.count { $0.severity == .warning }
    notes = findings.count - warnings
    time = profile.timeInDatabase
    savesAtMost = Self.saving(of: findings, within: time)
    worst = findings.first.map { finding in
      Worst(
        finding: finding, problem: finding.problem,
        culprit: finding.culprit(of: shared.shared(finding).statement.flatMap(profile.statement)))
    }
    errors = (profile.locks?.failures ?? []).reduce(0) { $0.saturatingSum($1.site.count) }
    let completeness = profile.completeness
    gaps = completeness.doubts + completeness.failures + completeness.cutLogs
    if completeness.eventsLost > 0, gaps.isEmpty {
      gaps = ["\(completeness.eventsLost.counted("event was", "events were")) lost"]
    }
    isEmpty = profile.isEmpty
    recordsLosses = profile.reading.sources.allSatisfy(\.recordsLosses)
  }

  /// The savings of the warnings, or of the notes if there are only notes: of several findings on one
  /// statement at one line the largest, since their fixes save the same time.
  private static func saving(of findings: [Finding], within time: Nanoseconds?) -> Nanoseconds? {
    struct Site: Hashable {
      var statement: StatementID?
      var caller: SourceLocation
    }
    let severity = findings.first?.severity
    var savings: [Site: Nanoseconds] = [:]
    for finding in findings where finding.severity == severity {
      guard let saving = finding.savesAtMost else { continue }
      let site = Site(statement: finding.statement, caller: finding.caller)
      savings[site] = max(savings[site] ?? 0, saving)
    }
    guard !savings.isEmpty else { return nil }
    let sum = savings.values.reduce(Nanoseconds(0)) { $0.saturatingSum($1) }
    return min(sum, time ?? sum)
  }
}

extension Profile {
  /// The one time of a run: in SQLite; of an object store that of its fetches, faults and saves.
  ///
  /// Nil where no input measured it.
  public var timeInDatabase: Nanoseconds? {
    guard totals.isFromStore else { return known(\.totals.connectionTime) }
    let parts = [
      known(\.totals.totalTime), known(\.totals.faultTime), known(\.totals.saveTime),
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.reduce(0) { $0.saturatingSum($1) }
  }
}

extension Finding {
  /// The rule's problem, as a noun: `a query in a loop`.
  public var problem: String {
    Rules.named(rule).map { type(of: $0).explanation.problem } ?? rule
  }

  /// The entity, table or index that it is about: of several tables of a join the one that the fix names.
  ///
  /// - Parameter statement: the statement of the finding.
  public func culprit(of statement: StatementProfile?) -> String {
    guard object.isEmpty else { return object }
    guard let statement else { return "" }
    guard statement.entity.isEmpty else { return statement.entity }
    guard let sql = statement.sql else { return "" }
    let tables = StatementTables.all(in: sql)
    let words = Set(
      fix.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { $0.lowercased() })
    return tables.first { words.contains($0.lowercased()) } ?? tables.first ?? ""
  }
}
