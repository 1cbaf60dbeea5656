// SPDX-License-Identifier: Apache-2.0

/// The values in the text of a statement: its texts and numbers, and the name of a savepoint.
///
/// `SELECT 0` and `SELECT 1` are Core Data's marks for whole and partial objects, and the numbers of its
/// functions are options. SQLite parses `"x"` as a string if there is no column x.
enum SQLValues {
  /// The positions of tokens that are values, or that SQLite may take for values.
  static func positions(in tokens: [SQLToken]) -> Set<Int> {
    var positions: Set<Int> = []
    if let savepoint = savepointName(in: tokens) { positions.insert(savepoint) }
    /// By open parenthesis: whether it is a list of values, or the arguments of a function of Core Data.
    var lists: [Bool] = []
    var options: [Bool] = []
    var hasValues = false
    for (index, token) in tokens.enumerated() {
      let previous = index > 0 ? tokens[index - 1] : nil
      if token.isWord("VALUES") { hasValues = true }
      if token.isSymbol("(") {
        let next = tokens.dropFirst(index + 1).first
        let isSubquery = next.map { $0.isWord("SELECT") || $0.isWord("WITH") } ?? false
        lists.append(
          !isSubquery
            && (previous?.isWord("IN") == true || previous?.isWord("VALUES") == true
              || (previous?.isSymbol(",") == true && lists.isEmpty && hasValues))
        )
        options.append(previous?.text.uppercased().hasPrefix("NSCOREDATA") == true)
      }
      if token.isSymbol(")") { (_, _) = (lists.popLast(), options.popLast()) }
      let isValue =
        switch token.kind {
        case .text: true
        case .number:
          !(options.last == true && stands(alone: index, in: tokens))
            && !(previous?.isWord("SELECT") == true && ["0", "1"].contains(token.text))
        case .quotedName:
          token.text.hasPrefix("\"") && (lists.last == true || isCompared(after: previous))
            && tokens.dropFirst(index + 1).first?.isSymbol(".") != true
        default: false
        }
      if isValue { positions.insert(index) }
    }
    return positions
  }

  private static let comparisons: Set = [
    "=", "==", "<>", "!=", "<", ">", "<=", ">=", "||", "LIKE", "GLOB", "MATCH", "REGEXP", "BETWEEN",
    "IS", "THEN", "ELSE",
  ]

  private static func isCompared(after previous: SQLToken?) -> Bool {
    previous.map { comparisons.contains($0.text.uppercased()) } ?? false
  }

  /// The position of the name in `SAVEPOINT x`, `RELEASE SAVEPOINT x` and `ROLLBACK TRANSACTION TO SAVEPOINT x`.
  private static func savepointName(in tokens: [SQLToken]) -> Int? {
    var position = 1
    func skip(_ word: String) {
      // A savepoint may have the name of the word: then nothing follows.
      if position + 1 < tokens.count, tokens[position].isWord(word) { position += 1 }
    }
    guard let first = tokens.first else { return nil }
    if first.isWord("RELEASE") {
      skip("SAVEPOINT")
    } else if first.isWord("ROLLBACK") {
      skip("TRANSACTION")
      guard position < tokens.count, tokens[position].isWord("TO") else { return nil }
      position += 1
      skip("SAVEPOINT")
    } else if !first.isWord("SAVEPOINT") {
      return nil
    }
    return position < tokens.count && !tokens[position].isSymbol(";") ? position : nil
  }

  /// Whether a token is a whole argument, between parentheses and commas.
  private static func stands(alone index: Int, in tokens: [SQLToken]) -> Bool {
    guard index > 0, index + 1 < tokens.count else { return false }
    let (before, after) = (tokens[index - 1], tokens[index + 1])
    return (before.isSymbol("(") || before.isSymbol(","))
      && (after.isSymbol(")") || after.isSymbol(","))
  }
}
