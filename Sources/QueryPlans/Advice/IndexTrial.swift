// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Tries indexes on an empty copy of the schema: a report prints those that SQLite uses.
final class IndexTrial {
  private let copy: SchemaCopy
  private let size: (String) -> TableSize?
  /// The number of rows of a partial index.
  private let rows: (IndexCandidate) -> Int?
  private var known: [String: [IndexCandidate]?] = [:]
  /// The scan that an index is to replace.
  private var scan: PlanJudgement.Scan?

  init?(
    _ source: Connection, size: @escaping (String) -> TableSize?,
    rows: @escaping (IndexCandidate) -> Int?
  ) {
    guard let copy = SchemaCopy(of: source) else { return nil }
    (self.copy, self.size, self.rows) = (copy, size, rows)
  }

  /// The columns that the schema has.
  func columns(of table: String) -> TableColumns? { copy.columns(of: table) }

  /// The first set of indexes with which the statement reads clearly fewer rows; nil where it cannot be
  /// tried, and empty where no index serves.
  func finding(_ sets: [[IndexCandidate]], for scan: PlanJudgement.Scan, in sql: String)
    -> [IndexCandidate]?
  {
    self.scan = scan
    defer { self.scan = nil }
    return result(of: "\(scan.table ?? "")\n\(sql)") {
      guard let before = copy.plan(sql).map({ cost($0) }) else { return nil }
      // Other SELECTs of the statement, as those of a UNION, may read far more.
      let ofScan =
        scan.isOutermost && !scan.isInCorrelatedSubquery
        ? max(Double(scan.size?.rows ?? 0), ScanBound.minRows) : .infinity
      return sets.prefix(Self.maxTrials).lazy.compactMap { set in
        self.used(set, in: sql) { cost, _, found in
          found && (cost < before.rows * 0.8 || before.rows - cost >= ofScan * 0.8)
        }
      }.first ?? []
    }
  }

  /// The first set of indexes with which the statement sorts less.
  func sorting(_ sets: [[IndexCandidate]], in sql: String) -> [IndexCandidate]? {
    result(of: "\n\(sql)") {
      guard let before = copy.plan(sql).map({ cost($0) }) else { return nil }
      return sets.prefix(Self.maxTrials).lazy.compactMap { set in
        self.used(set, in: sql) { _, sorts, _ in sorts < before.sorts }
      }.first ?? []
    }
  }

  // 30 is arbitrary: each takes a tenth of a millisecond.
  private static let maxTrials = 30

  private func result(of key: String, _ body: () -> [IndexCandidate]?) -> [IndexCandidate]? {
    if let result = known[key] { return result }
    let result = body()
    known[key] = .some(result)
    return result
  }

  // MARK: - One set

  /// The indexes of a set that the plan uses, if it is good enough with them.
  private func used(
    _ set: [IndexCandidate], in sql: String,
    _ isGood: (_ rows: Double, _ sorts: Int, _ finds: Bool) -> Bool
  ) -> [IndexCandidate]? {
    var made: [String: IndexCandidate] = [:]
    defer {
      for name in made.keys { try? copy.connection.execute("DROP INDEX \(name)") }
    }
    for (number, candidate) in set.enumerated() {
      let name = "storescope_trial_\(number)"
      guard (try? copy.connection.execute(candidate.sql(named: name))) != nil else { continue }
      made[name] = candidate
      if isServed(name, candidate.table) {
        try? copy.connection.execute("DROP INDEX \(name)")
        made[name] = nil
      }
    }
    guard !made.isEmpty, let plan = copy.plan(sql) else { return nil }
    var used: Set<String> = []
    var finds = false
    for node in plan.nodes {
      guard case .named(let name, _)? = node.fact.access?.index, let candidate = made[name] else {
        continue
      }
      used.insert(name)
      if case .search = node.fact { finds = true }
      if candidate.condition != nil { finds = true }
    }
    let after = cost(plan, partial: made.filter { $0.value.condition != nil })
    guard !used.isEmpty, isGood(after.rows, after.sorts, finds) else { return nil }
    return made.keys.sorted().filter(used.contains).compactMap { made[$0] }
  }

  /// Whether another index begins with the same terms.
  private func isServed(_ name: String, _ table: String) -> Bool {
    guard let all = try? DatabaseIndex.all(of: table, copy.connection),
      let own = all.first(where: { $0.name == name })
    else { return false }
    return all.contains { $0.name != name && (own.isPrefix(of: $0) || own.isSame(as: $0)) }
  }

  // MARK: - The cost of a plan

  private struct Cost {
    var rows = 0.0
    var sorts = 0
  }

  /// The rows that a plan reads, roughly: enough to compare a search with a scan.
  private func cost(_ plan: QueryPlan, partial: [String: IndexCandidate] = [:]) -> Cost {
    var sorts = 0
    let rows = rows(plan.roots, partial, &sorts)
    return Cost(rows: rows, sorts: sorts)
  }

  // 10 is SQLite's own estimate of the rows of one value.
  private static let rowsOfSearch = 10.0

  private func rows(
    _ nodes: [QueryPlan.Node], _ partial: [String: IndexCandidate], _ sorts: inout Int
  ) -> Double {
    var (sum, loops) = (0.0, 1.0)
    for node in nodes {
      var inner = rows(node.children, partial, &sorts)
      switch node.fact {
      case .scan(let access), .search(let access):
        let isSearch = if case .search = node.fact { true } else { false }
        let found =
          access.constraint != nil || (isSearch && access.index != nil && !isScan(access))
        let all = Double(rows(of: access, partial))
        if case .automatic = access.index {
          sum += all + loops * Self.rowsOfSearch
        } else if isSearch, found {
          // `a IS NOT NULL` searches a partial index for all of its entries.
          sum += loops * (isOf(partial, access) ? all : Self.rowsOfSearch)
        } else {
          sum += loops * all
          loops *= max(all / Self.rowsOfSearch, 1)
        }
      case .temporaryBTree(let purpose) where purpose.hasSuffix("ORDER BY"): sorts += 1
      case .subquery(_, let isCorrelated) where isCorrelated: inner *= loops
      case .multiIndexOr: inner *= loops
      default: break
      }
      sum += inner
    }
    return sum
  }

  private func isOf(_ partial: [String: IndexCandidate], _ access: TableAccess) -> Bool {
    if case .named(let name, _) = access.index { partial[name] != nil } else { false }
  }

  private func rows(of access: TableAccess, _ partial: [String: IndexCandidate]) -> Int {
    if case .named(let name, _) = access.index, let candidate = partial[name],
      let rows = rows(candidate)
    {
      return rows
    }
    let rows = access.isSubquery ? 10 : access.table.flatMap(size)?.rows ?? 10
    // A database without the program's rows is planned as one with them.
    guard let scan, !scan.isInCorrelatedSubquery, access.table == scan.table else { return rows }
    return max(rows, Int(ScanBound.minRows))
  }

  /// Whether it is `SELECT max(a)` by an index that does not begin with a.
  private func isScan(_ access: TableAccess) -> Bool {
    guard let index = scan?.index, case .named(index, _) = access.index else { return false }
    return true
  }
}
