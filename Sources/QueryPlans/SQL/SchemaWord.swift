// SPDX-License-Identifier: Apache-2.0

/// A token as two texts of SQL are compared: names without quotes and in lower case.
enum SchemaWord {
  static func text(of token: SQLToken) -> String {
    token.kind == .text ? String(token.text) : (token.name ?? String(token.text)).lowercased()
  }

  /// The words of each term that AND joins in a condition.
  static func terms(of condition: Range<Int>, _ tokens: [SQLToken]) -> Set<[String]> {
    Set(
      TermTree(condition, of: tokens).conjuncts.map {
        TermTree.unwrapped($0, tokens).map { text(of: tokens[$0]) }
      })
  }
}
