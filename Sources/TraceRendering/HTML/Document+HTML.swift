// SPDX-License-Identifier: Apache-2.0

import Dashboards
import StoreEvents

extension Document {
  /// The report as one self-contained HTML file.
  ///
  /// Control characters are escaped as in a log; what HTML takes for markup, by the template.
  ///
  /// - Throws: if the embedded template does not parse.
  public func html() throws -> String {
    try Dashboards.page(title: LogText.escaped(title), blocks: blocks.map(\.html))
  }
}

extension Document.Block {
  fileprivate var html: Dashboards.Block {
    switch self {
    case .heading(let text): .heading(LogText.escaped(text))
    case .paragraph(let text, let tone):
      .paragraph(LogText.escaped(text), tone: tone.styleClass)
    case .facts(let facts): .facts(facts.map { $0.cell.html(label: $0.label) })
    case .table(let table): .table(table.html)
    case .item(let item):
      .item(
        Dashboards.Item(
          tone: item.tone.styleClass, headline: LogText.escaped(item.headline),
          place: LogText.escaped(item.place),
          lines: item.lines.map { $0.cell.html(label: $0.label.isEmpty ? "" : $0.label + ": ") }))
    }
  }
}

extension Table {
  fileprivate var html: Dashboards.Table {
    Dashboards.Table(
      columns: columns.map {
        Dashboards.Fact(label: "", text: $0.title, style: $0.isNumeric ? "number" : "text")
      },
      rows: rows.map { row in
        (
          zip(columns, row.cells).map { column, cell in
            Dashboards.Fact(
              label: "", text: LogText.escaped(cell.text),
              style: column.isNumeric ? "number" : "text")
          }, row.notes.map { $0.html(label: "") }
        )
      })
  }
}

extension Cell {
  fileprivate func html(label: String) -> Dashboards.Fact {
    let style = if case .sql = self { "sql" } else { "text" }
    return Dashboards.Fact(
      label: LogText.escaped(label), text: LogText.escaped(text), style: style)
  }
}

extension Document.Tone {
  fileprivate var styleClass: String {
    switch self {
    case .plain: "plain"
    case .quiet: "quiet"
    case .good: "good"
    case .bad: "bad"
    }
  }
}
