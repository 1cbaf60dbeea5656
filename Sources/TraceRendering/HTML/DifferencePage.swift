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

  /// - Parameters:
  ///   - before: the name of the one run.
  ///   - after: the name of the other.
  public init(
    _ difference: ProfileDifference, before: String, after: String, top: Int = 100
  ) {
    self.difference = difference
    self.before = before
    self.after = after
    self.top = top
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
    page.sections = [
      Dashboards.Section(anchor: "totals-of-both", name: "Totals", blocks: [.table(totalsTable)]),
      Dashboards.Section(
        anchor: "pairs", name: "Statements",
        heading: "Statements, per run\(Document.rest(difference.pairs.count, listed.count))",
        blocks: listed.isEmpty
          ? [.paragraph("Neither run has a statement.")]
          : [
            .table(pairsTable),
            .paragraph(Document.remark(on: listed), tone: "quiet small"),
          ]),
    ]
    page.footer = "Made by trace-report diff. Everything is in this file."
    return try Dashboards.html(page)
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
    return doubts + [Dashboards.Notice(gain, tone: isGain && doubts.isEmpty ? "good" : "")]
  }

  private var isGain: Bool { storeTime.before > storeTime.after && storeTime.after > 0 }

  /// The sum for fetches, faults and saves: a change may move work from one to another.
  private var storeTime: (before: Nanoseconds, after: Nanoseconds) {
    (difference.before.totals.storeTime, difference.after.totals.storeTime)
  }

  /// States how the store's time changed, and the counts that explain it.
  ///
  ///     Fetches, faults and saves took 812 ms → 14.0 ms: 58.0× faster; full-scan steps 1,204,512 → 0,
  ///     cache misses 184 → 0.
  private var gain: String {
    func scans(_ profile: Profile) -> UInt64? {
      let steps = profile.statements.compactMap { $0.work.known(\.fullScanSteps) }
      return steps.isEmpty && !profile.statements.isEmpty ? nil : steps.reduce(0, &+)
    }
    func counts(_ name: String, _ count: (Profile) -> UInt64?) -> String? {
      guard let before = count(difference.before), let after = count(difference.after) else {
        return nil
      }
      return "\(name) \(before.grouped) → \(after.grouped)"
    }
    let causes = [
      counts("full-scan steps", scans), counts("cache misses") { $0.known(\.totals.cacheMisses) },
    ].compactMap(\.self).joined(separator: ", ")
    let (before, after) = storeTime
    guard before > 0 || after > 0 else {
      return causes.isEmpty ? "The inputs have no times." : "Counts: \(causes)."
    }
    let change =
      before > 0 && after > 0 ? ": " + Document.change(Double(before) / Double(after)) : ""
    return "Fetches, faults and saves took \(Cell.duration(before).text) → "
      + "\(Cell.duration(after).text)\(change)\(causes.isEmpty ? "" : "; ")\(causes)."
  }

  private var totalsTable: Dashboards.Table {
    Dashboards.Table(
      Document.totals(difference), name: "totals-of-both", caption: "Totals of both runs")
  }
}

extension Profile.Totals {
  fileprivate var storeTime: Nanoseconds {
    [totalTime, faultTime, saveTime].reduce(0) { sum, time in
      let (sum, overflow) = sum.addingReportingOverflow(time)
      return overflow ? .max : sum
    }
  }
}
