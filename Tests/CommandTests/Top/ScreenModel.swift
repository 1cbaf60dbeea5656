// SPDX-License-Identifier: Apache-2.0

/// The screen of a terminal: the few sequences of ECMA-48 and XTerm that a full-screen program
/// needs.
///
/// Any other sequence is kept in ``unknown``, so that a test can check that there is none.
struct ScreenModel {
  private(set) var columns: Int
  private(set) var rows: Int
  private var cells: [[Character]]
  private var row = 0
  private var column = 0
  private var pending: [UInt8] = []
  /// Whether the other screen is shown, and the cursor.
  private(set) var isAlternate = false
  private(set) var isCursorVisible = true
  /// Whether any character of this frame was written behind the last column.
  private(set) var hasOverflowed = false
  private(set) var colors: Set<String> = []
  private(set) var unknown: [String] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Self.blank(columns, rows)
  }

  /// The lines, without the spaces at their ends.
  var lines: [String] {
    cells.map { line in
      var text = String(line.filter { $0 != "\0" })
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  private static func blank(_ columns: Int, _ rows: Int) -> [[Character]] {
    Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Self.blank(columns, rows)
    (row, column) = (0, 0)
  }

  mutating func take(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while !pending.isEmpty {
      guard pending[0] == 0x1b else {
        guard takeText() else { return }
        continue
      }
      guard let end = endOfSequence else { return }
      run(String(decoding: pending[...end], as: UTF8.self))
      pending.removeFirst(end + 1)
    }
  }

  private var endOfSequence: Int? {
    guard pending.count > 1 else { return nil }
    guard pending[1] == UInt8(ascii: "[") else { return 1 }
    return pending.indices.dropFirst(2).first { (0x40...0x7e).contains(pending[$0]) }
  }

  /// Takes text up to the next sequence; false if its last character is not whole.
  private mutating func takeText() -> Bool {
    let end = pending.firstIndex(of: 0x1b) ?? pending.count
    guard let text = String(validating: pending[..<end], as: UTF8.self) else { return false }
    pending.removeFirst(end)
    for character in text {
      switch character {
      case "\r": column = 0
      case "\n": newLine()
      case "\r\n":
        column = 0
        newLine()
      default: put(character)
      }
    }
    return true
  }

  private mutating func newLine() {
    if row < rows - 1 {
      row += 1
    } else {
      cells.removeFirst()
      cells.append(Array(repeating: " ", count: columns))
    }
  }

  private mutating func put(_ character: Character) {
    let isWide = (0x2e80...0x3fffd).contains(character.unicodeScalars.first?.value ?? 0)
    guard column + (isWide ? 2 : 1) <= columns else { return hasOverflowed = true }
    cells[row][column] = character
    // The right half of a wide character.
    if isWide { cells[row][column + 1] = "\0" }
    column += isWide ? 2 : 1
  }

  private mutating func run(_ sequence: String) {
    switch sequence.dropFirst() {
    case "[H":
      (row, column) = (0, 0)
      hasOverflowed = false
    case "[K":
      for index in min(column, columns)..<columns { cells[row][index] = " " }
    case "[J":
      for index in min(column, columns)..<columns { cells[row][index] = " " }
      for line in row + 1..<max(rows, row + 1) {
        cells[line] = Array(repeating: " ", count: columns)
      }
    case "[?1049h": isAlternate = true
    case "[?1049l": isAlternate = false
    case "[?25h": isCursorVisible = true
    case "[?25l": isCursorVisible = false
    case let code where code.hasSuffix("m"): colors.insert(String(code.dropFirst().dropLast()))
    default: unknown.append(sequence)
    }
  }
}
