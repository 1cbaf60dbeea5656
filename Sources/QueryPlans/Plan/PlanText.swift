// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension QueryPlan {
  /// Reads the first plan of a text.
  ///
  ///     0|0|0|SCAN TABLE ZSTOP AS t0 (~6944 rows)      QUERY PLAN
  ///     0|0|0|EXECUTE CORRELATED SCALAR SUBQUERY 1     |--SCAN t0
  ///     1|0|0|SEARCH TABLE ZSTOPTIME AS t1 USING …     `--CORRELATED SCALAR SUBQUERY 1
  public init(text: String, sql: String? = nil) {
    self.init(steps: PlanTranscript(text).listings.first?.steps ?? [], sql: sql)
  }
}

/// The rows of one plan.
struct PlanRows {
  private let rows: [PlanTextRow]
  /// Whether the first number of each row is that of a SELECT, as before SQLite 3.24: 0 is the outer one.
  let areBySelect: Bool

  init(_ rows: [PlanTextRow]) {
    self.rows = rows
    areBySelect = rows.contains { $0.pair?.0 == 0 }
  }

  var firstLine: Int { rows.first?.line ?? 0 }

  /// The plans of some rows, one after the other, though nothing may stand between them.
  static func plans(of rows: [PlanTextRow]) -> [PlanRows] {
    let areBySelect = rows.contains { $0.pair?.0 == 0 }
    var plans: [[PlanTextRow]] = []
    for row in rows {
      if let plan = plans.last, !begins(row, after: plan, areBySelect) {
        plans[plans.count - 1].append(row)
      } else {
        plans.append([row])
      }
    }
    return plans.map(PlanRows.init)
  }

  private static func begins(
    _ row: PlanTextRow, after plan: [PlanTextRow], _ areBySelect: Bool
  ) -> Bool {
    guard let (id, order) = row.pair, let (last, _) = plan.last?.pair else {
      return row.isAfterBlank || (row.pair == nil) != (plan.last?.pair == nil)
    }
    // Ids increase.
    guard areBySelect else { return id <= last }
    // The first table of the outer SELECT: the terms of an OR are rows of one table.
    guard id == 0, order == 0, let access = PlanFact(detail: row.detail).access else {
      return false
    }
    return plan.contains { other in
      guard let pair = other.pair, pair == (0, 0) else { return false }
      return PlanFact(detail: other.detail).access.map { $0.name != access.name } == true
        || row.isAfterBlank && other.detail == row.detail
    }
  }

  var steps: [PlanStep] { areBySelect ? stepsBySelect : stepsByIndent }

  /// Since 3.24 the numbers are id and parent; a drawing has depths.
  private var stepsByIndent: [PlanStep] {
    var ancestors: [(depth: Int, id: Int64)] = []
    return rows.enumerated().map { index, row in
      if let (id, parent) = row.pair {
        return PlanStep(id: id, parent: parent, detail: row.detail)
      }
      while let last = ancestors.last, last.depth >= row.depth { ancestors.removeLast() }
      let id = Int64(index) + 1
      defer { ancestors.append((row.depth, id)) }
      return PlanStep(id: id, parent: ancestors.last?.id ?? 0, detail: row.detail)
    }
  }

  private var stepsBySelect: [PlanStep] {
    let bySelect = Dictionary(grouping: rows) { $0.pair?.0 ?? 0 }
    var steps: [PlanStep] = []
    var attached: Set<Int64> = []
    func add(_ detail: String, under parent: Int64) -> Int64 {
      let id = Int64(steps.count) + 1
      steps.append(PlanStep(id: id, parent: parent, detail: detail))
      return id
    }
    func attach(_ select: Int64, under parent: Int64) {
      guard attached.insert(select).inserted else { return }
      for row in bySelect[select] ?? [] {
        let id = add(row.detail, under: parent)
        let inner = row.namedSelects
        for select in inner where bySelect[select] != nil {
          // The SELECTs of a compound do not read their tables within each other.
          attach(select, under: inner.count > 1 ? add("SUBQUERY \(select)", under: id) : id)
        }
      }
    }
    attach(0, under: 0)
    for select in bySelect.keys.sorted() { attach(select, under: 0) }
    return steps
  }
}

extension PlanTextRow {
  /// `… SUBQUERY 1`, `SCAN SUBQUERY 1 AS x`, `COMPOUND SUBQUERIES 1 AND 2 (UNION)`.
  fileprivate var namedSelects: [Int64] {
    let words = detail.split(separator: " ")
    guard let position = words.firstIndex(where: { $0 == "SUBQUERY" || $0 == "SUBQUERIES" }) else {
      return []
    }
    let isCompound = words[position] == "SUBQUERIES"
    return words[(position + 1)...].prefix(isCompound ? 3 : 1).compactMap { Int64($0) }
  }
}
