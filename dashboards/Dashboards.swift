// SPDX-License-Identifier: Apache-2.0

import Mustache

/// The HTML dashboard: one file, no scripts, no other files.
public enum Dashboards {
  /// One piece of a page; its strings are escaped here.
  public struct Block: Sendable {
    var heading: String?
    var paragraph: Paragraph?
    var facts: [Fact]?
    var table: Table?
    var item: Item?

    struct Paragraph: Sendable {
      var tone: String
      var text: String
    }

    public static func heading(_ text: String) -> Self { Self(heading: text) }
    /// - Parameter tone: a CSS class: `plain`, `quiet`, `good` or `bad`.
    public static func paragraph(_ text: String, tone: String) -> Self {
      Self(paragraph: Paragraph(tone: tone, text: text))
    }
    public static func facts(_ facts: [Fact]) -> Self { Self(facts: facts) }
    public static func table(_ table: Table) -> Self { Self(table: table) }
    public static func item(_ item: Item) -> Self { Self(item: item) }
  }

  /// A value with its name; `style` is a CSS class: `text`, `sql` or `number`.
  public struct Fact: Sendable {
    var label: String
    var text: String
    var style: String

    public init(label: String, text: String, style: String) {
      self.label = label
      self.text = text
      self.style = style
    }
  }

  /// Rows whose notes fill a line of their own below them.
  public struct Table: Sendable {
    var columns: [Fact]
    var rows: [Row]
    var width: Int

    struct Row: Sendable {
      var cells: [Fact]
      var notes: [Fact]
      var width: Int
    }

    public init(columns: [Fact], rows: [(cells: [Fact], notes: [Fact])]) {
      self.columns = columns
      width = columns.count
      self.rows = rows.map { Row(cells: $0.cells, notes: $0.notes, width: columns.count) }
    }
  }

  /// A finding.
  public struct Item: Sendable {
    var tone: String
    var headline: String
    var place: String
    var lines: [Fact]

    public init(tone: String, headline: String, place: String, lines: [Fact]) {
      self.tone = tone
      self.headline = headline
      self.place = place
      self.lines = lines
    }
  }

  private struct Page {
    var title: String
    var blocks: [Block]
  }

  /// Draws a page.
  ///
  /// - Throws: Mustache's error if the embedded template does not parse.
  public static func page(title: String, blocks: [Block]) throws -> String {
    let template = try MustacheTemplate(
      string: String(decoding: PackageResources.report_mustache, as: UTF8.self))
    return template.render(Page(title: title, blocks: blocks))
  }
}
