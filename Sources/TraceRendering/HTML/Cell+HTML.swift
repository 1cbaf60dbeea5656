// SPDX-License-Identifier: Apache-2.0

import Dashboards
import StoreEvents

extension String {
  /// The text with its control characters and bidirectional marks made visible; the templates
  /// escape the characters of HTML's markup.
  var visible: String {
    // Escaping makes forged text impossible in a page, so SQL keeps its backslashes.
    split(separator: "\\", omittingEmptySubsequences: false)
      .map { LogText.escaped(String($0)) }.joined(separator: "\\")
  }
}

extension Cell {
  /// The number to sort by; nil sorts by the text.
  var order: Double? {
    switch self {
    case .text, .sql, .location: nil
    case .count(let count), .bytes(let count): Double(count)
    case .duration(let duration): Double(duration)
    case .ratio(let number), .factor(let number), .number(let number): number
    case .none: -1
    }
  }

  var html: Dashboards.Cell { Dashboards.Cell(text.visible, order: order) }
}

extension Table.Column {
  func html(minor: Set<String> = []) -> Dashboards.Column {
    let style = isNumeric ? "number" : "text"
    return Dashboards.Column(title, style: minor.contains(title) ? "\(style) minor" : style)
  }
}

extension Dashboards.Table {
  /// A table of a document, unchanged.
  init(
    _ table: Table, name: String, caption: String, sortedBy: String? = nil,
    minor: Set<String> = []
  ) {
    self.init(
      name: name, caption: caption, columns: table.columns.map { $0.html(minor: minor) },
      rows: table.rows.map { row in
        var made = Dashboards.Row(row.cells.map(\.html))
        made.notes = row.notes.map { Dashboards.Line($0.text.visible) }
        return made
      }, sortedBy: sortedBy)
  }
}

extension Document.Tone {
  /// CSS classes.
  var styleClass: String {
    switch self {
    case .plain: ""
    case .quiet: "quiet small"
    case .good: "good"
    case .bad: "bad"
    }
  }
}

extension Dashboards.Block {
  static func paragraph(_ text: String, _ tone: Document.Tone) -> Self {
    .paragraph(text.visible, tone: tone.styleClass)
  }
}

extension Dashboards.Section {
  /// The blocks of a document under their heading; nil without any.
  init?(
    _ blocks: [Document.Block], anchor: String, name: String, sortedBy: String? = nil,
    minor: Set<String> = []
  ) {
    guard case .heading(let heading) = blocks.first else { return nil }
    self.init(
      anchor: anchor, name: name, heading: heading,
      blocks: blocks.dropFirst().compactMap { block in
        switch block {
        case .paragraph(let text, let tone):
          text.isEmpty ? nil : .paragraph(text, tone)
        case .table(let table):
          .table(
            Dashboards.Table(table, name: anchor, caption: name, sortedBy: sortedBy, minor: minor))
        case .heading, .facts, .item, .brief, .excerpt, .command: nil
        }
      })
  }
}
