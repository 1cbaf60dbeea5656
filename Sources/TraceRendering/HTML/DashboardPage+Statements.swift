// SPDX-License-Identifier: Apache-2.0

import Dashboards
import QueryPlans
import StoreEvents
import TraceAnalysis

extension DashboardPage {
  /// Columns that a narrow window leaves out.
  static let minorColumns: Set<String> = ["share", "p50", "p99", "max", "rows"]

  var statementsSection: Dashboards.Section? {
    guard !statements.isEmpty else { return nil }
    let all = profile.statementGroups.count
    let whole = profile.statements.reduce(0.0) { $0 + Double($1.work.totalTime) }
    var table = Dashboards.Table(
      name: "statements", caption: "Statements",
      columns: Document.workColumns.map { $0.html(minor: Self.minorColumns) },
      rows: statements.map { row(of: $0, whole: whole) }, sortedBy: "total", isSearchable: true)
    if all > statements.count {
      table.others = [
        "\((all - statements.count).counted("more statement has", "more statements have")) no row here; see --top."
      ]
    }
    return Dashboards.Section(
      anchor: "statements", name: "Statements",
      heading: "Statements by total time\(Document.rest(all, statements.count))",
      blocks: [.table(table)])
  }

  private func row(of group: StatementGroup, whole: Double) -> Dashboards.Row {
    var row = Dashboards.Row(
      Document.cells(group.work, group.latency, share: whole).map(\.html))
    let explanation = explanations[group.statement.id]
    row.sheets = [
      Dashboards.Sheet(
        summary: Self.label(group), badges: explanation.map { [$0.badge] } ?? [],
        left: [sqlPart(of: group)] + (explanation.map { [$0.part] } ?? []) + [
          callersPart(of: group)
        ],
        right: [latencyPart(of: group), workPart(of: group)] + timePart(of: group.work))
    ]
    return row
  }

  /// The SQL on one line.
  ///
  /// The columns of most fetches would fill a phone's line; the sheet below shows them.
  static func label(_ group: StatementGroup) -> String {
    guard let sql = group.statement.sql else {
      return "statement \(group.statement.id), whose text was not in the trace"
    }
    let line = SQLText.abridged(sql, to: 60).visible
    return line.count > maxLabel ? "\(line.prefix(maxLabel))…" : line
  }

  // 400 is arbitrary: more than a wide window shows on a line.
  private static let maxLabel = 400

  private func sqlPart(of group: StatementGroup) -> Dashboards.Part {
    var part = Dashboards.Part("SQL")
    part.lines = group.statement.sqlLines
    let others = group.texts > 1 ? ", and \(group.texts - 1) more of its form" : ""
    part.points = [Dashboards.Line("id \(group.statement.id)\(others)", tone: "quiet")]
    return part
  }

  private func callersPart(of group: StatementGroup) -> Dashboards.Part {
    var part = Dashboards.Part("Requested by")
    part.callers = group.callers.prefix(Self.maxCallers).map { caller in
      Dashboards.Caller(
        place: (caller.location.text ?? "unknown").visible, runs: caller.work.count.grouped,
        time: Cell.known(caller.work.known(\.totalTime)).text)
    }
    if group.callers.count > Self.maxCallers {
      part.points = [.init("and \(group.callers.count - Self.maxCallers) more", tone: "quiet")]
    }
    return part
  }

  // 20 is arbitrary: --json lists all of them.
  private static let maxCallers = 20

  private func latencyPart(of group: StatementGroup) -> Dashboards.Part {
    var part = Dashboards.Part("How long a run takes")
    part.meters = LatencyHistogram(group.latency).meters
    let latency = group.latency
    let isTimed = group.work.known(\.totalTime) != nil
    part.pairs = [
      ("median", latency.p50), ("p95", latency.p95), ("p99", latency.p99), ("max", latency.max),
    ].map { Dashboards.Fact($0.0, Cell.known(isTimed ? $0.1 : nil).text) }
    return part
  }

  private func workPart(of group: StatementGroup) -> Dashboards.Part {
    var part = Dashboards.Part("A run, on average")
    let work = group.work
    part.pairs = [Dashboards.Fact("rows", Cell.known(work.knownPerRun(\.rows)).text)]
    let counts = WorkMetric.counters.map { ($0.title, work.perRun($0)) }
    part.pairs += (counts + [("rows skipped", work.perRun(\.offset))]).filter { $0.1 > 0 }.map {
      Dashboards.Fact($0.0, Cell.number($0.1).text)
    }
    if work.errors > 0 { part.pairs.append(.init("failed", work.errors.grouped)) }
    if group.misses > 0 { part.pairs.append(.init("runs for faults", group.misses.grouped)) }
    if group.statement.repeats.runs > 0 {
      part.pairs.append(.init("runs with values seen before", group.statement.repeats.runs.grouped))
    }
    if let faults = faultsText(of: group) {
      part.pairs.append(.init("faults on its objects", faults))
    }
    return part
  }

  /// The faults on objects of its entity that its lines of code fetched.
  private func faultsText(of group: StatementGroup) -> String? {
    guard group.misses < group.work.count else { return nil }
    let locations = Set(group.callers.map(\.location))
    var (hits, misses): (UInt64, UInt64) = (0, 0)
    var measures = Measures()
    for fault in profile.faults
    where fault.origin.entity == group.statement.entity && locations.contains(fault.origin.location)
    {
      hits &+= fault.hits
      misses &+= fault.misses
      measures.formUnion(fault.measures)
    }
    let (all, _) = hits.addingReportingOverflow(misses)
    guard all > 0 else { return nil }
    guard hits > 0 || measures.contains(.cacheHits) else { return all.grouped }
    return "\(all.grouped), \(Cell.ratio(Double(hits) / Double(all)).text) from the row cache"
  }

  private func timePart(of work: StatementCounts) -> [Dashboards.Part] {
    guard let ratios = work.timeParts else { return [] }
    var part = Dashboards.Part("Where the time goes")
    part.segments = Dashboards.Segment.segments(ratios.map { ($0.name, $0.ratio) })
    return [part]
  }
}

extension Dashboards.Line {
  /// A statement laid out.
  static func lines(of sql: String) -> [Self] {
    SQLLayout.indentedLines(of: sql).flatMap { $0.split(whereSeparator: \.isNewline) }
      .map { Self(String($0).visible) }
  }
}

extension StatementProfile {
  // 20,000 characters are eight pages of SQL; a hundred such statements are 2 MB.
  private static let maxCharacters = 20_000

  /// The text laid out, cut where it is very long.
  var sqlLines: [Dashboards.Line] {
    guard let sql else { return [Dashboards.Line("the text was not in the trace", tone: "quiet")] }
    let shown = String(sql.prefix(Self.maxCharacters))
    var lines = Dashboards.Line.lines(of: shown)
    let rest = sql.count - shown.count
    if rest > 0 {
      lines.append(.init("… and \(rest.counted("more character"))", tone: "quiet"))
    }
    return lines
  }
}
