// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// What a result depends on in addition to the rows and the bound values.
struct Variation: OptionSet {
  var rawValue: UInt8

  /// `random()`: other values in each run.
  static let random = Self(rawValue: 1)
  /// The time within a run: a replay has that of its start.
  static let clock = Self(rawValue: 2)
  /// The schema, the settings, the version, or what the connection did before.
  static let surroundings = Self(rawValue: 4)

  // https://www.sqlite.org/lang_corefunc.html, https://www.sqlite.org/lang_datefunc.html
  static let randomFunctions = ["RANDOM", "RANDOMBLOB"]
  private static let functions: [Self: [String]] = [
    .random: randomFunctions,
    .clock: ["DATE", "TIME", "DATETIME", "JULIANDAY", "UNIXEPOCH", "STRFTIME"],
    .surroundings: ["CHANGES", "TOTAL_CHANGES", "LAST_INSERT_ROWID"],
  ]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(sql: String) {
    self = ["PRAGMA", "EXPLAIN"].contains(StatementCommand.name(of: sql)) ? .surroundings : []
    let tokens = SQLTokenizer.tokens(of: sql)
    for (token, next) in zip(tokens, tokens.dropFirst().map(Optional.some) + [nil]) {
      if token.isName(from: "sqlite_") || token.isName(from: "pragma_") { insert(.surroundings) }
      if token.isName(from: "current_") { insert(.clock) }
      guard next?.isSymbol("(") == true else { continue }
      for (variation, names) in Self.functions where names.contains(where: token.isWord) {
        formUnion(variation)
      }
    }
  }
}

extension Variation: Hashable {}
