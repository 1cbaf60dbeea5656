// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents

extension PlanJudgement {
  /// The cause of VM steps far beyond the rows that a run returns or changes, where no full scan explains them.
  public struct Excess: Hashable, Sendable {
    /// Terms of WHERE and ON that no index finds, as written: SQLite evaluates them row by row.
    public var terms: [String] = []
    /// The tables that these terms read by a search.
    public var tables: [String] = []
    /// `max(at)`, for which it reads all rows that WHERE finds, as written.
    public var extreme: String?
    /// Whether it sorts rows that LIMIT discards.
    public var sorts = false
    /// The name of the full-text table whose matches it sorts, where they come from no other table.
    public var sortedMatches: String?
    /// A virtual table with a full-text search that runs once for each row of another table.
    public var textSearch: TextSearch?
    /// Pages of the table that `count(*)` reads.
    public var pages: UInt64?
    /// The indexes that halve the steps of a run, or better; each was tried.
    public internal(set) var indexes: [IndexCandidate] = []
    /// Whether groups or an aggregate need many rows: an index that finds fewer decides.
    var isComputed = false

    public struct TextSearch: Hashable, Sendable {
      public var table: String
      /// The table around it.
      public var outer: String
      /// Both as FROM has them, the text search first: `words w CROSS JOIN page p`.
      public var order: String
    }
  }
}

/// When the steps of a search matter, as a full scan does.
public enum WorkBound {
  // As UseIndexForSort: a few tenths of a millisecond on a current machine.
  public static let minSteps = 10_000.0
  // A row that is read takes 5 to 10 steps: 25 rows or more are read for each that is returned.
  public static let minStepsPerRow = 250.0
  // `count(*)` of 1,000 pages takes as long as 10,000 steps.
  static let minPages: UInt64 = 1000

  public static func isExceeded(steps: Double, rows: Double) -> Bool {
    steps >= minSteps && steps >= max(rows, 1) * minStepsPerRow
  }
}

extension PlanJudge {
  /// Reports work that is no full scan: searches that discard their rows, and sorts and text searches behind them.
  func judgeExcess(_ judgement: inout PlanJudgement, _ plan: QueryPlan) {
    if judgement.verdict == .fullScan {
      // The scan is that of the table around the text search, which takes far more.
      let excess = excess(of: plan)
      guard let search = excess.textSearch, judgement.automaticIndexes.isEmpty,
        judgement.suspects.allSatisfy({ $0.name == search.outer })
      else { return }
      judgement.verdict = .costlySearch
      judgement.excess = PlanJudgement.Excess(textSearch: search)
      return
    }
    guard judgement.verdict == .search || judgement.verdict == .harmlessScan else { return }
    if judgement.scans.contains(where: { $0.harmlessBecause == .entryCount }),
      let pages = source.measure()?.pages, pages >= WorkBound.minPages
    {
      judgement.excess = PlanJudgement.Excess(pages: pages, isComputed: true)
      return
    }
    guard let work = judgement.work else { return }
    var excess = self.excess(of: plan)
    let (steps, rows) = (work.perRun(\.vmSteps), work.perRun(\.rows))
    if excess.textSearch != nil, ScanBound.isExceeded(steps: steps / 3, rows: rows) {
      excess.isComputed = false
    } else {
      excess.textSearch = nil
      guard WorkBound.isExceeded(steps: steps, rows: rows) else { return }
    }
    guard excess.hasCause else { return }
    judgement.excess = excess
    if !excess.isComputed { judgement.verdict = .costlySearch }
  }

  private func excess(of plan: QueryPlan) -> PlanJudgement.Excess {
    var excess = PlanJudgement.Excess()
    var searches: [Int: [TableAccess]] = [:]
    collect(plan.roots, depth: 0, &searches, &excess)
    for (position, scope) in outline.scopes.enumerated() {
      guard let accesses = searches[position] else { continue }
      let terms = scope.conditions.flatMap { TermTree($0, of: outline.tokens).conjuncts }
        .filter { term in !accesses.contains { finds($0, term, scope) } }
      for text in terms.map(outline.text) where !excess.terms.contains(text) {
        excess.terms.append(text)
      }
      if !terms.isEmpty { excess.tables += accesses.compactMap(\.table) }
    }
    let outer = outline.scopes.first { $0.role == .statement && $0.depth == 0 }
    excess.isComputed = outer.map { $0.hasAggregate || $0.hasGroupBy } ?? false
    if let outer, let columns = outer.columns,
      let source = outer.sources.first(where: {
        !IndexProposals.extremes(of: outer, $0, outline.tokens).isEmpty
      }), let table = source.table, outer.filter != nil
    {
      excess.extreme = outline.text(of: columns)
      excess.tables.append(table)
    }
    excess.sorts = plan.roots.contains { $0.sortsRows } && outer?.limit != nil
    if excess.sorts, !excess.isComputed,
      let first = plan.roots.lazy.compactMap(\.fact.access).first, searchesText(first)
    {
      excess.sortedMatches = first.name
    }
    return excess
  }

  /// Lists the tables that each SELECT reads by a plan's steps.
  private func collect(
    _ nodes: [QueryPlan.Node], depth: Int, _ searches: inout [Int: [TableAccess]],
    _ excess: inout PlanJudgement.Excess
  ) {
    var outer: TableAccess?
    for node in nodes {
      if let access = node.fact.access, !access.isSubquery {
        if let scope = outline.scope(of: access.name, depth: depth),
          let position = outline.scopes.firstIndex(of: scope)
        {
          searches[position, default: []].append(access)
        }
        if let outer, searchesText(access) {
          excess.textSearch = .init(
            table: access.table ?? access.name, outer: outer.name,
            order: "\(access.source) CROSS JOIN \(outer.source)")
        }
        outer = access
      }
      collect(node.children, depth: depth + (node.fact.opensScope ? 1 : 0), &searches, &excess)
    }
  }

  /// Whether the module of a full-text table runs a MATCH for an access.
  private func searchesText(_ access: TableAccess) -> Bool {
    guard case .virtualTable(let index) = access.index,
      let module = access.table.flatMap(source.module)
    else { return false }
    let parts = index.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch module {
    case "fts5": return parts.last?.contains("M") == true
    case "fts3", "fts4": return Int(parts[0]).map { $0 & 0xffff >= 2 } ?? false
    default: return false
    }
  }

  /// Whether the index of an access finds the rows of a term.
  private func finds(_ access: TableAccess, _ term: Range<Int>, _ scope: SelectScope) -> Bool {
    guard let table = scope.source(named: access.name) else { return false }
    if case .virtualTable = access.index {
      // The module's constraints are not in the plan.
      let names = ComparedExpression.names(in: term, outline.tokens)
      return names.isEmpty
        || names.contains { ($0.qualifier ?? table.alias).lowercased() == table.alias.lowercased() }
    }
    guard let constraint = access.constraint else { return false }
    let columns = access.table.flatMap(source.columns)
    let found = constraint.lowercased()
    let tree = TermTree(term, of: outline.tokens)
    if tree.holdsAlternatives {
      return tree.terms.allSatisfy { finds(access, $0, scope) }
    }
    let comparisons = ColumnComparison.all(in: term, of: outline.tokens)
    if comparisons.isEmpty || found.contains("<expr>") { return found.contains("<expr>") }
    return comparisons.contains { comparison in
      let isOwn =
        comparison.alias.map { $0.lowercased() == table.alias.lowercased() }
        ?? (scope.sources.count == 1)
      guard isOwn else { return false }
      if columns?.isRowid(comparison.column) == true, found.contains("rowid") { return true }
      return found.names(comparison.column.lowercased())
    }
  }
}

extension PlanJudgement {
  /// Names the version that ran; a plan of another one that the counts contradict is inconclusive.
  mutating func compareVersions(
    _ conditions: PlanConditions, _ work: StatementWork, of sql: String
  ) {
    guard let ran = conditions.sqliteVersion, ran != Connection.libraryVersion else { return }
    otherVersion = ran
    guard verdict == .search || verdict == .harmlessScan, work.isCounted else { return }
    let sortedElsewhere = work.sorts >= work.executions && temporaryBTrees.isEmpty
    let scannedElsewhere =
      work.perRun(\.fullScanSteps) + 1 >= ScanBound.minRows && scans.isEmpty
    // Groups need all of their rows in any version.
    let works =
      WorkBound.isExceeded(steps: work.perRun(\.vmSteps), rows: work.perRun(\.rows))
      && !StatementClauses(sql: sql).isGrouped
    if sortedElsewhere || scannedElsewhere || works {
      self.work = work
      verdict = .mayScan
    }
  }
}

extension PlanJudgement.Excess {
  var hasCause: Bool { !terms.isEmpty || sorts || textSearch != nil || extreme != nil }
}

extension QueryPlan.Node {
  fileprivate var sortsRows: Bool {
    if case .temporaryBTree(let purpose) = fact { purpose.hasSuffix("ORDER BY") } else { false }
  }
}

extension TableAccess {
  /// As FROM has it.
  fileprivate var source: String {
    table.flatMap { $0 == name ? nil : "\($0) \(name)" } ?? name
  }
}

extension String {
  /// Whether a constraint such as `team=? AND repo>?` names a column.
  fileprivate func names(_ column: String) -> Bool {
    split { " (),=<>".contains($0) }.contains { $0 == column }
  }
}

extension StatementOutline {
  /// Tokens with one space between them: spelling changes no finding.
  func text(of range: Range<Int>) -> String { SQLFingerprint.joined(tokens[range].map(\.text)) }
}
