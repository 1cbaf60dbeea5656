// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceAnalysis

extension TopFrame {
  /// The lines of a terminal's screen, limited in number and width.
  ///
  ///     transit[2367]  0:12                                       by now
  ///     fetches/s      20.0   rows/s         300   …
  ///     12 fetches, 180 rows, 0 faults, 0 misses, 0 saves
  ///
  ///      now  total  runs/s  rows/run     mean  statement
  ///     100%   100%    20.0        15   756 µs  FROM ZSTOP t0 WHERE …
  public func screen(columns: Int, rows: Int, isColored: Bool) -> [String] {
    guard columns > 0, rows > 0 else { return [] }
    return TopScreen(self, columns: columns, rows: rows, isColored: isColored).lines
  }
}

/// Lays a frame out on a screen.
struct TopScreen {
  let frame: TopFrame
  let columns: Int
  let rows: Int
  private let style: TextStyle
  private(set) var lines: [String] = []

  init(_ frame: TopFrame, columns: Int, rows: Int, isColored: Bool) {
    self.frame = frame
    self.columns = columns
    self.rows = rows
    style = TextStyle(width: columns, isColored: isColored)
    drawHead()
    // The help is shown if there is room below the rates.
    let room = rows - lines.count - 2
    if room > 1 { drawBody(room) }
    if rows - lines.count > 1 { lines += Array(repeating: "", count: rows - lines.count - 1) }
    if lines.count < rows { add(Self.help, .faint) }
    lines = Array(lines.prefix(rows))
  }

  private static let help = "q quit  s sort  p pause  r reset  ↑↓ statement"

  private mutating func add(_ text: String, _ ink: TextStyle.Ink? = nil) {
    add(escaped: LogText.escaped(text), ink)
  }

  private mutating func add(escaped text: String, _ ink: TextStyle.Ink? = nil) {
    lines.append(style.paint(TerminalText.cut(text, to: columns), ink))
  }

  // MARK: - Head

  private mutating func drawHead() {
    let right =
      switch frame.state {
      case .running: "by \(frame.order.rawValue)"
      case .paused: "paused"
      case .ended(let reason): reason
      }
    add(escaped: spread("\(frame.title)  \(frame.clock)", right, over: columns), .bold)
    // 18 columns for a rate, and two between them: four on a terminal of eighty.
    let perLine = max(1, min(4, (columns + 2) / 20))
    for start in stride(from: 0, to: frame.rates.count, by: perLine) {
      add(
        escaped: frame.rates[start..<min(start + perLine, frame.rates.count)].map { rate in
          spread(rate.label, rate.cell.text, over: 18)
        }.joined(separator: "  "))
    }
    add(frame.totals, .faint)
    for warning in frame.warnings.prefix(2) { add(warning, .red) }
  }

  /// Two texts at the two ends of a line, escaped; the first one is cut.
  private func spread(_ left: String, _ right: String, over width: Int) -> String {
    let right = LogText.escaped(right)
    let room = width - TerminalText.width(ofEscaped: right)
    let left = TerminalText.fitted(left, to: max(room - 1, 0))
    let gap = max(room - TerminalText.width(ofEscaped: left), 0)
    return left + String(repeating: " ", count: gap) + right
  }

  // MARK: - Body

  private mutating func drawBody(_ room: Int) {
    let statements = frame.statements
    add("")
    let selected = frame.selection.flatMap { selection in
      statements.firstIndex { $0.group.fingerprint == selection }
    }
    let below =
      selected.map { Array(detail(of: statements[$0]).prefix(max(room - 3, 0))) }
      ?? rest(max(room / 2, room - 2 - statements.count))
    let listed = max(1, room - 2 - below.count)
    drawStatements(statements, selected: selected, atMost: listed)
    for (text, ink) in below { add(text, ink) }
  }

  private mutating func drawStatements(
    _ statements: [LiveStatement], selected: Int?, atMost count: Int
  ) {
    let columns = TopColumn.fitting(self.columns)
    add(TopColumn.line(columns.map { ($0, $0.title) }, "statement"), .faint)
    guard !statements.isEmpty else { return add("no statement has run yet", .faint) }
    let first = max(0, (selected ?? 0) - count + 1)
    for (index, statement) in statements.enumerated().dropFirst(first).prefix(count) {
      let isSelected = index == selected
      let room = self.columns - TopColumn.width(of: columns)
      let text = TopColumn.line(
        columns.map { ($0, $0.text(statement, frame)) },
        (isSelected ? "▸ " : "") + statement.name(width: room - (isSelected ? 2 : 0)))
      add(text, isSelected ? .bold : nil)
    }
  }

  private typealias Line = (text: String, ink: TextStyle.Ink?)

  /// The SQL of a statement, its callers, and the cost of a run.
  private func detail(of statement: LiveStatement) -> [Line] {
    let group = statement.group
    let sql = group.statement.sql ?? "the text of this statement was not seen"
    let callers = group.callers.prefix(3).map {
      "\($0.location.text ?? "unknown caller") ×\($0.work.count.grouped)"
    }
    let work = group.work
    let perRun = [
      ("row", "rows", \StatementCounts.rows), ("VM step", "VM steps", \.vmSteps),
      ("scan step", "scan steps", \.fullScanSteps),
    ].compactMap { one, many, path in
      work.knownPerRun(path).map { "\(Cell.number($0).text) \($0 == 1 ? one : many)" }
    }.joined(separator: ", ")
    let lines: [Line] =
      [("", nil)]
      + TerminalText.wrapped(SQLText.abridged(sql, to: 3 * columns), to: columns).prefix(6)
      .map { ($0, nil) }
    return lines + [
      ("\(group.statement.id) · \(callers.joined(separator: ", "))", .cyan),
      ("\(work.count.counted("run")), per run \(perRun)", .faint),
      (
        "p50 \(Cell.duration(group.latency.p50).text), p95 \(Cell.duration(group.latency.p95).text)"
          + ", max \(Cell.duration(group.latency.max).text)", .faint
      ),
    ]
  }

  /// Faults and findings, in a limited number of lines.
  private func rest(_ room: Int) -> [Line] {
    var lines: [Line] = []
    let faults = frame.interval.faults
    let findings = frame.interval.findings
    let faultLines = min(faults.count, max(1, (room - 4) / 2))
    if !faults.isEmpty, room >= 4 {
      lines += [("", nil), ("misses/s  hits/s   misses  fault", .faint)]
      lines += faults.prefix(faultLines).map { (line(of: $0), nil) }
    }
    let left = room - lines.count - 2
    guard !findings.isEmpty, left > 0 else { return lines }
    lines += [("", nil), ("findings (\(findings.count))", .faint)]
    // Whole sentences where there is room for all of them.
    let texts = findings.map { TerminalText.wrapped(Self.text(of: $0), to: columns) }
    let isRoomy = texts.reduce(0) { $0 + $1.count } <= left
    for (finding, text) in zip(findings, texts).prefix(left) {
      let ink: TextStyle.Ink? = finding.severity == .warning ? .yellow : nil
      lines += (isRoomy ? text : [Self.text(of: finding)]).map { ($0, ink) }
    }
    return lines
  }

  private static func text(of finding: Finding) -> String {
    let location = finding.caller.text ?? finding.object
    return "\(finding.rule)\(location.isEmpty ? "" : " at \(location)"): \(finding.message)"
  }

  private func line(of faults: LiveFaults) -> String {
    func cell(_ cell: Cell, _ width: Int) -> String { TerminalText.right(cell.text, width) }
    return cell(.number(frame.interval.perSecond(faults.missesAdded)), 8)
      + cell(.number(frame.interval.perSecond(faults.hitsAdded)), 8)
      + cell(.count(faults.profile.misses), 9) + "  \(faults.profile.origin.name)"
      + (faults.profile.origin.location.text.map { " at \($0)" } ?? "")
  }
}

/// A column of numbers before a statement.
enum TopColumn: CaseIterable {
  case now, total, runs, rows, mean, misses

  var title: String {
    switch self {
    case .now: "now"
    case .total: "total"
    case .runs: "runs/s"
    case .rows: "rows/run"
    case .mean: "mean"
    case .misses: "misses/s"
    }
  }

  private var width: Int {
    switch self {
    case .now: 4
    case .total: 5
    case .mean: 7
    case .runs, .rows, .misses: 8
    }
  }

  func text(_ statement: LiveStatement, _ frame: TopFrame) -> String {
    let (added, all) = (statement.added, statement.group.work)
    let work = added.count > 0 ? added : all
    let cell: Cell =
      switch self {
      case .now: frame.shares(of: statement).now
      case .total: frame.shares(of: statement).total
      case .runs: .number(frame.interval.perSecond(added.count))
      case .rows: .number(work.perRun(\.rows))
      case .mean: .duration(Int64(exactly: work.meanTime.rounded()) ?? .max)
      case .misses: .number(frame.interval.perSecond(statement.missesAdded))
      }
    return cell.text
  }

  /// The columns that leave half of the line to the statement, from the first on.
  static func fitting(_ width: Int) -> [TopColumn] {
    var columns: [TopColumn] = []
    // The misses come with wide terminals only.
    for column in allCases where Self.width(of: columns + [column]) <= width * 11 / 20 {
      columns.append(column)
    }
    return columns
  }

  static func width(of columns: [TopColumn]) -> Int { columns.reduce(0) { $0 + $1.width + 2 } }

  static func line(_ cells: [(column: TopColumn, text: String)], _ rest: String) -> String {
    cells.map { TerminalText.right($1, $0.width) + "  " }.joined() + rest
  }
}

extension LiveStatement {
  /// The SQL without its column list, from its table on: `FROM ZSTOP t0 WHERE …`.
  func name(width: Int) -> String {
    guard let sql = group.statement.sql else { return "\(group.statement.id)" }
    let short = SQLText.abridged(sql, to: max(width, 1))
    return short.hasPrefix("SELECT … ") ? String(short.dropFirst("SELECT … ".count)) : short
  }
}
