// SPDX-License-Identifier: Apache-2.0

import Dashboards
import QueryPlans

extension PlansReport {
  /// The report as one HTML file that loads no other.
  ///
  /// - Throws: if an embedded template does not parse.
  public func html() throws -> String {
    var page = Dashboards.Page(title: "Plans")
    page.introduction = [headline.visible] + doubts.map(\.visible)
    page.totals = PlanVerdict.allCases.filter { count($0) > 0 }.map {
      Dashboards.Fact($0.words, "\(count($0))")
    }
    let table = Dashboards.Table(
      name: "plans", caption: "Plans", columns: [.init("statement", style: "text")],
      rows: entries.map(\.row), isSearchable: true)
    page.sections = [
      Dashboards.Section(anchor: "plans", name: "Plans", heading: totals, blocks: [.table(table)])
    ]
    page.footer = "Made by trace-report html. Everything is in this file."
    return try Dashboards.html(page)
  }
}

extension PlansReport.Entry {
  fileprivate var row: Dashboards.Row {
    var sql = Dashboards.Part("SQL")
    sql.lines = Dashboards.Line.lines(of: explanation.sql)
    let summary = explanation.sql.isEmpty ? id : SQLText.abridged(explanation.sql, to: 60)
    var row = Dashboards.Row([Dashboards.Cell(label.visible)])
    row.sheets = [
      Dashboards.Sheet(
        summary: summary.visible, badges: [explanation.badge], left: [sql],
        right: [explanation.part])
    ]
    return row
  }
}
