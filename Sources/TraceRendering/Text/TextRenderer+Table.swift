// SPDX-License-Identifier: Apache-2.0

extension TextRenderer {
  /// Columns as wide as their content; the widest text column gives way on a narrow terminal.
  mutating func render(_ table: Table) {
    line("")
    let rows = table.rows.map { row in
      table.columns.indices.map { $0 < row.cells.count ? row.cells[$0].text : "" }
    }
    let widths = widths(of: table, rows: rows)
    line(style.paint(draw(table.columns.map(\.title), table.columns, widths), .faint))
    for (row, texts) in zip(table.rows, rows) {
      line(draw(texts, table.columns, widths))
      for note in row.notes { render(note: note) }
    }
  }

  private mutating func render(note: Cell) {
    if case .sql(let sql) = note {
      for part in wrapped(sql: sql, indent: 4, atMost: 2) { line("    " + part) }
    } else {
      line("    " + style.paint(fitted(note.text, indent: 4), .faint))
    }
  }

  private func widths(of table: Table, rows: [[String]]) -> [Int] {
    var widths = table.columns.enumerated().map { index, column in
      rows.reduce(TerminalText.width(column.title)) { max($0, TerminalText.width($1[index])) }
    }
    guard let width = style.width else { return widths }
    let room = width - 2 * (widths.count - 1)
    var excess = widths.reduce(0, +) - room
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > 4
    {
      // Shrinks the widest to the next one, or as far as is needed.
      let next = widths.enumerated().filter { $0.offset != widest }.map(\.element).max() ?? 0
      let step = min(excess, max(1, widths[widest] - max(next, 4)))
      widths[widest] -= step
      excess -= step
    }
    return widths
  }

  private func draw(_ texts: [String], _ columns: [Table.Column], _ widths: [Int]) -> String {
    var result = ""
    for (index, text) in texts.enumerated() {
      let text = TerminalText.fitted(text, to: widths[index])
      let gap = spaces(widths[index] - TerminalText.width(ofEscaped: text))
      if index > 0 { result += "  " }
      if columns[index].isNumeric {
        result += gap + text
      } else {
        result += index == texts.count - 1 ? text : text + gap
      }
    }
    return result
  }
}
