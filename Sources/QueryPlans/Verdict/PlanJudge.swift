// SPDX-License-Identifier: Apache-2.0

/// Tells a full scan from a harmless one.
///
/// Plan text and counters err in opposite directions: `… LIMIT 1` says SCAN and steps no row, a
/// materialized subquery counts steps though nothing is wrong. So the plan finds the scans, and the
/// clauses of its SELECT, the table's size and the counted steps acquit them.
public struct PlanJudge {
  /// A table up to here is small: 100 rows fit in a few pages, and a search is no faster.
  public static let smallTableRows = 100

  private let outline: StatementOutline
  private let size: (String) -> TableSize?
  private let work: StatementWork

  /// Makes a judge of one statement's plans.
  ///
  /// - Parameter size: tells how many rows a table has, nil where that is unknown.
  public init(
    sql: String, work: StatementWork = StatementWork(),
    size: @escaping (String) -> TableSize? = { _ in nil }
  ) {
    outline = StatementOutline(sql)
    self.size = size
    self.work = work
  }

  public func judge(_ plan: QueryPlan) -> PlanJudgement {
    var judgement = PlanJudgement()
    visit(plan.roots, depth: 0, isCorrelated: false, &judgement)
    if judgement.scans.isEmpty, let steps = work.fullScanStepsPerRun,
      steps > UInt64(Self.smallTableRows), judgement.automaticIndexes.isEmpty
    {
      judgement.unexplainedFullScanSteps = steps
    }
    return judgement
  }

  private func visit(
    _ nodes: [QueryPlan.Node], depth: Int, isCorrelated: Bool, _ judgement: inout PlanJudgement
  ) {
    let isSorted = nodes.contains { if case .temporaryBTree = $0.fact { true } else { false } }
    for node in nodes {
      var isCorrelated = isCorrelated
      switch node.fact {
      case .scan(let access):
        judgement.scans.append(
          scan(access, depth: depth, isSorted: isSorted, isCorrelated: isCorrelated))
      case .constantRows:
        judgement.scans.append(.constantRow(isInCorrelatedSubquery: isCorrelated))
      case .search(let access):
        if case .automatic = access.index {
          judgement.automaticIndexes.append(access.table ?? access.name)
        }
      case .temporaryBTree(let purpose): judgement.temporaryBTrees.append(purpose)
      case .subquery(_, let correlated): isCorrelated = isCorrelated || correlated
      default: break
      }
      visit(
        node.children, depth: node.fact.opensScope ? depth + 1 : depth, isCorrelated: isCorrelated,
        &judgement)
    }
  }

  private func scan(
    _ access: TableAccess, depth: Int, isSorted: Bool, isCorrelated: Bool
  ) -> PlanJudgement.Scan {
    let scope = outline.scope(of: access.name, depth: depth)
    let size = access.table.flatMap(size)
    var scan = PlanJudgement.Scan(
      name: access.name, table: access.table, size: size, harmlessBecause: nil, index: nil,
      isInCorrelatedSubquery: isCorrelated,
      comparedColumns: scope.map { comparedColumns(of: access.name, in: $0) } ?? [])
    if case .named(let index, _) = access.index { scan.index = index }
    scan.harmlessBecause = reason(access, scope, size, isSorted, isCorrelated)
    return scan
  }

  private func reason(
    _ access: TableAccess, _ scope: SelectScope?, _ size: TableSize?, _ isSorted: Bool,
    _ isCorrelated: Bool
  ) -> HarmlessReason? {
    if access.isSubquery { return .subqueryResult }
    if case .virtualTable = access.index { return .virtualTable }
    if access.table?.hasPrefix("_Z_intarray") == true { return .valueList }
    if scope?.isBounded == true, !isSorted { return .limit }
    if let steps = work.fullScanStepsPerRun, steps <= UInt64(Self.smallTableRows) {
      return .countedFew
    }
    // Below here a scan costs little once; in a correlated subquery it runs for every outer row.
    guard !isCorrelated else { return nil }
    if let size, !size.isAtLeast, size.rows <= Self.smallTableRows { return .smallTable }
    if case .named(_, isCovering: true) = access.index { return .coveringIndex }
    return nil
  }

  private func comparedColumns(of name: String, in scope: SelectScope) -> [String] {
    scope.source(named: name).flatMap { ComparedColumns(of: $0, in: scope, outline) }
      .map { $0.joined + $0.filtered } ?? []
  }
}
