// SPDX-License-Identifier: Apache-2.0

extension Dashboards {
  /// Rows that sort, search and open; without scripts they only open.
  public struct Table: Sendable {
    /// The tables that the scripts fill again for a range.
    static let rangedNames: Set = ["statements", "callers", "faults", "saves"]

    /// The name by which the scripts find it.
    var name: String
    var caption: String
    var isSearchable: Bool
    /// Words that rows are tagged with, each a button.
    var chips: [String]
    var columns: [Column]
    var rows: [Row]
    /// What is not in the rows.
    public var others: [String] = []

    /// - Parameter sortedBy: the title of the column whose largest value the first row has; nil
    ///   where rows stand in another order.
    public init(
      name: String, caption: String, columns: [Column], rows: [Row], sortedBy: String? = nil,
      isSearchable: Bool = false, chips: [String] = []
    ) {
      self.name = name
      self.caption = caption
      self.columns = columns.map { column in
        var column = column
        if column.title == sortedBy { column.sorting = ["descending"] }
        return column
      }
      self.isSearchable = isSearchable
      self.chips = chips
      self.rows = rows.enumerated().map { number, row in
        var row = row
        row.number = number
        row.span = columns.count
        for index in row.cells.indices where index < columns.count {
          row.cells[index].style = columns[index].style
        }
        return row
      }
    }

    mutating func open(_ sheet: (Int) -> Sheet) {
      for row in rows.indices { rows[row].sheets = [sheet(row)] }
    }
  }

  /// A column, which the scripts find by its title.
  public struct Column: Sendable {
    var title: String
    /// CSS classes: `number` or `text`; `minor` where a narrow window leaves it out.
    var style: String
    /// As `aria-sort` has it, or nothing.
    var sorting: [String] = []

    public init(_ title: String, style: String = "number") {
      self.title = title
      self.style = style
    }
  }

  public struct Cell: Sendable {
    var text: String
    /// The number to sort by; "" sorts by the text.
    var order: String
    var style = ""

    public init(_ text: String, order: Double? = nil) {
      self.text = text
      self.order = order.map { "\($0.isFinite ? $0 : 0)" } ?? ""
    }
  }

  public struct Row: Sendable {
    var cells: [Cell]
    public var notes: [Line] = []
    /// What the row opens, or nothing.
    public var sheets: [Sheet] = []
    /// Chips that it belongs to, one string; or nothing.
    public var tags: [String] = []
    var number = 0
    var span = 0

    public init(_ cells: [Cell]) { self.cells = cells }
  }

  /// The details of a row, in two columns.
  public struct Sheet: Sendable {
    struct Half: Sendable { var parts: [Part] }

    /// What stands in the row while it is closed.
    var summary: String
    var badges: [Line]
    var columnsOfParts: [Half]

    public init(summary: String, badges: [Line] = [], left: [Part], right: [Part]) {
      self.summary = summary
      self.badges = badges
      columnsOfParts = [Half(parts: left), Half(parts: right)]
    }
  }

  /// A titled part of a sheet; what is empty is not drawn.
  public struct Part: Sendable {
    var heading: String
    public var lines: [Line] = []
    public var points: [Line] = []
    public var pairs: [Fact] = []
    public var meters: [Meter] = []
    public var segments: [Segment] = []
    public var callers: [Caller] = []

    public init(_ heading: String) { self.heading = heading }
  }

  /// A bar of a histogram, its width in percent.
  public struct Meter: Sendable {
    var label: String
    var text: String
    var width: Double

    public init(_ label: String, _ text: String, width: Double) {
      self.label = label
      self.text = text
      self.width = width
    }
  }

  /// A part of a whole, in percent.
  public struct Segment: Sendable {
    var number: Int
    var text: String
    var start: Double
    var width: Double

    public init(_ text: String, number: Int, start: Double, width: Double) {
      self.text = text
      self.number = number
      self.start = start
      self.width = width
    }

    /// The parts of a whole, in percent of it.
    public static func segments(_ parts: [(name: String, amount: Double)]) -> [Segment] {
      let whole = parts.reduce(0) { $0 + $1.amount }
      guard whole > 0, whole.isFinite else { return [] }
      func percent(_ amount: Double) -> Double { (amount / whole * 1000).rounded() / 10 }
      var start = 0.0
      return parts.enumerated().map { number, part in
        defer { start += part.amount }
        return Segment(
          "\(part.name) \(Int((part.amount / whole * 100).rounded()))%", number: number,
          start: percent(start), width: percent(part.amount))
      }
    }
  }

  public struct Caller: Sendable {
    var place: String
    var runs: String
    var time: String

    public init(place: String, runs: String, time: String) {
      self.place = place
      self.runs = runs
      self.time = time
    }
  }
}
