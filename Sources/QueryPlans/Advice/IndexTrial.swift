// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents

/// Tries indexes on an empty copy of the schema: a report prints the indexes that SQLite uses.
final class IndexTrial {
  let copy: SchemaCopy
  private let size: (String) -> TableSize?
  /// The number of rows of a partial index.
  private let rows: (IndexCandidate) -> Int?
  private var known: [String: [IndexCandidate]?] = [:]
  /// The savings of the sets that were chosen by running a statement, by its SQL.
  private(set) var gains: [String: [IndexGain]] = [:]
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

  /// A statement to try indexes for.
  struct Subject {
    var sql: String
    /// Values of a run; nil where they are not known, or do not change the plan.
    var values: [BindValue]?
    /// Runs it on a copy of the database with some indexes, or another text with numbered parameters instead of it;
    /// nil where that is impossible.
    var run: (_ indexes: [IndexCandidate], _ text: String?) -> StatementMeter.Trial?
    /// The set that `advise` makes for it alone, of some of the candidates; nil where runs cannot be counted.
    var search: (_ plausible: @escaping Plausible) -> IndexGain? = { _ in nil }
  }

  typealias Plausible = ([IndexCandidate]) -> [IndexCandidate]

  /// The set that a search found; nil where nothing could be counted, and empty where no set halves the steps of a run.
  func chosen(for subject: Subject, _ search: () -> IndexGain?) -> [IndexCandidate]? {
    result(of: "=\n\(subject.sql)") {
      let gain = search()
      if let gain, !gain.indexes.isEmpty { gains[subject.sql, default: []].append(gain) }
      return gain?.indexes
    }
  }

  /// Whether SQLite finds rows of a table by them; with the values that a search had, if the schema alone does not show
  /// a use.
  func find(_ set: [IndexCandidate], rowsOf table: String, in subject: Subject) -> Bool {
    use(of: set, in: subject)?.found.contains(table.lowercased()) ?? true
  }

  /// Counts a statement with indexes that may save less than half of its steps.
  func count(_ set: [IndexCandidate], in subject: Subject) -> IndexGain? {
    guard let before = subject.run([], nil), let after = subject.run(set, nil), !after.used.isEmpty,
      !after.measurement.isCut
    else { return nil }
    return IndexGain(indexes: set, before: before.stepsPerRun, after: after.stepsPerRun)
  }

  /// The candidates that SQLite would use, each alone, in a set, or beside one of another table.
  func used(
    _ candidates: [IndexCandidate], together sets: [[IndexCandidate]], in subject: Subject
  ) -> [IndexCandidate] {
    var used: Set<IndexCandidate> = []
    func add(_ set: [IndexCandidate]) { used.formUnion(use(of: set, in: subject)?.indexes ?? []) }
    candidates.forEach { add([$0]) }
    sets.filter { $0.count > 1 }.forEach(add)
    for index in used.sorted(by: { $0.sql < $1.sql }) {
      for other in candidates where other.table != index.table && !used.contains(other) {
        add([index, other])
      }
    }
    return candidates.filter(used.contains)
  }

  /// Whether the statement sorts less with them.
  func sorts(less set: [IndexCandidate], in subject: Subject) -> Bool {
    guard let before = copy.plan(subject.sql, subject.values),
      let use = use(of: set, in: subject)
    else { return false }
    return use.cost.sorts < cost(before).sorts
  }

  /// The set of indexes with which the statement takes fewest steps, and half of today's or fewer; nil where none can be
  /// tried, and empty where no index serves.
  func finding(
    _ sets: [[IndexCandidate]], for scan: PlanJudgement.Scan, in subject: Subject
  ) -> [IndexCandidate]? {
    self.scan = scan
    defer { self.scan = nil }
    return result(of: "\(scan.table ?? "")\n\(subject.sql)") {
      guard let before = copy.plan(subject.sql, subject.values).map({ cost($0) }) else {
        return nil
      }
      // Other SELECTs of the statement, such as the arms of a UNION, may read far more.
      let ofScan =
        scan.isOutermost && !scan.isInCorrelatedSubquery
        ? max(Double(scan.size?.rows ?? 0), ScanBound.minRows) : .infinity
      let uses = sets.prefix(Self.maxTrials).compactMap { use(of: $0, in: subject) }
      return fastest(uses, of: subject)
        ?? uses.first { use in
          let rows = use.cost.rows
          return use.finds && (rows < before.rows * 0.8 || before.rows - rows >= ofScan * 0.8)
        }?.indexes ?? []
    }
  }

  /// The set with which the statement sorts less, and takes half of today's steps or fewer.
  func sorting(_ sets: [[IndexCandidate]], in subject: Subject) -> [IndexCandidate]? {
    result(of: "\n\(subject.sql)") {
      guard let before = copy.plan(subject.sql, subject.values).map({ cost($0) }) else {
        return nil
      }
      let uses = sets.prefix(Self.maxTrials).compactMap { use(of: $0, in: subject) }
        .filter { $0.cost.sorts < before.sorts }
      return fastest(uses, of: subject) ?? uses.first?.indexes ?? []
    }
  }

  /// The set with which a search takes half of today's steps or fewer; empty where none can be measured.
  func improving(_ sets: [[IndexCandidate]], in subject: Subject) -> [IndexCandidate] {
    result(of: "*\n\(subject.sql)") {
      fastest(sets.prefix(Self.maxTrials).compactMap { use(of: $0, in: subject) }, of: subject)
    } ?? []
  }

  // 8 is arbitrary: each makes an index.
  private static let maxRuns = 8
  // As in `advise`: a set this close to the best one is as good.
  private static let tolerance = 1.05

  /// - Returns: nil where the statement cannot be measured, empty where no set halves its steps.
  private func fastest(_ uses: [Use], of subject: Subject) -> [IndexCandidate]? {
    guard let before = subject.run([], nil), before.isLarge else { return nil }
    // One step of count(*) counts all pages.
    let isOfPages = Double(before.measurement.work.vmSteps) < 3 * ScanBound.minRows
    var seen: Set<[IndexCandidate]> = []
    let trials = uses.filter { seen.insert($0.indexes).inserted }.prefix(Self.maxRuns).compactMap {
      subject.run($0.indexes, nil)
    }.filter {
      !$0.used.isEmpty && !$0.measurement.isCut && $0.cost * 2 <= before.cost
        && (isOfPages || $0.stepsPerRun * 2 <= before.stepsPerRun)
    }
    guard let lowest = trials.map(\.cost).min() else { return [] }
    // A partial index serves fewer statements: it halves the steps of one of all rows.
    let whole = trials.filter { $0.indexes.allSatisfy { $0.condition == nil } }
    let candidates = whole.contains { $0.cost <= lowest * 2 } ? whole : trials
    let best = candidates.map(\.cost).min() ?? lowest
    let good = candidates.filter { $0.cost <= best * Self.tolerance }
    let fewest = good.map(\.indexes.columnCount).min()
    guard let chosen = good.first(where: { $0.indexes.columnCount == fewest }) else { return nil }
    func count(_ trial: StatementMeter.Trial) -> UInt64 {
      isOfPages ? trial.pagesPerRun : trial.stepsPerRun
    }
    gains[subject.sql, default: []].append(
      IndexGain(
        indexes: chosen.indexes, before: count(before), after: count(chosen), isOfPages: isOfPages))
    return chosen.indexes
  }

  // 30 is arbitrary: each takes a tenth of a millisecond.
  private static let maxTrials = 30

  private func result(of key: String, _ body: () -> [IndexCandidate]?) -> [IndexCandidate]? {
    if let result = known[key] { return result }
    let result = body()?.map { $0.named(otherThan: names) }
    known[key] = .some(result)
    return result
  }

  /// The names of the schema in lower case, which no printed index may have.
  private lazy var names = Set(
    (try? copy.connection.texts("SELECT lower(name) FROM sqlite_schema")) ?? [])

  // MARK: - One set

  /// A plan with new indexes, on the schema alone.
  private struct Use {
    /// The indexes that it uses.
    var indexes: [IndexCandidate]
    var cost: Cost
    /// The tables of which it finds rows by one of them, in lower case.
    var found: Set<String>
    var finds: Bool { !found.isEmpty }
  }

  static func name(_ number: Int) -> String { "storescope_trial_\(number)" }

  private func use(of set: [IndexCandidate], in subject: Subject) -> Use? {
    var made: [String: IndexCandidate] = [:]
    defer {
      for name in made.keys { try? copy.connection.execute("DROP INDEX \(name)") }
    }
    for (number, candidate) in set.enumerated() {
      let name = Self.name(number)
      guard (try? copy.connection.execute(candidate.sql(named: name))) != nil else { continue }
      made[name] = candidate
      if isServed(name, candidate.table) {
        try? copy.connection.execute("DROP INDEX \(name)")
        made[name] = nil
      }
    }
    guard !made.isEmpty, let plan = copy.plan(subject.sql, subject.values) else { return nil }
    var used: Set<String> = []
    var found: Set<String> = []
    for node in plan.nodes {
      guard case .named(let name, _)? = node.fact.access?.index, let candidate = made[name] else {
        continue
      }
      used.insert(name)
      if case .search = node.fact { found.insert(candidate.table.lowercased()) }
      if candidate.condition != nil { found.insert(candidate.table.lowercased()) }
    }
    guard !used.isEmpty else { return nil }
    return Use(
      indexes: made.keys.sorted().filter(used.contains).compactMap { made[$0] },
      cost: cost(plan, partial: made.filter { $0.value.condition != nil }), found: found)
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
