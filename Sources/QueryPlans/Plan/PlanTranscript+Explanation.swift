// SPDX-License-Identifier: Apache-2.0

extension PlanTranscript.Listing {
  /// The plan, with the tables of its names.
  public var plan: QueryPlan {
    var plan = QueryPlan(steps: steps)
    plan.resolveComputedRows()
    // Without a statement a name is taken for a table's.
    plan.resolve(by: AliasResolver(sql: sql ?? ""))
    return plan
  }

  /// The meaning of the plan by its words alone: the sizes of the tables are not known.
  public func explanation(work: StatementWork = StatementWork()) -> PlanExplainer.Explanation {
    explanation(work: work, source: .init(module: wholeModules))
  }

  func explanation(
    work: StatementWork, source: PlanJudge.Source
  ) -> PlanExplainer.Explanation {
    var explanation = PlanExplainer.Explanation(sql: sql ?? "", qualifiedSQL: sql ?? "")
    let plan = plan
    var judgement = PlanJudge(sql: sql ?? "", work: work, source: source).judge(plan)
    judgement.partialSearches = partialSearches(of: plan)
    if judgement.sortsByTemporaryBTree, !judgement.suspects.contains(where: \.isCompared) {
      judgement.sortIndexes = sortIndex.map { [$0] }
    }
    explanation.plan = plan
    explanation.judgement = judgement
    return explanation
  }

  /// The module of a table that is read with neither bounds nor MATCH; its name is not in the plan.
  private var wholeModules: (String) -> String? {
    let tokens = SQLTokenizer.tokens(of: sql ?? "")
    // The R*Tree reads all rows as 2, the same number that fts4 has for MATCH.
    let isBox = !tokens.isEmpty && !tokens.contains { $0.isWord("MATCH") }
    let names = plan.nodes.compactMap { node -> String? in
      guard case .virtualTable(let index) = node.fact.access?.index,
        index == "0:" || index == "2:" && isBox
      else { return nil }
      return node.fact.access?.table?.lowercased()
    }
    return { table in
      let table = table.lowercased()
      return names.contains(table) && !table.hasPrefix("pragma_") ? "" : nil
    }
  }

  /// Indexes that find rows by a range of one column, where WHERE compares others as well.
  private func partialSearches(of plan: QueryPlan) -> [PlanJudgement.PartialSearch] {
    let compared = ComparedColumns.all(in: sql ?? "")
    return plan.nodes.compactMap { node in
      guard case .search(let access) = node.fact, case .named(let index, _) = access.index,
        let table = access.table, let constraint = access.constraint,
        let columns = compared.first(where: { $0.table.lowercased() == table.lowercased() })
      else { return nil }
      let terms = constraint.split(separator: " AND ").map(String.init)
      guard !terms.contains(where: { $0.contains("=") }) else { return nil }
      var served: [String] = []
      for term in terms {
        let column = String(term.prefix { !"<>".contains($0) })
        if !served.contains(column) { served.append(column) }
      }
      // Most indexes are named after their columns.
      let others = columns.filtered.filter { column in
        !served.contains { $0.lowercased() == column.lowercased() }
          && !index.lowercased().contains(column.lowercased())
      }
      guard !others.isEmpty, !columns.hasAlternatives else { return nil }
      return .init(table: table, index: index, served: served, others: others)
    }
  }

  /// An index with the order of the rows, if all terms of ORDER BY are columns of one table, in an order of
  /// SQLite's own.
  private var sortIndex: IndexCandidate? {
    guard let columns = ComparedColumns.all(in: sql ?? "").first(where: { !$0.sortTerms.isEmpty }),
      columns.sortTerms.allSatisfy({
        PlanExplainer.collationsOfSQLite.contains(($0.collation ?? "BINARY").uppercased())
      })
    else { return nil }
    return IndexCandidate(table: columns.table, equal: columns.equal, order: columns.sortTerms)
  }
}

extension PlanJudgement.Scan {
  /// Whether a term of the WHERE compares something of its table.
  package var isCompared: Bool { !comparedColumns.isEmpty || comparedExpression != nil }
}

extension PlanExplainer {
  /// Explains a plan that was read as text: the database adds its measurements.
  ///
  /// If the database has another plan for the statement, the one of the text is judged, with the sizes of the
  /// database's tables.
  public func explain(
    _ listing: PlanTranscript.Listing, work: StatementWork = StatementWork()
  ) -> Explanation {
    let plan = listing.plan
    var text = listing.explanation(work: work, source: source)
    guard let sql = listing.sql else { return text }
    let here = explain(sql, work: work)
    guard here.error == nil, let other = here.plan else {
      text.error = here.error
      return text
    }
    guard !plan.reads(as: other) else { return here }
    text.judgement?.otherPlan = other.nodes.map(\.detail)
    return text
  }
}

extension QueryPlan {
  /// Marks the names of subqueries that the plan itself computes: `CO-ROUTINE x`, then `SCAN x`.
  fileprivate mutating func resolveComputedRows() {
    let names = nodes.compactMap { node in
      switch node.fact {
      case .materialize(let name), .coroutine(let name): name
      default: nil
      }
    }
    guard !names.isEmpty else { return }
    markComputed(Set(names))
  }

  /// Whether both read the same tables by the same indexes and sort the same, whatever their versions' words.
  func reads(as other: QueryPlan) -> Bool { reading == other.reading }

  private var reading: [String: Int] {
    let words = nodes.compactMap { node -> String? in
      switch node.fact {
      case .scan(let access) where !access.isSubquery: "scan \(access.reading)"
      case .search(let access) where !access.isSubquery: "search \(access.reading)"
      case .temporaryBTree(let purpose): purpose
      default: nil
      }
    }
    return Dictionary(words.map { ($0.lowercased(), 1) }, uniquingKeysWith: +)
  }
}

extension TableAccess {
  fileprivate var reading: String {
    switch index {
    case nil: name
    case .named(let index, _): "\(name) \(index)"
    case .automatic: "\(name) automatic"
    case .rowid, .primaryKey: "\(name) key"
    case .virtualTable(let index): "\(name) \(index)"
    }
  }
}
