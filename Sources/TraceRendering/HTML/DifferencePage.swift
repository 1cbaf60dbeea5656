// SPDX-License-Identifier: Apache-2.0

import Dashboards
public import QueryPlans
import StoreEvents
public import TraceAnalysis

/// The HTML report of two runs side by side: one file that loads no other.
public struct DifferencePage {
  let difference: ProfileDifference
  let before: String
  let after: String
  let top: Int
  /// The plans of each run's statements by their SQL, where its database was given.
  public var plansBefore: [String: PlanExplainer.Explanation] = [:]
  public var plansAfter: [String: PlanExplainer.Explanation] = [:]

  public init(
    _ difference: ProfileDifference, before: String, after: String, top: Int = 100
  ) {
    (self.difference, self.before, self.after, self.top) = (difference, before, after, top)
  }

  /// The file.
  ///
  /// - Throws: if an embedded template does not parse.
  public func html() throws -> String {
    var page = Dashboards.Page(title: "\(before) → \(after)".visible)
    page.introduction = [
      "before: \(difference.before.provenance)".visible,
      "after: \(difference.after.provenance)".visible,
    ]
    page.notices = notices
    page.sections =
      findingsSections + [
        Dashboards.Section(anchor: "totals-of-both", name: "Totals", blocks: [.table(totalsTable)]),
        Dashboards.Section(
          anchor: "pairs", name: "Statements",
          heading: "Statements, per run\(Document.rest(difference.pairs.count, listed.count))",
          blocks: listed.isEmpty
            ? [.paragraph("Neither run has a statement.")]
            : [
              .table(pairsTable),
              .paragraph(Document.remark(on: listed), .quiet),
            ]),
      ]
    page.footer = "Made by trace-report diff. Everything is in this file."
    return try Dashboards.html(page)
  }

  /// The findings that came and went.
  private var findingsSections: [Dashboards.Section] {
    let (new, gone) = (difference.findings.new, difference.findings.gone)
    let suppressed = Document.suppressed(difference).map {
      Dashboards.Block.paragraph($0, tone: "quiet")
    }
    guard !new.isEmpty || !gone.isEmpty || suppressed != nil else { return [] }
    func line(_ word: String, _ finding: Finding, _ profile: Profile) -> Dashboards.Block {
      let culprit = finding.culprit(of: finding.statement.flatMap(profile.statement))
      let locationText = finding.caller.text.map { " at \($0)" } ?? ""
      let text = "\(word): \(finding.phrase(finding.problem, culprit))\(locationText)"
      return .paragraph(text, word == "new" ? .bad : .good)
    }
    let blocks =
      new.prefix(top).flatMap { finding in
        [line("new", finding, difference.after)]
          + [finding.message, "Fix: \(finding.fix)"].map { .paragraph($0, .plain) }
      } + gone.prefix(top).map { line("gone", $0, difference.before) }
      + (suppressed.map { [$0] } ?? [])
    return [Dashboards.Section(anchor: "findings", name: "Findings", blocks: blocks)]
  }

  var listed: [ProfileDifference.Pair] { Array(difference.pairs.prefix(top)) }

  private var notices: [Dashboards.Notice] {
    let sides = [("before", difference.before), ("after", difference.after)]
    let doubts = sides.compactMap { name, profile -> Dashboards.Notice? in
      guard !profile.completeness.isComplete else { return nil }
      return Dashboards.Notice(
        "\(name) is incomplete: its counts may be too low.", tone: "bad",
        points: profile.completeness.doubts.map(\.visible))
    }
    return [Dashboards.Notice(difference.sentence.visible, tone: difference.tone.styleClass)]
      + doubts
  }

  private var totalsTable: Dashboards.Table {
    Dashboards.Table(
      Document.totals(difference), name: "totals-of-both", caption: "Totals of both runs")
  }
}
