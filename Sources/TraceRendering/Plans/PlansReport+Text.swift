// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension PlansReport {
  /// The report for a terminal or a pipe; it ends in a newline.
  public func text(_ style: TextStyle = .plain) -> String {
    var drawing = PlanDrawing(style: style)
    drawing.paragraph(headline, .bold)
    for entry in entries {
      drawing.draw(entry)
      for fix in fetchIndexes(entry) { drawing.text("model: \(fix)", indent: 2, hang: 7) }
    }
    drawing.line("")
    drawing.paragraph(totals, count(.fullScan) + count(.costlySearch) > 0 ? .red : nil)
    if withoutPlan > 0 {
      drawing.paragraph(
        "\(withoutPlan.counted("statement")) \(withoutPlan == 1 ? "has" : "have") no plan: DDL, "
          + "PRAGMA, a virtual table's own SQL, or the beginning or the end of a transaction",
        .faint)
    }
    if isFromCapsule {
      drawing.paragraph("Indexes and values were not tried: a capsule has no rows.", .faint)
    }
    for doubt in doubts { drawing.paragraph(doubt, .yellow) }
    return drawing.output
  }

  var totals: String {
    let counted = PlanVerdict.allCases.filter { $0 != .noPlan && count($0) > 0 }
    let counts = counted.map { verdict in
      let word = verdict.words.lowercased()
      return count(verdict).counted(word, word.hasSuffix("search") ? "\(word)es" : nil)
    }
    let texts = entries.reduce(0) { $0 + $1.texts }
    let all = texts > entries.count ? " (\(UInt64(texts).grouped) with their values)" : ""
    return "\(entries.count.counted("statement"))\(all)"
      + (counts.isEmpty ? "" : ": \(counts.joined(separator: ", "))")
  }
}

/// Draws statements and their plans within a width; 80 without a terminal.
struct PlanDrawing {
  let style: TextStyle
  private(set) var output = ""
  private var width: Int { style.width ?? 80 }

  init(style: TextStyle) { self.style = style }

  mutating func draw(_ entry: PlansReport.Entry) {
    line("")
    let runs = entry.work.executions
    let verdict = entry.verdict
    line(
      style.paint(verdict.words, verdict.ink)
        + style.paint(
          "  \(entry.label)\(runs > 0 ? "  \(runs.counted("run"))" : "")", .faint))
    if entry.texts > 1 {
      text(
        "\(entry.texts.counted("statement")) that differ in their values; one of them:", indent: 2,
        ink: .faint)
    }
    sql(entry.explanation.sql)
    if let plan = entry.explanation.plan { draw(plan.roots, prefix: "  ") }
    draw(entry.explanation)
    if let unended = entry.unended { text(unended, indent: 2, ink: .red) }
  }

  private mutating func draw(_ explanation: PlanExplainer.Explanation) {
    if let failure = explanation.failureText {
      text(failure, indent: 2, ink: .yellow)
    }
    if let database = explanation.database {
      text(
        explanation.isElsewhere
          ? "ran on '\(database)', which cannot be read here; the verdict is from the trace's counts alone"
          : "ran on '\(database)'; the plan is from that database", indent: 2, ink: .faint)
    }
    guard let judgement = explanation.judgement else { return }
    for scan in judgement.scans {
      text(scan.sentence, indent: 2, ink: scan.harmlessBecause == nil ? .red : nil)
      if let hint = scan.indexHint {
        text(
          "hint: \(scan.comparedSentence); try \(hint)", indent: 2, hang: 6)
      }
    }
    for remark in judgement.remarks { text(remark, indent: 2, ink: .yellow) }
    if !explanation.standIns.isEmpty {
      text(
        "stood in for: \(explanation.standIns.joined(separator: ", "))", indent: 2, ink: .faint)
    }
  }

  /// In the format of the sqlite3 shell, with the table of each alias.
  private mutating func draw(_ nodes: [QueryPlan.Node], prefix: String) {
    for (index, node) in nodes.enumerated() {
      let isLast = index == nodes.count - 1
      let access = node.fact.access
      let table = access?.table.flatMap { $0 == access?.name ? nil : "  [\($0)]" } ?? ""
      text(
        node.detail + table, first: prefix + (isLast ? "`--" : "|--"),
        rest: prefix + (isLast ? "     " : "|    "))
      draw(node.children, prefix: prefix + (isLast ? "   " : "|  "))
    }
  }

  // A screen of a statement; a query with subqueries takes about ten.
  private static let maxSQLLines = 20

  /// A statement clause by clause, its lists folded, the rest of a long one by its number of lines.
  mutating func sql(_ sql: String) {
    let lines = SQLLayout.lines(of: FoldedSQL(sql).text).flatMap { clause in
      TerminalText.wrapped(clause, to: max(width - 4, 20)).enumerated().map {
        ($0 == 0 ? "  " : "    ") + $1
      }
    }
    let isLong = lines.count > Self.maxSQLLines + 1
    for text in isLong ? lines.prefix(Self.maxSQLLines) : lines[...] { line(text) }
    if isLong { line(style.paint("    … \(lines.count - Self.maxSQLLines) more lines", .faint)) }
  }

  mutating func line(_ text: String) { output += text + "\n" }

  mutating func paragraph(_ text: String, _ ink: TextStyle.Ink?) {
    self.text(text, indent: 0, ink: ink)
  }

  mutating func item(_ text: String, _ ink: TextStyle.Ink? = nil) {
    self.text(text, indent: 2, hang: 2, ink: ink)
  }

  mutating func text(_ text: String, indent: Int, hang: Int = 0, ink: TextStyle.Ink? = nil) {
    let indent = String(repeating: " ", count: indent)
    self.text(text, first: indent, rest: indent + String(repeating: " ", count: hang), ink: ink)
  }

  private mutating func text(
    _ text: String, first: String, rest: String, ink: TextStyle.Ink? = nil
  ) {
    let lines = TerminalText.wrapped(text, to: max(width - rest.count, 20))
    for (index, part) in lines.enumerated() {
      line((index == 0 ? first : rest) + style.paint(part, ink))
    }
  }
}
