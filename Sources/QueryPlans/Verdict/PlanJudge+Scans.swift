// SPDX-License-Identifier: Apache-2.0

extension PlanJudge {
  /// The position of a step in its plan.
  struct Position {
    var depth = 0
    var isCorrelated = false
    /// Whether its rows are sorted before the first one is returned.
    var isSorted = false
    /// Whether no other table is read around it.
    var isOutermost = true
  }

  /// Lists the scans of some steps and of the steps below them.
  func read(_ nodes: [QueryPlan.Node], in position: Position, into judgement: inout PlanJudgement) {
    var position = position
    position.isSorted = nodes.contains {
      // DISTINCT returns each row that is new at once.
      if case .temporaryBTree(let purpose) = $0.fact { purpose != "DISTINCT" } else { false }
    }
    for node in nodes {
      switch node.fact {
      case .scan(let access): judgement.scans.append(scan(access, in: position))
      case .search(let access):
        if case .automatic = access.index {
          automaticIndex(access, &judgement)
        } else if let scan = scanForExtreme(access, in: position) {
          judgement.scans.append(scan)
        }
      case .constantRows:
        judgement.scans.append(.constantRow(isInCorrelatedSubquery: position.isCorrelated))
      case .temporaryBTree(let purpose): judgement.temporaryBTrees.append(purpose)
      case .recursiveStep: judgement.isRecursive = true
      default: break
      }
      var inner = position
      if case .subquery(_, let isCorrelated) = node.fact {
        if isCorrelated { judgement.correlatedSubqueries += 1 }
        inner.isCorrelated = inner.isCorrelated || isCorrelated
      }
      if node.fact.opensScope {
        inner.depth += 1
        inner.isOutermost = true
      }
      read(node.children, in: inner, into: &judgement)
      if node.fact.access != nil { position.isOutermost = false }
    }
  }

  /// The scan of `SELECT min(a) FROM t`, which SQLite calls SEARCH; nil where an index begins with a.
  private func scanForExtreme(_ access: TableAccess, in position: Position) -> PlanJudgement.Scan? {
    guard access.constraint == nil else { return nil }
    guard let index = access.index else { return scan(access, in: position) }
    guard case .named(let name, _) = index, let first = source.firstColumn(name),
      let scope = outline.scope(of: access.name, depth: position.depth),
      let table = scope.source(named: access.name),
      let column = IndexProposals.extremes(of: scope, table, outline.tokens).first
    else { return nil }
    var found = scan(access, in: position)
    guard column.lowercased() == first else { return found }
    // It stops at the first row for which the WHERE is true.
    found.isCertain = false
    found.isMandatory = false
    return scope.filter == nil ? nil : found
  }

  private func automaticIndex(_ access: TableAccess, _ judgement: inout PlanJudgement) {
    judgement.automaticIndexes.append(access.table ?? access.name)
    // `customer_id=? AND state=?`
    let columns = (access.constraint ?? "").split(separator: " AND ").compactMap {
      $0.hasSuffix("=?") ? String($0.dropLast(2)) : nil
    }
    if let table = access.table, !access.isSubquery, !columns.isEmpty {
      judgement.automaticIndexColumns.append(.init(table: table, columns: columns))
    }
    let rows = access.table.flatMap(source.size)?.rows
    if rows.map({ Double($0) >= ScanBound.minRows }) ?? !access.isSubquery {
      judgement.hasLargeAutomaticIndex = true
    }
  }

  private func scan(_ access: TableAccess, in position: Position) -> PlanJudgement.Scan {
    let scope = outline.scope(of: access.name, depth: position.depth)
    var size = access.isSubquery ? nil : access.table.flatMap(source.size)
    var partial: PartialIndex?
    if case .named(let index, _) = access.index { partial = source.partialIndex(index) }
    if let partial { size = partial.size }
    if let rows = access.rows, size == nil { size = TableSize(rows, terms: scope.map(termCount)) }
    var scan = PlanJudgement.Scan(
      name: access.name, table: access.table, size: size, harmlessBecause: nil, isCertain: true,
      index: nil, isInCorrelatedSubquery: position.isCorrelated,
      comparedColumns: scope.map { comparedColumns(of: access.name, in: $0, position) } ?? [])
    scan.comparedExpression = scope.flatMap { scope in
      ComparedExpression.all(in: scope, outline).first {
        $0.table.lowercased() == access.table?.lowercased()
      }
    }
    scan.schema =
      scope?.source(named: access.name)?.schema ?? access.table.flatMap(source.attachedDatabase)
    if case .named(let index, _) = access.index { scan.index = index }
    if let partial {
      scan.isPartial = true
      scan.comparedColumns.removeAll { partial.columns.contains($0.lowercased()) }
    }
    let conditions = scope.map { [$0] } ?? outline.scopes
    scan.hasFilter = conditions.contains { $0.filter != nil || $0.hasJoinCondition }
    scan.isVirtual = readsAllOfModule(access)
    scan.harmlessBecause = reason(access, scope, size, position, scan.isVirtual)
    if let partial, let scope, scan.harmlessBecause == nil, position.isOutermost,
      !position.isCorrelated, selects(scope, partial)
    {
      scan.harmlessBecause = .partialIndex
    }
    scan.isOutermost = position.isOutermost
    scan.isCertain = isCertain(scope, position)
    scan.isMandatory =
      scan.isCertain && position.isOutermost && position.depth == 0 && !position.isCorrelated
      && !scan.isVirtual
    return scan
  }

  private func termCount(_ scope: SelectScope) -> Int {
    scope.conditions.reduce(0) { $0 + TermTree($1, of: outline.tokens).conjuncts.count }
  }

  private func reason(
    _ access: TableAccess, _ scope: SelectScope?, _ size: TableSize?, _ position: Position,
    _ isVirtual: Bool
  ) -> HarmlessReason? {
    if access.isSubquery { return .subqueryResult }
    if access.table.map(IntegerArrays.isName) == true { return .valueList }
    if case .virtualTable = access.index, !isVirtual { return .virtualTable }
    if let scope, scope.isBounded, !position.isSorted, offset(of: scope).isSmall { return .limit }
    if !isVirtual, isEntryCount(of: access, scope) { return .entryCount }
    // A small scan costs little once, but within another loop it runs for every row.
    guard !position.isCorrelated, position.isOutermost || position.depth > 0 else { return nil }
    if let size, !size.isAtLeast, Double(size.rows) < ScanBound.minRows { return .smallTable }
    return scope.map(returnsAll) == true ? .returnsAll : nil
  }

  /// Whether the plan alone shows that the scan goes to the end.
  private func isCertain(_ scope: SelectScope?, _ position: Position) -> Bool {
    // A plan without its statement.
    if outline.scopes.isEmpty { return !position.isCorrelated || position.isOutermost }
    guard let scope else {
      // A table of a view, of a trigger or of a foreign key, which is not in the text.
      return position.isOutermost && outline.scopes.allSatisfy { $0.limit == nil }
    }
    if scope.role == .exists { return false }
    if scope.limit == nil { return !position.isCorrelated || position.isOutermost }
    if scope.isBounded, offset(of: scope) == .large { return true }
    return position.isSorted || scope.hasAggregate && !scope.hasGroupBy
  }

  /// The rows that a small OFFSET in the text skips: they count as returned, as those of the first pages of a list.
  var skippedRows: Double {
    let scope = outline.scopes.first { $0.role == .statement && $0.depth == 0 }
    guard let scope, case .small(let rows) = offset(of: scope) else { return 0 }
    return rows
  }

  private enum Offset: Equatable {
    case small(Double), large, unknown

    var isSmall: Bool { if case .small = self { true } else { false } }
  }

  private func offset(of scope: SelectScope) -> Offset {
    guard let limit = scope.limit else { return .small(0) }
    let tokens = outline.tokens[limit]
    let comma = tokens.firstIndex { $0.isSymbol(",") }
    guard let word = tokens.firstIndex(where: { $0.isWord("OFFSET") }) ?? comma else {
      return .small(0)
    }
    // `LIMIT 5 OFFSET 100`, or `LIMIT 100, 5`.
    let value =
      comma == nil ? outline.tokens[limit].dropFirst(word + 1 - limit.lowerBound) : tokens[..<word]
    guard value.count == 1, let number = value.first.flatMap({ Double($0.text) }) else {
      return .unknown
    }
    return number < ScanBound.minRows ? .small(number) : .large
  }

  /// Whether all rows of a table are counted, as by `SELECT count(*) AS n FROM (SELECT a, b FROM t)`.
  private func isEntryCount(of access: TableAccess, _ scope: SelectScope?) -> Bool {
    [scope, outline.scopes.first].contains { scope in
      guard let count = scope.flatMap({ RowCount(of: $0, in: outline) }) else { return false }
      return count.isOfEntries && count.reader.source(named: access.name) != nil
    }
  }

  /// Whether the WHERE has no terms but the ones of a partial index.
  private func selects(_ scope: SelectScope, _ partial: PartialIndex) -> Bool {
    guard scope.sources.count == 1, let filter = scope.filter else { return false }
    return TermTree(filter, of: outline.tokens).conjuncts.allSatisfy { term in
      let words = TermTree.unwrapped(term, outline.tokens).compactMap { index in
        let isQualifier =
          outline.tokens[index].isSymbol(".")
          || index + 1 < outline.tokens.count && outline.tokens[index + 1].isSymbol(".")
        return isQualifier ? nil : SchemaWord.text(of: outline.tokens[index])
      }
      return partial.terms.contains(words)
    }
  }

  private func returnsAll(_ scope: SelectScope) -> Bool {
    scope.role == .statement && scope.depth == 0 && scope.sources.count == 1
      && scope.filter == nil && !scope.hasJoinCondition && !scope.hasGroupBy && !scope.isDistinct
      && !scope.hasAggregate && scope.limit == nil && outline.verb != "WITH"
  }

  /// Whether a virtual table's module is given nothing to find rows by.
  ///
  ///     SCAN f VIRTUAL TABLE INDEX 0:        -- fts5: reads all
  ///     SCAN f VIRTUAL TABLE INDEX 0:M1      -- fts5: MATCH
  ///     SCAN r VIRTUAL TABLE INDEX 1:        -- rtree: one id
  private func readsAllOfModule(_ access: TableAccess) -> Bool {
    guard case .virtualTable(let index) = access.index,
      let module = access.table.flatMap(source.module)
    else { return false }
    let parts = index.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]) else { return false }
    switch module {
    case "rtree", "rtree_i32", "geopoly": return number != 1 && parts[1].isEmpty
    case "fts3", "fts4": return number & 0xffff == 0
    case "fts5": return !parts[1].contains { "M=<>LGr".contains($0) }
    default: return parts[1].isEmpty
    }
  }

  private func comparedColumns(
    of name: String, in scope: SelectScope, _ position: Position
  ) -> [String] {
    guard let source = scope.source(named: name),
      let compared = ComparedColumns(of: source, in: scope, outline)
    else { return [] }
    // A join cannot find the rows of the first table, unless another table could be read before it.
    let others = scope.sources.filter { $0 != source }
    let mayComeLater =
      !position.isOutermost
      || others.contains {
        ComparedColumns(of: $0, in: scope, outline)?.filtered.isEmpty == false
      }
    return (mayComeLater ? compared.joined : []) + compared.filtered
  }
}
