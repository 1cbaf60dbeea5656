// SPDX-License-Identifier: Apache-2.0

extension Dashboards {
  /// A report in HTML.
  public struct Page: Sendable {
    public var title: String
    public var brand = "StoreScope"
    /// What was read.
    public var introduction: [String] = []
    public var notices: [Notice] = []
    /// The section above the totals, or nothing.
    public var first: [Section] = []
    public var totals: [Fact] = []
    /// Lines below the totals.
    public var remarks: [String] = []
    public var tracks: Tracks?
    public var sections: [Section] = []
    public var footer = ""

    public init(title: String) { self.title = title }
  }

  /// A notice above all numbers.
  public struct Notice: Sendable {
    var tone: String
    public let text: String
    var points: [Line]

    /// - Parameter tone: `good`, `bad` or "".
    public init(_ text: String, tone: String, points: [String] = []) {
      self.text = text
      self.tone = tone
      self.points = points.map { Line($0) }
    }
  }

  /// A part of the page with a heading and an anchor.
  public struct Section: Sendable {
    var anchor: String
    /// In the bar of links.
    var name: String
    var heading: String
    var blocks: [Block]
    /// Whether it stays as it is when a range is selected.
    private var isWhole: Bool

    public init(anchor: String, name: String, heading: String? = nil, blocks: [Block]) {
      self.anchor = anchor
      self.name = name
      self.heading = heading ?? name
      self.blocks = blocks
      isWhole = !Table.rangedNames.contains(anchor)
    }

    /// Adds to each row of its tables a part to open.
    public mutating func open(_ sheet: (Int) -> Sheet) {
      for block in blocks.indices { blocks[block].table?.open(sheet) }
    }
  }

  struct Link: Sendable {
    var anchor: String
    var name: String
  }

  /// One piece of a section.
  public struct Block: Sendable {
    var paragraph: Line?
    var code: String?
    var table: Table?
    var finding: Finding?

    /// - Parameter tone: CSS classes, such as `quiet`, `good` or `bad`.
    public static func paragraph(_ text: String, tone: String = "") -> Self {
      Self(paragraph: Line(text, tone: tone))
    }
    public static func code(_ text: String) -> Self { Self(code: text) }
    public static func table(_ table: Table) -> Self { Self(table: table) }
    public static func finding(_ finding: Finding) -> Self { Self(finding: finding) }
  }

  /// A value with its name.
  public struct Fact: Sendable {
    var label: String
    var text: String

    public init(_ label: String, _ text: String) {
      self.label = label
      self.text = text
    }
  }

  /// A line of text with its CSS classes.
  public struct Line: Sendable {
    var text: String
    var tone: String

    public init(_ text: String, tone: String = "") {
      self.text = text
      self.tone = tone
    }
  }

  /// Something worth changing.
  public struct Finding: Sendable {
    /// A sentence: what happens.
    public var headline: String
    /// Its number on the page, or nothing.
    public var number: [Int] = []
    /// The rows of its statement and of its line, by which the tracks find its runs; or nothing.
    public var statement: [Int] = []
    public var caller: [Int] = []
    /// The rule's name, or nothing.
    public var rule: [String] = []
    /// A line below it, or nothing.
    public var message: [String] = []
    /// `warning` or `note`.
    public var severity: String
    /// A line of code, or nothing.
    public var place: [String] = []
    /// The anchor of the statement, or nothing.
    public var link: [String] = []
    public var saving: [String] = []
    /// The statement, or nothing.
    public var sql: [String] = []
    /// What to do.
    public var changes: [Fact]
    /// The SQL of the fix, to be copied; or nothing.
    public var code: [String] = []
    public var evidence: [Fact] = []
    public var reason = ""
    public var summary: String
    private var tone: String

    public init(
      headline: String, severity: String, changes: [Fact], summary: String
    ) {
      self.headline = headline
      self.severity = severity
      tone = severity == "warning" ? "bad" : "warn"
      self.changes = changes
      self.summary = summary
    }
  }
}
