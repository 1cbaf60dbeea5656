// SPDX-License-Identifier: Apache-2.0

import Dashboards
import QueryPlans

extension PlanExplainer.Explanation {
  var badge: Dashboards.Line { Dashboards.Line(verdict.words, tone: verdict.tone) }

  /// The plan in the format of the sqlite3 shell, and its meaning.
  var part: Dashboards.Part {
    var part = Dashboards.Part("Plan: \(verdict.words)")
    part.lines = plan.map { Self.lines(of: $0.roots, prefix: "") } ?? []
    if let failureText { part.points.append(Dashboards.Line(failureText.visible, tone: "bad")) }
    for scan in judgement?.scans ?? [] {
      part.points.append(
        Dashboards.Line(scan.sentence.visible, tone: scan.harmlessBecause == nil ? "bad" : ""))
      if let hint = scan.indexHint { part.points.append(Dashboards.Line("try \(hint.visible)")) }
    }
    part.points += (judgement?.remarks ?? []).map { Dashboards.Line($0.visible) }
    if !standIns.isEmpty {
      part.points.append(
        Dashboards.Line("stood in for: \(standIns.joined(separator: ", ").visible)", tone: "quiet"))
    }
    return part
  }

  private static func lines(of nodes: [QueryPlan.Node], prefix: String) -> [Dashboards.Line] {
    nodes.enumerated().flatMap { index, node in
      let isLast = index == nodes.count - 1
      let access = node.fact.access
      let table = access?.table.flatMap { $0 == access?.name ? nil : "  [\($0)]" } ?? ""
      let line = Dashboards.Line(prefix + (isLast ? "└─ " : "├─ ") + (node.detail + table).visible)
      return [line] + lines(of: node.children, prefix: prefix + (isLast ? "   " : "│  "))
    }
  }
}

extension PlanVerdict {
  fileprivate var tone: String {
    switch self {
    case .search: "good"
    case .harmlessScan: ""
    case .mayScan: "warn"
    case .fullScan, .costlySearch: "bad"
    case .error: "warn"
    case .noPlan: ""
    }
  }
}
