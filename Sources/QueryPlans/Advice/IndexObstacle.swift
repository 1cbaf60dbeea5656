// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A term for which the database has an index that SQLite cannot use, and how to write the term instead.
public struct IndexObstacle: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// LIKE ignores case, the index does not.
    case like
    /// The column is within another expression, which has a value for each of its values.
    case expression
    /// A function of the column that has the same value for a range of the column's.
    case range
    case collation
    /// The column on the left of `=` decides the collation, which the index does not have.
    case leftColumn(String)
    /// The comparison converts the column, as its declared type differs from the other column's.
    case affinity(String, String)
    /// OR with a term that has no column, such as `? IS NULL`.
    case optional
    /// An OR of terms of several tables.
    case tables
    /// A parameter where the expression of the index has a literal.
    case parameter
    /// An expression that has the value of the index's in other words.
    case sameValue
    /// A value that is bound where the WHERE of a partial index has a literal.
    case partial
    /// An OR of ranges where a comparison of row values has the same rows in order.
    case keyset
    /// UNION compares all rows of a view before the WHERE is evaluated.
    case union(view: String)
    /// A count of a value that no row has as NULL: SQLite reads each row for it, and none for `count(*)`.
    case count
    /// Both ends of an interval are compared, and an index finds the rows of one end.
    case interval
    /// A search finds many rows in another order than that of ORDER BY, of which LIMIT discards most.
    case order
  }

  public var reason: Reason
  /// The index; nil for the key by which the rows are stored.
  public var index: String?
  /// The indexes to create, where the database has none.
  public var indexes: [IndexCandidate] = []
  /// The term as written.
  public var term: String
  /// The term with which SQLite uses the index, by a trial.
  public var rewritten: String
  /// The VM steps of a run with each, on a copy of the database; nil where it was not run.
  public var steps: Steps?

  /// Whether only a pattern that begins with text is found by an index.
  public var isOfLike: Bool { reason == .like || rewritten.hasSuffix(" LIKE ?") }

  public struct Steps: Hashable, Sendable {
    public var before: UInt64
    public var after: UInt64
  }
}

extension IndexObstacle.Reason {
  /// Whether the statement returns the same rows with the same values.
  var keepsRows: Bool {
    switch self {
    case .keyset, .range, .leftColumn, .sameValue, .count, .order, .interval: true
    default: false
    }
  }
}

/// Finds the indexes that a statement could use if one of its terms, or a view, was written differently.
///
/// Each way is tried on the schema: an obstacle is only reported if SQLite then searches by the index. A way that
/// keeps the rows is run on a copy of the database as well: it returns the same rows in half the steps or fewer.
struct ObstacleSearch {
  let trial: IndexTrial
  let subject: IndexTrial.Subject
  let viewSQL: (String) -> String?
  let qualified: (String) -> String
  /// Indexes on the columns of a table with the shortest values.
  let narrowIndexes: (String) -> [[IndexCandidate]]

  // 40 is arbitrary: each takes a tenth of a millisecond.
  private static let maxTrials = 40

  private var copy: SchemaCopy { trial.copy }

  /// A statement or a view with terms that are written differently.
  struct Text {
    var sql: String
    var outline: StatementOutline
    /// The tokens with the parameters as written, not by their numbers.
    var written: [SQLToken]
    /// The plan of the statement after a change of the text.
    var plan: (String) -> QueryPlan?
    /// Whether it is the statement, which can be run after a change.
    var isStatement = false

    init(_ sql: String, parameters: [SQLToken] = [], plan: @escaping (String) -> QueryPlan?) {
      self.sql = sql
      self.plan = plan
      outline = StatementOutline(sql)
      written = outline.tokens
      let positions = written.indices.filter { written[$0].kind == .parameter }
      guard positions.count == parameters.count else { return }
      for (position, parameter) in zip(positions, parameters) { written[position] = parameter }
    }
  }

  func obstacles() -> [IndexObstacle] {
    let sql = subject.sql
    guard let before = copy.plan(sql) else { return [] }
    var statement = Text(
      qualified(ParameterNumbering(sql).sql),
      parameters: SQLTokenizer.tokens(of: sql).filter { $0.kind == .parameter },
      plan: { copy.plan($0) })
    statement.isStatement = true
    var found = obstacles(in: statement, before) + counts(in: statement)
    // A term that finds fewer rows is the better way.
    if found.isEmpty { found = orders(in: statement, before) + intervals(in: statement) }
    for view in views(of: sql) {
      guard let text = viewSQL(view) else { continue }
      let plan = { (changed: String) in copy.plan(sql, withView: view, as: changed) }
      found += obstacles(in: Text(qualified(text), plan: plan), before)
      found += union(of: view, text, before, plan)
    }
    var seen: Set<String> = []
    return found.filter { seen.insert($0.term).inserted }
  }

  private func views(of sql: String) -> [String] {
    var (views, names) = ([String](), StatementOutline(sql).tableNames)
    while let name = names.popLast() {
      guard !views.contains(name), let text = viewSQL(name) else { continue }
      views.append(name)
      names += StatementOutline(text).tableNames
    }
    return views
  }

  private func obstacles(in text: Text, _ before: QueryPlan) -> [IndexObstacle] {
    let tokens = text.outline.tokens
    let rewrites = text.outline.scopes.flatMap { scope in
      scope.conditions.flatMap { TermTree($0, of: tokens).conjuncts }.flatMap { term in
        zip(
          TermRewrite.all(of: term, scope, text.written, copy),
          TermRewrite.all(of: term, scope, tokens, copy)
        ).map { $0.tried(as: $1) }
      }
    }
    return Self.groups(rewrites).prefix(Self.maxTrials).compactMap {
      obstacle($0, in: text, before)
    }
  }

  /// Both bounds of a column are one way to write the statement.
  private static func groups(_ rewrites: [TermRewrite]) -> [[TermRewrite]] {
    rewrites.reduce(into: []) { groups, rewrite in
      let position = groups.firstIndex {
        rewrite.column != nil && $0[0].column == rewrite.column
      }
      if let position { groups[position].append(rewrite) } else { groups.append([rewrite]) }
    }
  }

  private func obstacle(
    _ rewrites: [TermRewrite], in text: Text, _ before: QueryPlan
  ) -> IndexObstacle? {
    let reason = rewrites[0].reason
    guard let changed = replacing(rewrites.map { ($0.term, $0.trial) }, in: text),
      let after = text.plan(changed)
    else { return nil }
    let found = search(after, before, rewrites[0])
    for other in rewrites[0].others {
      guard let changed = replacing([(rewrites[0].term, other)], in: text),
        let after = text.plan(changed), search(after, before, rewrites[0]) != nil
      else { return nil }
    }
    let terms = rewrites.map { SQLFingerprint.joined(text.written[$0.term].map(\.text)) }
    var obstacle = IndexObstacle(
      reason: reason, index: found?.index, term: terms.joined(separator: " AND "),
      rewritten: rewrites.map(\.text).joined(separator: " AND "))
    if found == nil, text.isStatement, let column = rewrites[0].column {
      obstacle.indexes = indexes(on: column, changed)
    }
    guard found != nil || !obstacle.indexes.isEmpty else { return nil }
    guard text.isStatement, reason.keepsRows else { return obstacle }
    return prove(&obstacle, changed) ? obstacle : nil
  }

  /// The text with others instead of some terms.
  func replacing(_ terms: [(term: Range<Int>, text: String)], in text: Text) -> String? {
    var changed = text.sql
    for (term, other) in terms.sorted(by: { $0.term.lowerBound > $1.term.lowerBound }) {
      let tokens = text.outline.tokens[term]
      guard let first = tokens.first, let last = tokens.last else { return nil }
      changed.replaceSubrange(
        first.range.lowerBound..<last.range.upperBound, with: " \(other) ")
    }
    return changed
  }

  /// The indexes with which the changed statement takes half of its steps or fewer.
  private func indexes(on column: TermRewrite.HiddenColumn, _ changed: String) -> [IndexCandidate] {
    let sets = proposals(for: changed).finding(rowsOf: column.table).filter { set in
      set.contains { $0.columns.containsName(column.name) }
    }
    return trial.improving(sets, in: subject(as: changed))
  }

  func proposals(for sql: String) -> IndexProposals {
    IndexProposals(sql: sql, viewSQL: viewSQL, qualified: qualified, columns: trial.columns)
  }

  /// The statement with another text.
  func subject(as changed: String) -> IndexTrial.Subject {
    var other = subject
    other.sql = changed
    other.run = { [subject] indexes, text in subject.run(indexes, text ?? changed) }
    return other
  }

  /// The search of the plan after a change that the plan before it does not have.
  private func search(
    _ after: QueryPlan, _ before: QueryPlan, _ rewrite: TermRewrite
  ) -> QueryPlan.Search? {
    let reason = rewrite.reason
    let sortsLess = after.sortCount < before.sortCount
    // One part may search a table for each row of another one that it reads as a whole.
    guard reason != .tables || after.scanCount < before.scanCount else { return nil }
    let searches =
      reason == .keyset && sortsLess ? after.searches : after.searches.subtracting(before.searches)
    // Another table of the join may be searched now as well.
    let names = SQLTokenizer.tokens(of: rewrite.text).compactMap { $0.name?.lowercased() }
    let own = searches.filter { !$0.words.isDisjoint(with: names) }
    guard let found = (own.isEmpty ? searches : own).min(by: { $0.name < $1.name }),
      !found.isAutomatic
    else { return nil }
    // The same index, from the position where the last page ended.
    let continues = found.index.map(before.indexNames.contains) ?? false
    return reason != .keyset || sortsLess || continues ? found : nil
  }

  /// Whether the changed statement returns the same rows in half of the steps or fewer, as far as both can be run.
  func prove(_ obstacle: inout IndexObstacle, _ changed: String) -> Bool {
    guard let before = subject.run([], ParameterNumbering(subject.sql).sql),
      let after = subject.run(obstacle.indexes, changed)
    else { return true }
    let (first, second) = (before.measurement, after.measurement)
    // Sampled values differ where the program binds one value twice.
    let bindsTwice = obstacle.reason == .keyset || obstacle.reason == .interval
    let mayDiffer = first.isCut || first.isSampled && bindsTwice
    let outer = StatementOutline(subject.sql).scopes.first { $0.depth == 0 }
    let returnsAny = outer?.limit != nil && outer?.hasOrderBy == false
    let isSame =
      first.work.rows == second.work.rows && (returnsAny || first.digest == second.digest)
    guard !second.isCut, mayDiffer || isSame else { return false }
    obstacle.steps = IndexObstacle.Steps(before: before.stepsPerRun, after: after.stepsPerRun)
    // A database without the program's rows shows nothing.
    return !before.isLarge || after.cost * 2 <= before.cost
  }

  private func union(
    of view: String, _ sql: String, _ before: QueryPlan, _ plan: (String) -> QueryPlan?
  ) -> [IndexObstacle] {
    let tokens = SQLTokenizer.tokens(of: sql)
    let positions = tokens.indices.filter {
      tokens[$0].isWord("UNION") && $0 + 1 < tokens.count && !tokens[$0 + 1].isWord("ALL")
    }
    var changed = sql
    for position in positions.reversed() {
      changed.insert(contentsOf: " ALL", at: tokens[position].range.upperBound)
    }
    guard !positions.isEmpty,
      let found = plan(changed)?.searches.subtracting(before.searches)
        .min(by: { $0.name < $1.name })
    else { return [] }
    return [
      IndexObstacle(
        reason: .union(view: view), index: found.index, term: "UNION", rewritten: "UNION ALL")
    ]
  }
}

extension QueryPlan {
  /// A table that is searched, with the index; an automatic index is none of the database's.
  struct Search: Hashable {
    var table: String
    var index: String?
    var isAutomatic = false
    /// The columns of its constraint, in lower case.
    var words: Set<String> {
      Set(table.lowercased().split { " (),=<>?".contains($0) }.dropFirst().map(String.init))
    }
    var name: String { "\(isAutomatic ? 1 : 0)\(index ?? "")\(table)" }
  }

  var searches: Set<Search> {
    Set(
      nodes.compactMap { node in
        guard case .search(let access) = node.fact, !access.isSubquery else { return nil }
        let table = access.table ?? access.name
        switch access.index {
        case .named(let name, _):
          return Search(table: "\(table) \(access.constraint ?? "")", index: name)
        case .automatic: return Search(table: table, isAutomatic: true)
        default: return Search(table: "\(table) \(access.constraint ?? "")")
        }
      })
  }
}

extension QueryPlan {
  var sortCount: Int {
    nodes.count { if case .temporaryBTree = $0.fact { true } else { false } }
  }

  var scanCount: Int {
    nodes.count { if case .scan = $0.fact { true } else { false } }
  }
}

extension SchemaCopy {
  /// The plan of a statement where a view has another text.
  fileprivate func plan(_ sql: String, withView view: String, as changed: String) -> QueryPlan? {
    let name = SQLName.quotedIfNeeded(view)
    guard (try? connection.execute("SAVEPOINT v; DROP VIEW \(name)")) != nil else { return nil }
    defer { try? connection.execute("ROLLBACK TO v; RELEASE v") }
    guard (try? connection.execute(changed)) != nil else { return nil }
    return plan(sql)
  }
}
