// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension TraceReport {
  /// The command with a name that differs from a word by one or two letters: `plans` for `plan`.
  ///
  /// Words without a command's name are inputs of summary, so a mistyped command is not found.
  static func command(like word: String) -> String? {
    let names = configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
    return names.map { (name: $0, distance: distance(word, $0)) }
      .filter { $0.distance <= min(2, $0.name.count / 2) }
      .min { $0.distance < $1.distance }?.name
  }

  /// The number of letters to insert, remove or replace: the Levenshtein distance.
  private static func distance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let replaced = diagonal + (letter == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[b.count]
  }
}
