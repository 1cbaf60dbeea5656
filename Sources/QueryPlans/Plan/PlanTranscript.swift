// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// The plans in a text: of `EXPLAIN QUERY PLAN` in any version of SQLite, of a shell's session, of a
/// program's log, or copied from a page.
///
///     sqlite> EXPLAIN QUERY PLAN SELECT * FROM ZSTOP t0
///        ...> WHERE t0.ZNAME = 'Alexanderplatz';
///     0|0|0|SCAN TABLE ZSTOP AS t0 (~100000 rows)
public struct PlanTranscript {
  /// One plan.
  public struct Listing: Hashable, Sendable {
    /// The statement; nil where the text has none.
    public var sql: String?
    public var steps: [PlanStep]
    /// The number of the line of its first step.
    public var line: Int
  }

  public private(set) var listings: [Listing] = []
  private var statements = TranscriptStatements()
  private var rows: [PlanTextRow] = []
  private var numbers: [Int64] = []
  private var fields: [PlanTextField] = []
  private var fieldsLine = 0
  /// The lines of fields that were taken for a part of the statement as well.
  private var fieldLines = 0
  private var isAfterBlank = false

  public init(_ text: String) {
    for (index, line) in PlainText.lines(of: text).enumerated() {
      for record in PlanTextLine.records(in: line) { read(record, number: index + 1) }
    }
    endRow()
    endPlan()
  }

  private var isNumbered: Bool { rows.last?.pair != nil }

  private mutating func read(_ line: Substring, number: Int) {
    let parsed = PlanTextLine(line, isWithinPlan: isNumbered)
    switch parsed {
    case .fields(let new): return add(new, line, number)
    case .numbers(let new) where !statements.isOpen: return numbers += new
    case .border: return readBorder(line)
    default: endRow()
    }
    defer { if case .row = parsed {} else { numbers = [] } }
    switch parsed {
    case .row(let row) where !(row.isWeak && (statements.isOpen || rows.isEmpty)):
      add(row, number)
    case .counts(let loops, let rows): addCounts(loops, rows)
    case .blank:
      isAfterBlank = true
      statements.endAtBlank()
    case .heading, .fence:
      endPlan()
      statements.end()
    case .prompt(let text):
      endPlan()
      statements.end()
      statements.read(text, isAtPrompt: true)
    case .continuation(let text): if statements.isOpen { statements.read(text, isAtPrompt: true) }
    case .row, .other, .fields, .numbers, .border: readOther(line)
    }
  }

  /// Skips a line without words; `)` may be a line of the statement, if no step follows.
  private mutating func readBorder(_ line: Substring) {
    guard statements.isOpen, line.contains(where: { "();".contains($0) }) else { return }
    statements.read(line, isAtPrompt: true)
    fieldLines += 1
  }

  private mutating func readOther(_ line: Substring) {
    if let last = rows.indices.last, !isAfterBlank,
      rows[last].isOpen || line.contains(#/^\s*(\(|USING |AND |AS )/#)
    {
      let rest = PlanTextRow(numbers: [], detail: line.split(separator: " ").joined(separator: " "))
      rows[last].detail += " " + rest.detail
      return
    }
    endPlan()
    statements.read(line, isAtPrompt: false)
  }

  private mutating func add(_ row: PlanTextRow, _ number: Int) {
    statements.end()
    var row = row
    if row.numbers.isEmpty, !row.isDrawn, numbers.count > 1 { row.numbers = numbers }
    numbers = []
    (row.line, row.isAfterBlank) = (number, isAfterBlank && !rows.isEmpty)
    rows.append(row)
    isAfterBlank = false
  }

  private mutating func addCounts(_ loops: Int, _ counted: Int) {
    guard let last = rows.indices.last else { return }
    rows[last].detail += " (loops=\(loops) rows=\(counted))"
  }

  /// Takes columns of a row; a name for the second time begins the next row.
  private mutating func add(_ new: [PlanTextField], _ line: Substring, _ number: Int) {
    for field in new {
      if fields.contains(where: { $0.name == field.name }) { endRow() }
      fields.append(field)
    }
    fieldsLine = number
    guard statements.isOpen else { return }
    // `id = 3` may be a line of the statement, if no step follows.
    if new.contains(where: { $0.name == "detail" }) {
      statements.end(without: fieldLines)
    } else {
      statements.read(line, isAtPrompt: true)
      fieldLines += 1
    }
  }

  private mutating func endRow() {
    defer { (fields, fieldLines) = ([], 0) }
    guard let detail = fields.first(where: { $0.name == "detail" }) else { return }
    let numbers = [["id", "selectid"], ["parent", "order"]].compactMap { names in
      fields.first { names.contains($0.name) }.flatMap { Int64($0.text) }
    }
    add(PlanTextRow(numbers: numbers.count > 1 ? numbers : [], detail: detail.text), fieldsLine)
  }

  private mutating func endPlan() {
    isAfterBlank = false
    for plan in PlanRows.plans(of: rows) {
      let steps = plan.steps
      listings.append(
        Listing(sql: statements.statement(of: steps), steps: steps, line: plan.firstLine))
    }
    rows = []
  }
}
