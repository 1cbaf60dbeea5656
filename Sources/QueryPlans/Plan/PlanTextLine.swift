// SPDX-License-Identifier: Apache-2.0

/// A line of a text with plans, by its meaning for them.
enum PlanTextLine {
  case row(PlanTextRow)
  /// Parts of a row: `"parent": 0,`.
  case fields([PlanTextField])
  /// Numbers of a row, without their names: `<td>0</td>`.
  case numbers([Int64])
  /// The names of the columns, or `QUERY PLAN`: a plan begins.
  case heading
  /// `nLoop=1 nRow=1000`, which SQLite counted for the row before it.
  case counts(loops: Int, rows: Int)
  case blank
  /// The border of a table, or the brackets of a list.
  case border
  case fence
  /// `sqlite> SELECT …`.
  case prompt(Substring)
  /// `   ...> FROM …`.
  case continuation(Substring)
  case other(Substring)

  /// - Parameter isWithinPlan: whether a numbered row precedes it.
  init(_ line: Substring, isWithinPlan: Bool) {
    let words = line.drop(while: \.isWhitespace)
    if words.isEmpty {
      self = .blank
    } else if words.hasPrefix("```") || words.hasPrefix("~~~") {
      self = .fence
    } else if words.hasPrefix("sqlite"), let prompt = words.prefixMatch(of: #/sqlite3?>\s?/#) {
      self = .prompt(line[prompt.range.upperBound...])
    } else if line.contains("...>"),
      let prompt = line.prefixMatch(of: #/\s*[^\s.]{0,3}\s*\.\.\.>\s?/#)
    {
      self = .continuation(line[prompt.range.upperBound...])
    } else if Self.isHeading(line) {
      self = .heading
    } else if Self.isBorder(line) {
      self = .border
    } else if words.hasPrefix("nLoop="),
      let counts = line.firstMatch(of: #/nLoop=(\d+)\s+n(?:Row|Visit)=(\d+)/#),
      let loops = Int(counts.1), let rows = Int(counts.2)
    {
      self = .counts(loops: loops, rows: rows)
    } else if let fields = PlanTextField.all(in: line) {
      self = .fields(fields)
    } else if line.allSatisfy({ $0.isASCII && ($0.isNumber || " |,\"\t".contains($0)) }) {
      self = .numbers(line.split { !$0.isNumber }.compactMap { Int64($0) })
    } else if let row = PlanTextRow(line, isWithinPlan: isWithinPlan) {
      self = .row(row)
    } else {
      self = .other(line)
    }
  }

  private static func isHeading(_ line: Substring) -> Bool {
    let words = line.split { !$0.isLetter }
    if words.starts(with: ["QUERY", "PLAN"]) {
      return words.count == 2 || words.dropFirst(2).first == "cycles"
    }
    if words == ["scanstats"] { return true }
    return words.count > 1 && words.last?.lowercased() == "detail" && !line.contains("=")
      && words.allSatisfy { PlanTextField.names.contains($0.lowercased()) }
      && !line.contains(where: \.isNumber)
  }

  private static func isBorder(_ line: Substring) -> Bool {
    line.allSatisfy { " \t-+=|:[](){},;'\"─━═│┃║┌┬┐├┼┤└┴┘╭╮╰╯┏┓┗┛┳┻┫┣╋╔╗╚╝╦╩╠╣╬".contains($0) }
      || line.hasPrefix("-") && line.contains(#/^-+ subquery \d+ -+\s*$/#)
      || line.contains("rray")
        && line.contains(#/^\s*(\[?\d+\]?\s*=>\s*)?[Aa]rray(\(\d+\))?\s*[({]?\s*$/#)
  }

  /// The records of a list that is printed on one line: `[(2, 0, 0, 'SCAN a'), (7, 0, 0, …)]`.
  static func records(in line: Substring) -> [Substring] {
    guard let first = line.first(where: { $0 != " " }), "[{(".contains(first) else { return [line] }
    var records: [Substring] = []
    var start = line.startIndex
    var quote: Character?
    var isAfterEnd = false
    for index in line.indices {
      let character = line[index]
      if let open = quote {
        if character == open { quote = nil }
        continue
      }
      if character == "\"" || character == "'" { quote = character }
      if isAfterEnd, "[{(".contains(character) {
        records.append(line[start..<index])
        start = index
      }
      isAfterEnd = "]})".contains(character) || isAfterEnd && " ,".contains(character)
    }
    return records + [line[start...]]
  }
}
