// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Document {
  /// The report for a terminal or a pipe; it ends in a newline.
  public func text(_ style: TextStyle = .plain) -> String {
    var renderer = TextRenderer(style: style)
    for part in renderer.whole(title) { renderer.line(style.paint(part, .bold)) }
    for block in blocks { renderer.render(block) }
    return renderer.output
  }
}

/// Draws a document line by line.
struct TextRenderer {
  let style: TextStyle
  private(set) var output = ""

  init(style: TextStyle) { self.style = style }

  mutating func render(_ block: Document.Block) {
    switch block {
    case .heading(let text):
      line("")
      line(style.paint(fitted(text, indent: 0), .bold))
    case .paragraph(let text, let tone):
      for part in wrapped(text, indent: 0) { line(style.paint(part, tone.ink)) }
    case .facts(let facts): render(facts)
    case .table(let table): render(table)
    case .item(let item): render(item)
    case .brief(let brief): render(brief)
    case .excerpt(let text, let tone, let count):
      for part in limited(text, count, indent: 0) { line(style.paint(part, tone.ink)) }
    case .command(let purpose, let command): render(command, for: purpose)
    }
  }

  mutating func line(_ text: String) {
    output += text
    output += "\n"
  }

  // MARK: - Blocks

  /// Facts are in columns of equal width, filled downwards.
  private mutating func render(_ facts: [Document.Fact]) {
    line("")
    let labels = facts.map { TerminalText.width($0.label) }.max() ?? 0
    let values = facts.map { TerminalText.width($0.cell.text) }.max() ?? 0
    // 26 columns: three facts side by side on a terminal of eighty.
    let column = max(labels + values + 2, 22) + 3
    let perLine = max(1, ((style.width ?? 80) + 3) / column)
    let lines = (facts.count + perLine - 1) / perLine
    for row in 0..<lines {
      let cells = stride(from: row, to: facts.count, by: lines).map { index in
        let label = TerminalText.fitted(facts[index].label, to: column)
        let value = TerminalText.fitted(facts[index].cell.text, to: column)
        let gap =
          column - 3 - TerminalText.width(facts[index].label)
          - TerminalText.width(facts[index].cell.text)
        return style.paint(label, .faint) + spaces(gap) + value
      }
      line(cells.joined(separator: "   "))
    }
  }

  private mutating func render(_ item: Document.Item) {
    line("")
    let ink = item.tone.ink ?? .bold
    let used = TerminalText.width(item.headline) + TerminalText.width(item.location) + 2
    if !item.location.isEmpty, used <= style.width ?? .max {
      let location = style.paint(LogText.escaped(item.location), .cyan)
      line(style.paint(LogText.escaped(item.headline), ink) + "  " + location)
    } else {
      for part in wrapped(item.headline, indent: 0) { line(style.paint(part, ink)) }
      if !item.location.isEmpty {
        let location = TerminalText.fittedToEnd(item.location, to: (style.width ?? .max) - 2)
        line("  " + style.paint(location, .cyan))
      }
    }
    for fact in item.lines { render(fact) }
  }

  /// `12 more: trace-report findings trace`; a long command has a line of its own, which the terminal wraps.
  private mutating func render(_ command: String, for purpose: String) {
    let command = TerminalText.escaped(command)
    let lead = TerminalText.escaped(purpose) + ": "
    let isShort =
      TerminalText.width(ofEscaped: lead) + TerminalText.width(ofEscaped: command)
      <= style.width ?? .max
    if isShort { return line(lead + style.paint(command, .bold)) }
    line(String(lead.dropLast()))
    line(style.paint(command, .bold))
  }

  private mutating func render(_ fact: Document.Fact) {
    let label = fact.label.isEmpty ? "" : fact.label + ": "
    let ink: TextStyle.Ink? = if case .sql = fact.cell { .faint } else { nil }
    let lines =
      if case .sql(let sql) = fact.cell {
        wrapped(sql: sql, indent: 2, atMost: Self.maxSQLLines)
      } else {
        wrapped(label + fact.cell.text, indent: 2)
      }
    for part in lines { line("  " + style.paint(part, ink)) }
  }

  // Four lines of eighty columns hold a fetch with its WHERE; the JSON report has all of it.
  private static let maxSQLLines = 4

  // MARK: - Pieces

  /// SQL in a few lines, without its column list if it is long; the last line has the length of the rest.
  func wrapped(sql: String, indent: Int, atMost count: Int) -> [String] {
    guard let width = style.width.map({ $0 - indent }) else {
      return [TerminalText.escaped(SQLText.shortened(sql))]
    }
    var lines = TerminalText.wrapped(SQLText.abridged(sql, to: width), to: width)
    if lines.count > count {
      let last = lines[(count - 1)...].joined(separator: " ")
      // The note is longer than the rest itself if few characters remain.
      let note = SQLText.rest(last.count)
      let cut = TerminalText.cut(last, to: max(width - note.count, 1))
      let rest = SQLText.rest(last.count - cut.count + 1)
      lines[count - 1] =
        width > 2 * note.count ? String(cut.dropLast()) + rest : TerminalText.cut(last, to: width)
      lines.removeSubrange(count...)
    }
    return lines
  }

  func fitted(_ text: String, indent: Int) -> String {
    TerminalText.fitted(text, to: (style.width ?? .max) - indent)
  }

  func wrapped(_ text: String, indent: Int) -> [String] {
    TerminalText.wrapped(text, to: (style.width ?? .max) - indent)
  }

  /// The text in one line, or in several: a path does not hide the words after it.
  func whole(_ text: String) -> [String] {
    let line = fitted(text, indent: 0)
    return line.hasSuffix("…") ? wrapped(text, indent: 0) : [line]
  }

  func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
}

extension Document.Tone {
  var ink: TextStyle.Ink? {
    switch self {
    case .plain: nil
    case .quiet: .faint
    case .good: .green
    case .bad: .red
    }
  }
}
