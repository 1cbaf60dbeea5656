// SPDX-License-Identifier: Apache-2.0

/// Rows of typed cells; a cell that does not fit its column is printed below its row.
public struct Table: Hashable, Sendable {
  public var columns: [Column]
  public var rows: [Row]

  public struct Column: Hashable, Sendable {
    public var title: String
    /// Numbers are aligned to the right.
    public var isNumeric: Bool

    public static func text(_ title: String) -> Self { Self(title: title, isNumeric: false) }
    public static func number(_ title: String) -> Self { Self(title: title, isNumeric: true) }
  }

  /// Columns of text, of numbers, and of text again.
  static func columns(_ first: String..., numbers: String..., texts: String...) -> [Column] {
    first.map(Column.text) + numbers.map(Column.number) + texts.map(Column.text)
  }

  public struct Row: Hashable, Sendable {
    public var cells: [Cell]
    /// Lines of their own, such as the SQL.
    public var notes: [Cell]

    public init(_ cells: [Cell], notes: [Cell] = []) { (self.cells, self.notes) = (cells, notes) }
  }
}
