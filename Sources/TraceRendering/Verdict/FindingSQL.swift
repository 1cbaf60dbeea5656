// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import TraceAnalysis

/// The SQL of a finding in one line that keeps the part that the finding is about.
///
///     SELECT … FROM loan JOIN book … WHERE due < ? AND …
struct FindingSQL: Hashable {
  let sql: String
  /// The columns that the finding and its fix name, in lower case.
  private let names: Set<String>
  /// The clause that the rule is about.
  private let clause: String

  init(_ sql: String, of finding: Finding) {
    self.sql = sql
    names = Self.names(in: finding.fix).union(Self.names(in: finding.message))
    clause =
      switch finding.rule {
      case "UseIndexForSort", "UseStoredSortKey": "ORDER"
      case "AvoidDeepOffset", "LimitFetch": "LIMIT"
      default: "WHERE"
      }
  }

  /// The words in parentheses and quotes: `CREATE INDEX loan_due ON loan (due)` names `due`.
  private static func names(in text: String) -> Set<String> {
    var names: Set<String> = []
    var (word, level, isQuoted) = ("", 0, false)
    for character in text + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
        continue
      }
      if level > 0 || isQuoted, !word.isEmpty {
        // A column of a store's attribute has a Z before its name.
        names.formUnion([word.lowercased(), "z" + word.lowercased()])
      }
      word = ""
      switch character {
      case "(": level += 1
      case ")": level -= 1
      case "'": isQuoted.toggle()
      default: break
      }
    }
    return names
  }

  /// The line, unescaped, in at most this many columns.
  func line(_ width: Int) -> String {
    let text = SQLText.abridged(sql, to: width)
    guard TerminalText.width(text) > width else { return text }
    let tokens = SQLTokenizer.tokens(of: text)
    guard let head = Self.head(of: tokens), let focus = focus(in: tokens, behind: head) else {
      return text
    }
    let start = text[..<tokens[head].range.upperBound]
    let rest = text[tokens[focus].range.lowerBound...]
    let gap = focus > head + 1 ? " … " : " "
    // A table with a long name leaves no room for the rest.
    guard start.count + gap.count < width / 2 else { return "… \(rest)" }
    return "\(start)\(gap)\(rest)"
  }

  /// The last token of `SELECT … FROM loan l`, `UPDATE loan` or `INSERT INTO loan`.
  private static func head(of tokens: [SQLToken]) -> Int? {
    let words = ["FROM", "INTO", "UPDATE"]
    guard let word = tokens.firstIndex(where: { token in words.contains(where: token.isWord) }),
      word + 1 < tokens.count
    else { return nil }
    let isAliased =
      word + 2 < tokens.count && tokens[word + 2].kind == .word
      && !clauses.contains(where: tokens[word + 2].isWord)
    return word + (isAliased ? 2 : 1)
  }

  /// The words that follow a table without an alias.
  private static let clauses = [
    "WHERE", "JOIN", "LEFT", "INNER", "CROSS", "NATURAL", "ORDER", "GROUP", "LIMIT", "UNION", "SET",
    "VALUES", "SELECT", "INDEXED", "NOT", "ON", "USING", "AS", "HAVING", "EXCEPT", "INTERSECT",
  ]

  /// The clause or the operator before the first column that is named; otherwise the rule's clause.
  private func focus(in tokens: [SQLToken], behind head: Int) -> Int? {
    let indices = tokens.indices.dropFirst(head + 1)
    let ofRule = indices.first { tokens[$0].isWord(clause) }
    if clause != "WHERE", let ofRule { return ofRule }
    guard
      let named = indices.first(where: { index in
        tokens[index].name.map { names.contains($0.lowercased()) } ?? false
      })
    else { return ofRule }
    let openings = ["WHERE", "ON", "AND", "OR", "ORDER", "GROUP", "HAVING", "SET", "JOIN"]
    // 8 is arbitrary: a term such as `lower(t.name) LIKE` before the column's name.
    return indices.last { index in
      index <= named && index + 8 > named && openings.contains(where: tokens[index].isWord)
    } ?? named
  }
}
