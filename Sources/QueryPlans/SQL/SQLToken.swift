// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// One token of SQL, with its position.
package struct SQLToken: Hashable {
  package enum Kind { case word, quotedName, text, number, parameter, symbol }

  package let kind: Kind
  /// As written, with its quotes.
  package let text: Substring

  package var range: Range<String.Index> { text.startIndex..<text.endIndex }

  /// Whether it is an unquoted keyword, whatever its case.
  package func isWord(_ keyword: String) -> Bool {
    kind == .word && text.utf8.count == keyword.utf8.count && text.uppercased() == keyword
  }

  package func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

  /// Whether it is a name that begins with some letters, quoted or not, whatever its case.
  package func isName(from prefix: String) -> Bool {
    guard kind == .word || kind == .quotedName, let name else { return false }
    return name.prefix(prefix.count).lowercased() == prefix.lowercased()
  }

  /// The name without quotes; nil if the token cannot be a name.
  ///
  /// SQLite accepts `'text'` as a name where only a name is allowed.
  package var name: String? {
    switch kind {
    case .word: String(text)
    case .quotedName, .text: unquoted
    default: nil
    }
  }

  private var unquoted: String {
    guard let quote = text.utf8.first, text.utf8.count >= 2 else { return String(text) }
    // Not by characters: a combining mark may follow the quote.
    let inner = String(Substring(text.utf8.dropFirst().dropLast()))
    guard quote != UInt8(ascii: "["), inner.utf8.contains(quote) else { return inner }
    let mark = String(UnicodeScalar(quote))
    return inner.split(separator: mark + mark, omittingEmptySubsequences: false)
      .joined(separator: mark)
  }
}

extension SQLToken {
  /// Whether it is a function or an operator that searches within text.
  package var searchesText: Bool {
    TextSearch.Kind.allCases.contains { isName(from: $0.rawValue) }
      || ["INSTR", "LIKE", "GLOB", "REGEXP"].contains(where: isWord)
  }

  /// Whether it names a collation of Core Data's.
  var isLocalizedCollation: Bool { isName(from: "NSCollate") }
}

extension [SQLToken] {
  /// The position of the first word of a statement, behind its WITH clause.
  package var command: Int? {
    guard first?.isWord("WITH") == true else { return indices.first }
    return firstOuter(["SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"])
  }

  /// Whether the statement inserts, updates or deletes rows.
  var areOfWrite: Bool {
    guard let command else { return false }
    return ["INSERT", "REPLACE", "UPDATE", "DELETE"].contains(where: self[command].isWord)
  }

  /// Whether the statement is REPLACE INTO, INSERT OR REPLACE or UPDATE OR REPLACE.
  var replaceRows: Bool {
    guard let command else { return false }
    return self[command].isWord("REPLACE")
      || command + 2 < count && self[command + 1].isWord("OR")
        && self[command + 2].isWord("REPLACE")
  }

  /// The position of the first of some keywords, outside of parentheses that open behind the start.
  func firstOuter(_ keywords: Set<String>, from start: Int = 0) -> Int? {
    var level = 0
    for index in indices[start...] {
      if self[index].isSymbol("(") { level += 1 }
      if self[index].isSymbol(")") { level -= 1 }
      if level == 0, self[index].kind == .word, keywords.contains(self[index].text.uppercased()) {
        return index
      }
    }
    return nil
  }
}

extension [String] {
  /// Whether a name is among them, in any case.
  package func containsName(_ name: String) -> Bool {
    contains { $0.lowercased() == name.lowercased() }
  }
}

/// Names in SQL that is printed for a user to run.
public enum SQLName {
  /// A name as written, or in double quotes if SQLite would not parse it as a name.
  public static func quotedIfNeeded(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf)
    }
    let isName = isPlain && name.utf8.first.map { $0 > 0x39 } == true && !SQLKeyword.contains(name)
    return isName ? name : PlanExplainer.quoted(name)
  }
}
