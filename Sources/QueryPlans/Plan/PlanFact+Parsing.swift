// SPDX-License-Identifier: Apache-2.0

extension PlanFact {
  /// Reads SQLite's words, both before 3.36 (`SCAN TABLE ZSTOP AS t0`) and since (`SCAN t0`).
  init(detail: String) {
    var words = detail[...]
    let rows = words.removeRows()
    if words.hasPrefix("EXECUTE ") { words = words.dropFirst(8) }
    if words.hasPrefix("REUSE ") { words = words.dropFirst(6) }
    self = Self.access(words, rows) ?? Self.structure(words) ?? .other
  }

  private static func access(_ words: Substring, _ rows: TableAccess.Rows?) -> PlanFact? {
    func access(_ words: Substring) -> TableAccess {
      var access = TableAccess(words: words)
      access.rows = rows
      return access
    }
    if words.hasPrefix("SCAN "),
      words.hasSuffix("CONSTANT ROW") || words.hasSuffix("CONSTANT ROWS")
        || words.hasSuffix("-ROW VALUES CLAUSE")
    {
      return .constantRows
    }
    if let rest = words.without(prefix: "SCAN ") { return .scan(access(rest)) }
    if let rest = words.without(prefix: "SEARCH ") { return .search(access(rest)) }
    if let rest = words.without(prefix: "BLOOM FILTER ON ") {
      return .bloomFilter(access(rest))
    }
    return nil
  }

  private static func structure(_ words: Substring) -> PlanFact? {
    if let rest = words.without(prefix: "USE TEMP B-TREE FOR ") {
      return .temporaryBTree(purpose: String(rest))
    }
    if let rest = words.without(prefix: "MATERIALIZE ") { return .materialize(String(rest)) }
    if let rest = words.without(prefix: "CO-ROUTINE ") { return .coroutine(String(rest)) }
    if let rest = words.without(prefix: "RIGHT-JOIN ") { return .rightJoin(String(rest)) }
    let isCorrelated = words.hasPrefix("CORRELATED ")
    let kind = isCorrelated ? words.dropFirst(11) : words
    if kind.hasPrefix("SCALAR SUBQUERY") {
      return .subquery(isList: false, isCorrelated: isCorrelated)
    }
    if kind.hasPrefix("LIST SUBQUERY") {
      return .subquery(isList: true, isCorrelated: isCorrelated)
    }
    switch words {
    case "MULTI-INDEX OR": return .multiIndexOr
    case "SETUP": return .recursiveSetup
    case "RECURSIVE STEP": return .recursiveStep
    default: break
    }
    if words.without(prefix: "INDEX ").map({ Int($0) != nil }) == true { return .indexTerm }
    let compounds = [
      "COMPOUND", "LEFT-MOST SUBQUERY", "SUBQUERY ", "UNION", "INTERSECT", "EXCEPT", "MERGE (",
    ]
    if compounds.contains(where: words.hasPrefix) || words == "LEFT" || words == "RIGHT" {
      return .compound(String(words))
    }
    return nil
  }
}

extension TableAccess {
  /// Reads the words after SCAN or SEARCH.
  ///
  ///     TABLE ZSTOP AS t0 USING COVERING INDEX i (ZLONGITUDE>? AND ZLONGITUDE<?)
  ///     t0 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
  ///     SUBQUERY 1 AS x
  init(words: Substring) {
    var words = words
    let isLeftJoin = words.removeSuffix(" LEFT-JOIN")
    var index: Index?
    var constraint: String?
    if let (before, after) = words.split(at: " VIRTUAL TABLE INDEX ") {
      words = before
      index = .virtualTable(String(after))
    } else if let (before, after) = words.split(at: " USING ") {
      words = before
      constraint = after.constraint.map(String.init)
      index = Index(words: after.beforeConstraint)
    } else if let text = words.constraint, words.last == ")", !words.hasPrefix("(") {
      // `BLOOM FILTER ON t (b=?)`
      constraint = String(text)
      words = words.beforeConstraint
    }
    let isOldSubquery = words.hasPrefix("SUBQUERY ")
    let hasTable = words.removePrefix("TABLE ")
    let (table, alias) = words.split(at: " AS ") ?? (words, words)
    self.init(name: String(alias))
    if hasTable { self.table = String(table) }
    self.index = index
    self.constraint = constraint
    self.isLeftJoin = isLeftJoin
    isSubquery = isOldSubquery || alias.hasPrefix("(subquery") || alias.hasPrefix("(join")
  }
}

extension TableAccess.Index {
  /// Reads `AUTOMATIC PARTIAL COVERING INDEX`, `COVERING INDEX name`, `INTEGER PRIMARY KEY`.
  init?(words: Substring) {
    if words == "INTEGER PRIMARY KEY" {
      self = .rowid
    } else if words == "PRIMARY KEY" {
      self = .primaryKey
    } else if words.hasPrefix("AUTOMATIC ") {
      self = .automatic(isCovering: words.contains("COVERING"))
    } else if let name = words.without(prefix: "COVERING INDEX ") {
      self = .named(String(name), isCovering: true)
    } else if let name = words.without(prefix: "INDEX ") {
      self = .named(String(name), isCovering: false)
    } else {
      return nil
    }
  }
}

extension Substring {
  fileprivate func without(prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }

  fileprivate mutating func removePrefix(_ prefix: String) -> Bool {
    guard let rest = without(prefix: prefix) else { return false }
    self = rest
    return true
  }

  fileprivate mutating func removeSuffix(_ suffix: String) -> Bool {
    guard hasSuffix(suffix) else { return false }
    self = dropLast(suffix.count)
    return true
  }

  /// Removes `(~6944 rows)`, as SQLite before 3.8 ends its lines, or `(cycles=2345 [98%] loops=1 rows=1000)`, as
  /// `.scanstats` does.
  fileprivate mutating func removeRows() -> TableAccess.Rows? {
    guard last == ")", let start = lastIndex(of: "("), start > startIndex else { return nil }
    let words = self[index(after: start)...].dropLast().split { " =".contains($0) }
    let isEstimate = words.count == 2 && ["row", "rows"].contains(words[1])
    func number(after name: Substring) -> Int? {
      guard let position = words.firstIndex(of: name), position + 1 < words.count else {
        return nil
      }
      return Int(words[position + 1])
    }
    guard isEstimate && words[0].first == "~" || words.first == "cycles" || words.first == "loops"
    else { return nil }
    self = self[..<start]
    while last == " " { removeLast() }
    if isEstimate { return Int(words[0].dropFirst()).map(TableAccess.Rows.estimated) }
    guard let rows = number(after: "rows"), let loops = number(after: "loops") else { return nil }
    return .counted(rows / Swift.max(loops, 1))
  }

  fileprivate func split(at separator: String) -> (Substring, Substring)? {
    range(of: separator).map { (self[..<$0.lowerBound], self[$0.upperBound...]) }
  }

  private func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }

  /// The text in the parentheses at the end.
  fileprivate var constraint: Substring? {
    guard hasSuffix(")"), let start = range(of: " (") else { return nil }
    return self[start.upperBound...].dropLast()
  }

  fileprivate var beforeConstraint: Substring {
    guard hasSuffix(")"), let start = range(of: " (") else { return self }
    return self[..<start.lowerBound]
  }
}
