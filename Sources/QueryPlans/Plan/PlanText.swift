// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension QueryPlan {
  /// Reads a plan as the sqlite3 shell prints it, of any version, or as bare lines of SQLite's words.
  ///
  ///     0|0|0|SCAN TABLE ZSTOP AS t0 (~6944 rows)      QUERY PLAN
  ///     0|0|0|EXECUTE CORRELATED SCALAR SUBQUERY 1     |--SCAN t0
  ///     1|0|0|SEARCH TABLE ZSTOPTIME AS t1 USING …     `--CORRELATED SCALAR SUBQUERY 1
  public init(text: String, sql: String? = nil) {
    let lines = text.split(whereSeparator: \.isNewline).map(PlanTextLine.init)
      .filter { !$0.detail.isEmpty && $0.detail != "QUERY PLAN" }
    let isByNumber = lines.contains { $0.numbers?.0 == 0 }
    let steps = isByNumber ? Self.stepsBySelect(lines) : Self.stepsByIndent(lines)
    self.init(steps: steps, sql: sql)
  }

  /// Since 3.24 the numbers are id and parent; a drawing has depths.
  private static func stepsByIndent(_ lines: [PlanTextLine]) -> [PlanStep] {
    var ancestors: [(depth: Int, id: Int64)] = []
    return lines.enumerated().map { index, line in
      if let (id, parent) = line.numbers {
        return PlanStep(id: id, parent: parent, detail: line.detail)
      }
      while let last = ancestors.last, last.depth >= line.depth { ancestors.removeLast() }
      let id = Int64(index) + 1
      defer { ancestors.append((line.depth, id)) }
      return PlanStep(id: id, parent: ancestors.last?.id ?? 0, detail: line.detail)
    }
  }

  /// Before 3.24 the first number is the SELECT's: 0 is the outer one, others are named by a step.
  private static func stepsBySelect(_ lines: [PlanTextLine]) -> [PlanStep] {
    let bySelect = Dictionary(grouping: lines) { $0.numbers?.0 ?? 0 }
    var steps: [PlanStep] = []
    var placed: Set<Int64> = []
    func place(_ select: Int64, under parent: Int64) {
      guard placed.insert(select).inserted else { return }
      for line in bySelect[select] ?? [] {
        let id = Int64(steps.count) + 1
        steps.append(PlanStep(id: id, parent: parent, detail: line.detail))
        for inner in line.namedSelects { place(inner, under: id) }
      }
    }
    place(0, under: 0)
    for select in bySelect.keys.sorted() { place(select, under: 0) }
    return steps
  }
}

/// One line of a plan as text.
private struct PlanTextLine {
  /// The first two of `0|0|0|`.
  var numbers: (Int64, Int64)?
  var depth = 0
  var detail: String

  init(_ line: Substring) {
    let fields = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false)
    if fields.count == 4, let first = Int64(fields[0]), let second = Int64(fields[1]),
      Int64(fields[2]) != nil
    {
      numbers = (first, second)
      detail = String(fields[3])
    } else {
      let drawing = line.prefix { " |`-\t".contains($0) }
      depth = drawing.count
      detail = String(line.dropFirst(drawing.count))
    }
    while detail.last?.isWhitespace == true { detail.removeLast() }
  }

  /// `… SUBQUERY 1`, `SCAN SUBQUERY 1 AS x`, `COMPOUND SUBQUERIES 1 AND 2 (UNION)`.
  var namedSelects: [Int64] {
    let words = detail.split(separator: " ")
    guard let place = words.firstIndex(where: { $0 == "SUBQUERY" || $0 == "SUBQUERIES" }) else {
      return []
    }
    let isCompound = words[place] == "SUBQUERIES"
    return words[(place + 1)...].prefix(isCompound ? 3 : 1).compactMap { Int64($0) }
  }
}
