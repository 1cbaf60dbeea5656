// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The statements in a text with plans.
struct TranscriptStatements {
  /// The last ones, the newest last.
  private var known: [String] = []
  /// Whether EXPLAIN QUERY PLAN stands before the newest.
  private var isExplained = false
  private var lines: [Substring]?
  private var hasText = false
  private var isAtPrompt = false

  // 8 is arbitrary: the statement of a plan stands close before it.
  private static let maxKnown = 8
  // 2,000 is arbitrary: more lines are text of another kind, without the end of a statement.
  private static let maxLines = 2000

  /// Whether the statement that is read has no end yet.
  var isOpen: Bool { lines != nil }

  /// Reads a line that is no row of a plan.
  ///
  /// - Parameter isAtPrompt: whether a shell's prompt shows that all of it is input.
  mutating func read(_ line: Substring, isAtPrompt: Bool) {
    if let explained = Self.explained(in: line) {
      end()
      isExplained = true
      self.isAtPrompt = isAtPrompt
      (lines, hasText) = ([explained], false)
    } else if lines != nil, hasText {
      // A sentence that introduces the plan.
      if !isAtPrompt, line.last(where: { !$0.isWhitespace }) == ":" { return end() }
      lines?.append(line)
    } else if let start = Self.beginning(of: line) {
      isExplained = isExplained && lines != nil
      self.isAtPrompt = isAtPrompt
      (lines, hasText) = ([start], false)
    } else {
      return end()
    }
    hasText = hasText || lines?.last?.contains { !$0.isWhitespace } == true
    if line.last(where: { !$0.isWhitespace }) == ";",
      SQLTokenizer.tokens(of: text).last?.isSymbol(";") == true
    {
      end()
    } else if lines.map({ $0.count > Self.maxLines }) == true {
      lines = nil
    }
  }

  mutating func endAtBlank() {
    if !isAtPrompt, hasText { end() }
  }

  /// Ends it without its last lines.
  mutating func end(without count: Int) {
    lines = lines.map { $0.dropLast(count) }
    end()
  }

  mutating func end() {
    guard lines != nil else { return }
    let text = text
    if text.isEmpty { isExplained = false }
    lines = nil
    guard !text.isEmpty, StatementOutline(text).hasPlan else { return }
    known = known.suffix(Self.maxKnown - 1) + [text]
  }

  /// The statement of a plan: the explained one, or the last one with the tables of the plan.
  mutating func statement(of steps: [PlanStep]) -> String? {
    defer { isExplained = false }
    if isExplained, let last = known.last { return Self.withoutEnd(last) }
    let names = steps.compactMap { PlanFact(detail: $0.detail).access }.filter { !$0.isSubquery }
      .flatMap { [$0.name, $0.table ?? $0.name] }
    return known.last { sql in
      let outline = StatementOutline(sql)
      return names.isEmpty && !outline.scopes.isEmpty
        || names.contains { outline.scope(of: $0, depth: 0) != nil }
    }.map(Self.withoutEnd)
  }

  private var text: String {
    let all = (lines ?? []).joined(separator: "\n")
    return all.trimmingPrefix(while: \.isWhitespace).isEmpty ? "" : all
  }

  private static func withoutEnd(_ sql: String) -> String {
    var sql = sql[...].drop(while: \.isWhitespace)
    while let last = sql.last, last.isWhitespace || last == ";" { sql.removeLast() }
    return String(sql)
  }

  /// The statement in a line: the letters of its first word are all capital, or all small, which a sentence's
  /// are not.
  private static func beginning(of line: Substring) -> Substring? {
    let first = line.first { !$0.isWhitespace }
    guard first.map({ "SWIUDRVswiudrv".contains($0) }) == true || line.contains("sql: ") else {
      return nil
    }
    let word =
      #/(?:SELECT|WITH|INSERT|UPDATE|DELETE|REPLACE|VALUES|select|with|insert|update|delete|replace|values)\b(?!:)/#
    let start = line.prefixMatch(of: #/(?:.*\bsql: )?\s*/#)?.range.upperBound ?? line.startIndex
    return line[start...].prefixMatch(of: word) == nil ? nil : line[start...]
  }

  /// The text behind EXPLAIN QUERY PLAN, which may be on the next line.
  private static func explained(in line: Substring) -> Substring? {
    let explain = #/(?:EXPLAIN\s+QUERY\s+PLAN(?:\s+FOR)?|EXPLAIN for):?\s*/#.ignoresCase()
    guard line.uppercased().contains("EXPLAIN"), let match = line.firstMatch(of: explain) else {
      return nil
    }
    let before = line[..<match.range.lowerBound]
    var rest = line[match.range.upperBound...]
    // Rails writes the values behind the statement.
    if let values = rest.firstMatch(of: #/\s\[\[.*\]\]\s*$/#) {
      rest = rest[..<values.range.lowerBound]
    }
    let isStatement =
      rest.contains(#/^(SELECT|WITH|INSERT|UPDATE|DELETE|REPLACE|VALUES|\()/#.ignoresCase())
    return isStatement || rest.isEmpty && before.allSatisfy(\.isWhitespace) ? rest : nil
  }
}
