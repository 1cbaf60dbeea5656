// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A term for which the database has an index that SQLite cannot use, and how to write the term instead.
public struct IndexObstacle: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// LIKE ignores case, the index does not.
    case like
    /// The column is within another expression.
    case expression
    case collation
    /// The comparison converts the column, whose declared type differs from that of the other column.
    case affinity(String, String)
    /// OR with a term that has no column, such as `? IS NULL`.
    case optional
    /// A parameter where the expression of the index has a literal.
    case parameter
    /// A value that is bound where the WHERE of a partial index has a literal.
    case partial
    /// An OR of ranges where a comparison of row values has the same rows in order.
    case keyset
    /// UNION compares all rows of a view before the WHERE is evaluated.
    case union(view: String)
  }

  public var reason: Reason
  /// The index; nil for the key by which the rows are stored.
  public var index: String?
  /// The term as written.
  public var term: String
  /// The term with which SQLite uses the index, by a trial.
  public var rewritten: String
}

/// Finds the indexes that a statement could use if one of its terms, or a view, was written differently.
///
/// Each way is tried on the schema: an obstacle is only reported if SQLite then searches by the index.
struct ObstacleSearch {
  let copy: SchemaCopy
  let viewSQL: (String) -> String?
  let qualified: (String) -> String

  // 40 is arbitrary: each takes a tenth of a millisecond.
  private static let maxTrials = 40

  func obstacles(of sql: String) -> [IndexObstacle] {
    guard let before = copy.plan(sql) else { return [] }
    let own = qualified(sql)
    var found = obstacles(in: own, of: StatementOutline(own), before) { copy.plan($0) }
    for view in views(of: sql) {
      guard let text = viewSQL(view) else { continue }
      let definition = qualified(text)
      let plan = { (changed: String) in copy.plan(sql, withView: view, as: changed) }
      found += obstacles(in: definition, of: StatementOutline(definition), before, plan)
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

  /// - Parameter plan: the plan of the statement after a change of the text.
  private func obstacles(
    in sql: String, of outline: StatementOutline, _ before: QueryPlan,
    _ plan: (String) -> QueryPlan?
  ) -> [IndexObstacle] {
    let used = before.searches
    let rewrites = outline.scopes.flatMap { scope in
      scope.conditions.flatMap { TermTree($0, of: outline.tokens).conjuncts }.flatMap {
        TermRewrite.all(of: $0, scope, outline.tokens, copy)
      }
    }
    return rewrites.prefix(Self.maxTrials).compactMap { rewrite in
      let tokens = outline.tokens[rewrite.term]
      guard let first = tokens.first, let last = tokens.last else { return nil }
      let range = first.range.lowerBound..<last.range.upperBound
      var changed = sql
      changed.replaceSubrange(range, with: " \(rewrite.trial) ")
      guard let after = plan(changed),
        rewrite.reason != .keyset || after.sortCount < before.sortCount,
        let found = (rewrite.reason == .keyset ? after.searches : after.searches.subtracting(used))
          .min(by: { $0.name < $1.name }), !found.isAutomatic
      else { return nil }
      return IndexObstacle(
        reason: rewrite.reason, index: found.index, term: outline.text(of: rewrite.term),
        rewritten: rewrite.text)
    }
  }

  private func union(
    of view: String, _ sql: String, _ before: QueryPlan, _ plan: (String) -> QueryPlan?
  ) -> [IndexObstacle] {
    let tokens = SQLTokenizer.tokens(of: sql)
    let places = tokens.indices.filter {
      tokens[$0].isWord("UNION") && $0 + 1 < tokens.count && !tokens[$0 + 1].isWord("ALL")
    }
    var changed = sql
    for place in places.reversed() {
      changed.insert(contentsOf: " ALL", at: tokens[place].range.upperBound)
    }
    guard !places.isEmpty,
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
  fileprivate var sortCount: Int {
    nodes.count { if case .temporaryBTree = $0.fact { true } else { false } }
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
