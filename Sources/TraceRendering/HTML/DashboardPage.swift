// SPDX-License-Identifier: Apache-2.0

import Dashboards
public import QueryPlans
public import StoreEvents
public import TraceAnalysis
import TraceReading

/// The HTML report of a run: one file that loads no other.
public struct DashboardPage {
  let profile: Profile
  let timeline: Timeline?
  /// The number of statements, callers and others that have rows of their own.
  let top: Int
  /// The findings to show.
  let review: FindingReview
  /// The plans of the statements, where a database was given.
  public var explanations: [StatementID: PlanExplainer.Explanation] = [:]
  public var advice: AdviceReport?
  let verdict: RunVerdict

  let statements: [StatementGroup]
  let callers: [GroupProfile]
  /// By the ids of all statements of a form.
  let statementRows: [StatementID: Int]

  /// - Parameter review: the findings to show, by default the profile's findings without a
  ///   database.
  public init(_ timed: TimedProfile, review: FindingReview? = nil, top: Int = 100) {
    profile = timed.profile
    timeline = timed.timeline
    self.top = top
    self.review = review ?? FindingReview(timed.profile.findings)
    verdict = RunVerdict(profile, self.review)
    let groups = profile.statementGroups(by: .total)
    statements = Array(groups.prefix(top))
    callers = Array(profile.groups(by: .caller).prefix(top))
    let rows = Self.rows(statements, \.fingerprint)
    statementRows = Dictionary(
      profile.statements.compactMap { statement in
        rows[statement.fingerprint].map { (statement.id, $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The row of each element, by a key.
  static func rows<Element, Key: Hashable>(
    _ elements: some Sequence<Element>, _ key: (Element) -> Key
  ) -> [Key: Int] {
    Dictionary(
      elements.enumerated().map { (key($1), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The file.
  ///
  /// - Throws: if an embedded template does not parse.
  public func html() throws -> String {
    var page = Dashboards.Page(title: profile.headline.visible)
    let notice = profile.notice
    let isSmall = profile.completeness.isComplete && profile.completeness.unrecognizedLines == 0
    page.introduction =
      [profile.provenance.visible] + (isSmall ? [notice.text] : [])
      + (profile.completeness.remarks + review.remarks).map(\.visible)
    page.notices =
      [Dashboards.Notice(verdict.sentence.visible, tone: verdict.tone.styleClass)]
      + (isSmall ? [] : [notice])
    page.first = [findingsSection].compactMap(\.self)
    page.totals = profile.facts.map { Dashboards.Fact($0.label, $0.cell.text) }
    page.remarks = [profile.timeSplitSentence, profile.isEmpty ? nil : profile.costOfTracing]
      .compactMap(\.self)
    let isDated = profile.measures.contains(.timeOfDay)
    page.tracks = try timeline.flatMap { isDated ? try tracks(of: $0) : nil }
    if timeline == nil {
      page.remarks.append(
        "No tracks over time: a saved report holds sums and no events; read the trace for them.")
    } else if !isDated, !profile.isEmpty {
      page.remarks.append("No tracks over time: the lines of the log have no dates.")
    }
    page.sections =
      [statementsSection].compactMap(\.self) + adviceSections + groupSections
      + [sourcesSection].compactMap(\.self)
    page.footer = "Made by trace-report html. Everything is in this file."
    return try Dashboards.html(page)
  }
}

extension StatementProfile {
  /// That of its group; see ``Profile/statementGroups``.
  fileprivate var fingerprint: SQLFingerprint { SQLFingerprint(sql: sql ?? "unknown_\(id)") }
}

extension Profile {
  /// The notice above all numbers: whether they can be trusted.
  var notice: Dashboards.Notice {
    let completeness = completeness
    guard completeness.isComplete else {
      let lost = completeness.eventsLost
      let sentence =
        lost > 0
        ? "Incomplete: \(lost.counted("event was", "events were")) lost; every count below may be too low."
        : "Inconclusive: \(readingDoubt(of: completeness))."
      return Dashboards.Notice(sentence, tone: "bad", points: completeness.doubts.map(\.visible))
    }
    let unknown = completeness.unrecognizedLines
    let recordsLosses = reading.sources.allSatisfy(\.recordsLosses)
    let read = "\(completeness.eventsRead.counted("event")) read"
    return Dashboards.Notice(
      recordsLosses
        ? "Complete: \(read), none known to be lost."
        : "\(read). A log of Core Data does not record losses.",
      tone: "",
      points: unknown > 0
        ? ["\(unknown.counted("line was", "lines were")) not recognized; see under Sources."] : [])
  }
}
