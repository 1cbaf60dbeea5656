// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

@testable import QueryPlans

/// Writes a statement in another way that SQLite reads as the same one: white space, line breaks, comments,
/// the case of words, quotes around names.
struct SQLSpelling<Random: RandomNumberGenerator> {
  var random: Random
  /// Whether line breaks are allowed, which a line of a log cannot have.
  var hasLines = true

  mutating func respelled(_ sql: String) -> String {
    let tokens = SQLTokenizer.tokens(of: sql)
    var text = ""
    for (index, token) in tokens.enumerated() {
      if index > 0 { text += space(tokens[index - 1], token) }
      text += word(at: index, tokens)
    }
    return text
  }

  private mutating func space(_ before: SQLToken, _ after: SQLToken) -> String {
    let isNeeded = (before.kind == .symbol) == (after.kind == .symbol)
    if !isNeeded, Bool.random(using: &random) { return "" }
    // A number and a dot are one number.
    if before.kind == .number || after.kind == .number { return " " }
    let spaces = [" ", "  ", "\t", " /* a, b */ "] + (hasLines ? ["\n", " -- WHERE\n  "] : [])
    return spaces.randomElement(using: &random) ?? " "
  }

  private mutating func word(at index: Int, _ tokens: [SQLToken]) -> String {
    let token = tokens[index]
    // NB: to SQLite `CAST(a AS integer)` is not the expression of an index on `CAST(a AS INTEGER)`.
    let isType = index > 0 && tokens[index - 1].isWord("AS")
    guard token.kind == .word, !isType else { return String(token.text) }
    let text = String(token.text)
    // NB: SQLite keeps the quotes of a window's name: `OVER "w"` is not `OVER w`.
    let isWindow = index > 0 && ["OVER", "WINDOW"].contains { tokens[index - 1].isWord($0) }
    if !isWindow, isName(at: index, tokens), Int.random(in: 0..<4, using: &random) == 0 {
      let quoted = ["\"\(text)\"", "[\(text)]", "`\(text)`"].randomElement(using: &random) ?? text
      return isText(quoted, at: index, tokens) ? text : quoted
    }
    return switch Int.random(in: 0..<3, using: &random) {
    case 0: text.lowercased()
    case 1: text.uppercased()
    default: text
    }
  }

  /// Whether a name in double quotes may be a text: SQLite takes it for one if there is no such column.
  private func isText(_ quoted: String, at index: Int, _ tokens: [SQLToken]) -> Bool {
    var words = tokens.map { String($0.text) }
    words[index] = quoted
    let sql = words.joined(separator: " ")
    return SQLValues.positions(in: SQLTokenizer.tokens(of: sql)).contains(index)
  }

  /// Whether it is the name of a table, a column or a collation.
  private func isName(at index: Int, _ tokens: [SQLToken]) -> Bool {
    let word = tokens[index].text.uppercased()
    let isCall = index + 1 < tokens.count && tokens[index + 1].isSymbol("(")
    return !isCall && !SQLKeyword.contains(word) && !["TRUE", "FALSE", "STORED"].contains(word)
  }
}

extension SQLSpelling where Random == SystemRandomNumberGenerator {
  init() { self.init(random: SystemRandomNumberGenerator()) }
}
