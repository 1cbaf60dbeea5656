// SPDX-License-Identifier: Apache-2.0

/// A report as a reader meets it, before it is text, Markdown or HTML.
///
/// Strings are unescaped: each renderer escapes them.
public struct Document: Hashable, Sendable {
  public var title: String
  public var blocks: [Block] = []

  public init(title: String) { self.title = title }

  public enum Block: Hashable, Sendable {
    case heading(String)
    case paragraph(String, Tone = .plain)
    case facts([Fact])
    case table(Table)
    case item(Item)
    case brief(Brief)
    /// A paragraph of at most so many lines.
    case excerpt(String, Tone, lines: Int)
    /// A command to type, below its purpose: it is never broken, so that it can be copied.
    case command(String, String)
  }

  public enum Tone: Hashable, Sendable { case plain, quiet, good, bad }

  /// A number with its name.
  public struct Fact: Hashable, Sendable {
    public var label: String
    public var cell: Cell

    public init(_ label: String, _ cell: Cell) { (self.label, self.cell) = (label, cell) }
  }

  /// A finding: a headline, and lines below it.
  public struct Item: Hashable, Sendable {
    public var tone: Tone
    public var headline: String
    /// Where to look, such as `transit/Search.swift:42`.
    public var location: String
    public var lines: [Fact]
  }

  mutating func add(_ text: String, _ tone: Tone = .plain) { blocks.append(.paragraph(text, tone)) }

  mutating func add(_ columns: [Table.Column], _ rows: [Table.Row]) {
    blocks.append(.table(columns, rows))
  }

  /// The first rows of a list below a title that counts them; nothing for an empty list.
  static func table<Element>(
    _ title: String, _ all: [Element], top: Int, _ columns: [Table.Column],
    _ row: (Element) -> Table.Row
  ) -> [Block] {
    let listed = all.prefix(top)
    return all.isEmpty
      ? [] : [.heading(title + rest(all.count, listed.count)), .table(columns, listed.map(row))]
  }
}

extension Document.Block {
  static func table(_ columns: [Table.Column], _ rows: [Table.Row]) -> Self {
    .table(Table(columns: columns, rows: rows))
  }
}
