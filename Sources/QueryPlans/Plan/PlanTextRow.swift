// SPDX-License-Identifier: Apache-2.0

/// A row of a plan, in one of the forms in which programs print it.
///
///     0|0|1|SCAN TABLE ZSTOP AS t0 (~6944 rows)      | 3  | 0      | 0       | SCAN t0     |
///     |  `--SCAN t0                                  {"id":3,"parent":0,"notused":0,"detail":"SCAN t0"}
///     (3, 0, 0, 'SCAN t0'),                          --EQP-- 0,0,0,SCAN TABLE ZSTOP AS t0
struct PlanTextRow {
  /// The numbers before the words; the last three belong to SQLite's row.
  var numbers: [Int64] = []
  /// The offset of the words in the line, which is the depth of a drawn step.
  var depth = 0
  /// Whether lines of a tree stand before the words.
  var isDrawn = false
  var detail: String
  var line = 0
  /// Whether an empty line separates it from the row before it.
  var isAfterBlank = false

  /// The first two numbers, if the row has them.
  var pair: (Int64, Int64)? {
    let row = numbers.suffix(3)
    return row.count < 2 ? nil : (row[row.startIndex], row[row.startIndex + 1])
  }

  init(numbers: [Int64], detail: String) { (self.numbers, self.detail) = (numbers, detail) }

  /// - Parameter isWithinPlan: whether a numbered row precedes it: words that are not known, as of a later
  ///   SQLite, are then a step as well.
  init?(_ line: Substring, isWithinPlan: Bool) {
    if let row = PlanTextRow(line, from: line.startIndex, isWithinPlan) {
      self = row
    } else if line.contains("|"),
      let start = line.firstMatch(of: #/\s(?=\d+\|\d+\|\d+\|)/#)?.range.upperBound,
      let row = PlanTextRow(line, from: start, isWithinPlan)
    {
      // A log's own words may precede it.
      self = row
    } else {
      return nil
    }
  }

  private init?(_ line: Substring, from start: Substring.Index, _ isWithinPlan: Bool) {
    var rest = line[start...]
    detail = ""
    while let character = rest.first {
      if character.isASCII, character.isNumber {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        rest = rest.dropFirst(digits.count)
        numbers.append(number)
      } else if character.isLetter || character == "_" {
        if PlanWords.areStep(rest) { break }
        if isWithinPlan, numbers.count == 3,
          line[start..<rest.startIndex].contains(#/^\d+\|\d+\|\d+\|$/#)
        {
          break
        }
        let word = rest.prefix { $0.isLetter || $0 == "_" }
        guard Self.labels.contains(word.lowercased()) else { return nil }
        rest = rest.dropFirst(word.count)
      } else {
        guard Self.separators.contains(character) else { return nil }
        rest = rest.dropFirst()
      }
    }
    let before = line[start..<rest.startIndex]
    detail = Self.withoutEnd(rest, after: before)
    depth = line.distance(from: line.startIndex, to: rest.startIndex)
    isDrawn = before.contains(#/[|`+\\]-|[├└]/#)
    guard !detail.isEmpty, pair != nil || isDrawn || PlanWords.areWholeStep(detail) else {
      return nil
    }
  }

  /// Whether it would be SQL, or a part of a sentence, if no plan preceded it.
  var isWeak: Bool { pair == nil && !isDrawn && PlanWords.areWeak(detail[...]) }

  /// Whether the words go on in the next line: a bracket is open, or a name is missing.
  var isOpen: Bool {
    if detail.count(where: { $0 == "(" }) > detail.count(where: { $0 == ")" }) { return true }
    let last = detail.split(separator: " ").last ?? ""
    return Self.unfinished.contains(String(last))
  }

  private static let unfinished: Set = [
    "AND", "AS", "AUTOMATIC", "CORRELATED", "COVERING", "EXECUTE", "FOR", "INDEX", "INTEGER",
    "PRIMARY",
    "SCALAR", "SCAN", "SEARCH", "TABLE", "TEMP", "USE", "USING", "VIRTUAL",
  ]

  private static let separators = Set(" \t|,;:.=>-+*/#`'\"\\()[]{}│┃║├└─━╰╭•")

  /// Words that may stand before the step.
  private static let labels: Set = [
    "id", "selectid", "parent", "order", "notused", "from", "detail", "eqp", "loop", "insert",
    "into", "table", "values",
  ]

  /// Removes quotes, brackets and borders that were opened before the words.
  private static func withoutEnd(_ words: Substring, after before: Substring) -> String {
    var words = words
    if let quote = before.last, quote == "'" || quote == "\"",
      let end = words.lastIndex(of: quote)
    {
      words = words[..<end]
      return PlanTextField.unescaped(words, quote: quote)
    }
    while let last = words.last {
      let isBorder = last.isWhitespace || "|│┃║".contains(last)
      let isClosing =
        "]}".contains(last)
        || last == ")" && words.count(where: { $0 == ")" }) > words.count(where: { $0 == "(" })
      guard isBorder || isClosing || last == "," else { break }
      words.removeLast()
    }
    return words.split(separator: " ").joined(separator: " ")
  }
}

/// The words with which SQLite begins the steps of a plan.
enum PlanWords {
  private static let starts = [
    "SCAN ", "SEARCH ", "USE TEMP B-TREE FOR ", "MULTI-INDEX OR", "CO-ROUTINE ", "MATERIALIZE ",
    "COMPOUND QUERY", "COMPOUND SUBQUERIES ", "EXECUTE ", "CORRELATED ", "REUSE ",
    "SCALAR SUBQUERY", "LIST SUBQUERY", "BLOOM FILTER ON ", "LEFT-MOST SUBQUERY",
    "RECURSIVE STEP", "MERGE (", "RIGHT-JOIN ", "USING INDEX ", "USING ROWID SEARCH ",
  ]

  static func areStep(_ words: Substring) -> Bool {
    starts.contains(where: words.hasPrefix) || areWeak(words)
  }

  /// Whether SQL has a line of these words as well.
  static func areWeak(_ words: Substring) -> Bool {
    words.prefixMatch(
      of:
        #/(UNION ALL|(UNION|INTERSECT|EXCEPT) USING TEMP B-TREE|LEFT|RIGHT|SETUP|INDEX \d+)(?![\w-])/#
    ) != nil
  }

  /// Whether words without numbers are a step, and not the beginning of a sentence.
  static func areWholeStep(_ words: String) -> Bool {
    switch PlanFact(detail: words) {
    case .scan(let access), .search(let access), .bloomFilter(let access):
      access.isSubquery || !(access.table ?? access.name).contains(" ") && access.hasKnownWords
    case .materialize(let name), .coroutine(let name), .rightJoin(let name):
      !name.contains(" ")
    case .other: words.hasPrefix("USING INDEX ") && words.hasSuffix(" FOR IN-OPERATOR")
    default: true
    }
  }
}

extension TableAccess {
  /// Whether the name of its table is one that a plan can have: `SCAN TABLE` alone is a heading.
  fileprivate var hasKnownWords: Bool { !name.isEmpty && name != "TABLE" && name.last != "." }
}
