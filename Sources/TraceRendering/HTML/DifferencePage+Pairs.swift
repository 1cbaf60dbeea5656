// SPDX-License-Identifier: Apache-2.0

import Dashboards
import QueryPlans
import StoreEvents
import TraceAnalysis

extension DifferencePage {
  var pairsTable: Dashboards.Table {
    Dashboards.Table(
      name: "pairs", caption: "Statements of both runs, the mean of a run of each",
      columns: [
        .init("change", style: "text"), .init("speedup"), .init("before"), .init("after"),
        .init("runs", style: "number minor"), .init("rows", style: "number minor"),
        .init("scan steps", style: "number minor"), .init("VM steps", style: "number minor"),
      ], rows: listed.map(row), isSearchable: true, chips: chips)
  }

  private var chips: [String] {
    let used = Set(listed.flatMap(tags))
    return ["faster", "slower", "new", "gone", "plan-changed"].filter(used.contains)
  }

  private func tags(of pair: ProfileDifference.Pair) -> [String] {
    var tags: [String] = []
    if pair.before == nil { tags.append("new") }
    if pair.after == nil { tags.append("gone") }
    if let speedup = pair.speedup {
      if speedup >= 1.1 { tags.append("faster") }
      if speedup <= 1 / 1.1 { tags.append("slower") }
    }
    if planChange(of: pair) != nil { tags.append("plan-changed") }
    return tags
  }

  private func row(of pair: ProfileDifference.Pair) -> Dashboards.Row {
    let (before, after) = (pair.before, pair.after)
    func perRun(_ path: KeyPath<StatementCounts, UInt64>) -> Dashboards.Cell {
      let sides = [before, after].map { $0?.perRunText(path) ?? "–" }
      return .init(Document.arrow(sides), order: (before ?? after)?.work.perRun(path) ?? 0)
    }
    func mean(_ group: StatementGroup?) -> Dashboards.Cell { Document.mean(group).html }
    let runs = [before, after].map { $0?.work.count.grouped ?? "–" }
    var row = Dashboards.Row([
      .init(pair.speedup.map(Document.change) ?? (before == nil ? "new" : "gone")),
      (pair.speedup.map { Cell.factor($0) } ?? .none).html, mean(before), mean(after),
      .init(Document.arrow(runs), order: Double((before ?? after)?.work.count ?? 0)),
      perRun(\.rows), perRun(\.fullScanSteps), perRun(\.vmSteps),
    ])
    row.tags = [tags(of: pair).joined(separator: " ")]
    row.notes = Document.rewriting(pair).map { [Dashboards.Line($0.visible)] } ?? []
    row.sheets = [sheet(of: pair)]
    return row
  }

  private func sheet(of pair: ProfileDifference.Pair) -> Dashboards.Sheet {
    let planChange = planChange(of: pair)
    return Dashboards.Sheet(
      summary: (pair.before ?? pair.after).map { DashboardPage.label($0) } ?? "",
      badges: planChange.map { [Dashboards.Line($0.words, tone: $0.tone)] } ?? [],
      left: parts(of: pair.before, "before", plans: plansBefore, scale: scale(of: pair)),
      right: parts(of: pair.after, "after", plans: plansAfter, scale: scale(of: pair)))
  }

  private func scale(of pair: ProfileDifference.Pair) -> Double {
    max(pair.before?.meanTime ?? 0, pair.after?.meanTime ?? 0)
  }

  private func parts(
    of group: StatementGroup?, _ side: String, plans: [String: PlanExplainer.Explanation],
    scale: Double
  ) -> [Dashboards.Part] {
    guard let group else {
      var part = Dashboards.Part(side)
      part.points = [.init("not run", tone: "quiet")]
      return [part]
    }
    var sql = Dashboards.Part("\(side): SQL")
    sql.lines = group.statement.sqlLines
    var cost = Dashboards.Part("\(side): a run")
    cost.segments = [
      Dashboards.Segment(
        "mean \(Document.mean(group).text)",
        number: side == "before" ? 1 : 2, start: 0,
        width: scale > 0 ? max(group.meanTime / scale * 100, 0.5).oneDigit : 0)
    ]
    let isTimed = group.work.known(\.totalTime) != nil
    cost.pairs = [
      .init("median", Cell.known(isTimed ? group.latency.p50 : nil).text),
      .init("p95", Cell.known(isTimed ? group.latency.p95 : nil).text),
      .init("rows", Cell.known(group.work.knownPerRun(\.rows)).text),
      .init("full-scan steps", Cell.known(group.work.knownPerRun(\.fullScanSteps)).text),
      .init("VM steps", Cell.known(group.work.knownPerRun(\.vmSteps)).text),
      .init("requested by", (group.caller.text ?? "unknown").visible),
    ]
    let plan = group.statement.sql.flatMap { plans[$0] }
    return [cost, sql] + (plan.map { [$0.part] } ?? [])
  }

  /// How the plan's verdict or its steps changed; nil if they did not, or are not known.
  private func planChange(
    of pair: ProfileDifference.Pair
  ) -> (words: String, tone: String)? {
    guard let before = pair.before?.statement.sql.flatMap({ plansBefore[$0] }),
      let after = pair.after?.statement.sql.flatMap({ plansAfter[$0] })
    else { return nil }
    if before.verdict != after.verdict {
      let tone = after.verdict.isCostly ? "bad" : before.verdict.isCostly ? "good" : "warn"
      return ("\(before.verdict.words) → \(after.verdict.words)", tone)
    }
    return before.plan == after.plan ? nil : ("another plan", "warn")
  }
}
