// SPDX-License-Identifier: Apache-2.0

extension TermRewrite.Reader {
  /// A function that does not fall while its column rises, with the column's values for each of its own.
  private struct Interval {
    var column: Column
    /// As written.
    var text: String
    /// The first value of the column, and the first one behind the last.
    var bounds: (Range<Int>) -> (lower: String, upper: String)
  }

  /// `date(a) = ?` as `a >= ? AND a < date(?, '+1 day')`.
  func ranges(_ term: Range<Int>, _ sides: (Range<Int>, Range<Int>), _ position: Int)
    -> [TermRewrite]
  {
    let symbol = tokens[position].text.uppercased()
    if let interval = interval(sides.0) {
      return rewrite(term, interval, symbol, sides.1).map { [$0] } ?? []
    }
    guard symbol != "BETWEEN", let interval = interval(sides.1) else { return [] }
    return rewrite(term, interval, Self.mirrored[symbol] ?? symbol, sides.0).map { [$0] } ?? []
  }

  private func rewrite(
    _ term: Range<Int>, _ interval: Interval, _ symbol: String, _ value: Range<Int>
  ) -> TermRewrite? {
    let values = symbol == "BETWEEN" ? pieces(value) { $0.isWord("AND") } : [value]
    guard let first = values.first, let last = values.last,
      values.count == (symbol == "BETWEEN" ? 2 : 1)
    else { return nil }
    let (lower, upper) = (interval.bounds(first).lower, interval.bounds(last).upper)
    let bounds: [String]
    switch symbol {
    case "=", "==", "BETWEEN": bounds = [">= \(lower)", "< \(upper)"]
    case ">=": bounds = [">= \(lower)"]
    case ">": bounds = [">= \(upper)"]
    case "<": bounds = ["< \(lower)"]
    case "<=": bounds = ["< \(upper)"]
    default: return nil
    }
    return TermRewrite(
      term, .range, bounds.map { "\(interval.text) \($0)" }.joined(separator: " AND "),
      column: TermRewrite.HiddenColumn(
        table: interval.column.table, name: interval.column.name.lowercased()))
  }

  // MARK: - Functions

  private func interval(_ side: Range<Int>) -> Interval? {
    let side = TermTree.unwrapped(side, tokens)
    guard let call = call(side) else { return quotient(side) }
    switch call.name {
    case "date", "datetime", "strftime", "unixepoch": return time(call)
    case "substr", "substring":
      // `substr(a, 1, 10)`
      guard call.arguments.count == 3, text(call.arguments[1]) == "1",
        let column = column(call.arguments[0]), Affinity(column.type) != .integer
      else { return nil }
      return Interval(column: column, text: text(call.arguments[0])) { value in
        (text(value), "\(operand(value)) || char(1114111)")
      }
    case "cast":
      // `CAST(a AS INTEGER)`
      let words = call.arguments.first.map { pieces($0) { $0.isWord("AS") } } ?? []
      guard words.count == 2, let column = column(words[0]),
        [.real, .numeric].contains(Affinity(column.type)), Affinity(text(words[1])) == .integer
      else { return nil }
      return Interval(column: column, text: text(words[0])) { value in
        (text(value), "\(operand(value)) + 1")
      }
    default: return nil
    }
  }

  /// `a / 86400` of integers.
  private func quotient(_ side: Range<Int>) -> Interval? {
    let parts = pieces(side) { $0.isSymbol("/") }
    guard parts.count == 2, let column = column(parts[0]), Affinity(column.type) == .integer,
      let divisor = Int(text(parts[1])), divisor > 0
    else { return nil }
    return Interval(column: column, text: text(parts[0])) { value in
      ("\(operand(value)) * \(divisor)", "(\(operand(value)) + 1) * \(divisor)")
    }
  }

  /// A format of a time: its unit, and the text that completes it to a time that SQLite reads.
  private struct TimeFormat {
    var unit: String
    var missing = ""
    var maker: String { ["year", "month", "day"].contains(unit) ? "date" : "datetime" }
  }

  private static let seconds = "%s"
  private static let formatsOfFunctions = [
    "date": "%Y-%m-%d", "datetime": "%Y-%m-%d %H:%M:%S", "unixepoch": seconds,
  ]
  private static let formats = [
    "%Y": TimeFormat(unit: "year", missing: "-01-01"),
    "%Y-%m": TimeFormat(unit: "month", missing: "-01"),
    "%Y-%m-%d": TimeFormat(unit: "day"), "%F": TimeFormat(unit: "day"),
    "%Y-%m-%d %H": TimeFormat(unit: "hour", missing: ":00"),
    "%Y-%m-%d %H:%M": TimeFormat(unit: "minute"),
    "%Y-%m-%d %H:%M:%S": TimeFormat(unit: "second"), seconds: TimeFormat(unit: "second"),
  ]

  /// The format of a call, and its time with the modifiers.
  private func timeArguments(_ call: Call) -> (format: String, times: ArraySlice<Range<Int>>)? {
    if let format = Self.formatsOfFunctions[call.name] { return (format, call.arguments[...]) }
    guard call.name == "strftime", let first = call.arguments.first, first.count == 1,
      tokens[first.lowerBound].kind == .text, let format = tokens[first.lowerBound].name
    else { return nil }
    return (format, call.arguments.dropFirst())
  }

  /// The column has texts, `2024-05-01 12:00:00`, or with 'unixepoch' seconds.
  private func time(_ call: Call) -> Interval? {
    guard let (name, times) = timeArguments(call), let format = Self.formats[name],
      let first = times.first, let column = column(first)
    else { return nil }
    let modifiers = times.dropFirst().map { text($0).lowercased() }
    func completed(_ value: Range<Int>) -> String {
      format.missing.isEmpty ? text(value) : "\(operand(value)) || '\(format.missing)'"
    }
    let next = "'+1 \(format.unit)'"
    if modifiers == ["'unixepoch'"], name != Self.seconds {
      guard [.integer, .real, .numeric].contains(Affinity(column.type)) else { return nil }
      return Interval(column: column, text: text(first)) { value in
        ("strftime('%s', \(completed(value)))", "strftime('%s', \(completed(value)), \(next))")
      }
    }
    guard modifiers.isEmpty, ![.integer, .real].contains(Affinity(column.type)) else { return nil }
    guard name == Self.seconds else {
      return Interval(column: column, text: text(first)) { value in
        (completed(value), "\(format.maker)(\(completed(value)), \(next))")
      }
    }
    return Interval(column: column, text: text(first)) { value in
      let own = self.call(value).flatMap(timeArguments)
      let time =
        own?.format == name
        ? (own?.times ?? []).map(text).joined(separator: ", ") : "\(text(value)), 'unixepoch'"
      return ("datetime(\(time))", "datetime(\(time), \(next))")
    }
  }

  // MARK: - Tokens

  private struct Call {
    /// In lower case.
    var name: String
    var arguments: [Range<Int>]
  }

  private func call(_ range: Range<Int>) -> Call? {
    guard range.count > 3, tokens[range.lowerBound].kind == .word else { return nil }
    let list = range.lowerBound + 1..<range.upperBound
    guard TermTree.unwrapped(list, tokens) != list else { return nil }
    return Call(
      name: tokens[range.lowerBound].text.lowercased(),
      arguments: pieces(list.dropFirst().dropLast()) { $0.isSymbol(",") })
  }

  /// A value as one side of an operator.
  private func operand(_ value: Range<Int>) -> String {
    value.count == 1 || call(value) != nil ? text(value) : "(\(text(value)))"
  }

  /// The parts between separators that are in no parentheses.
  private func pieces(
    _ range: Range<Int>, _ isSeparator: (SQLToken) -> Bool
  ) -> [Range<Int>] {
    var (level, start) = (0, range.lowerBound)
    var pieces: [Range<Int>] = []
    for index in range {
      if tokens[index].isSymbol("(") { level += 1 }
      if tokens[index].isSymbol(")") { level -= 1 }
      guard level == 0, isSeparator(tokens[index]) else { continue }
      pieces.append(start..<index)
      start = index + 1
    }
    return pieces + [start..<range.upperBound]
  }
}
