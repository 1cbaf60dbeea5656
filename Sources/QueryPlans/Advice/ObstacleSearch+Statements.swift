// SPDX-License-Identifier: Apache-2.0

/// Other ways to write a whole statement, each of which is run on a copy of the database.
extension ObstacleSearch {
  /// `count(1)` and `count(id)` as `count(*)`, where the rows are on many pages.
  func counts(in text: Text) -> [IndexObstacle] {
    guard let scope = text.outline.scopes.first,
      let count = RowCount(of: scope, in: text.outline), !count.isOfEntries,
      let table = count.reader.sources[0].table, isNeverNull(count.argument, table),
      let pages = subject.run([], nil)?.measurement.pages, pages >= WorkBound.minPages,
      let changed = replacing([(count.call, "count(*)")], in: text)
    else { return [] }
    var obstacle = IndexObstacle(
      reason: .count, term: text.outline.text(of: count.call), rewritten: "count(*)")
    obstacle.indexes = trial.improving(narrowIndexes(table), in: subject(as: changed))
    return prove(&obstacle, changed) && obstacle.steps != nil ? [obstacle] : []
  }

  private func isNeverNull(_ argument: ArraySlice<SQLToken>, _ table: String) -> Bool {
    if argument.count == 1, argument.first?.kind == .number { return true }
    guard argument.count == 1 || argument.dropFirst().first?.isSymbol(".") == true,
      argument.count <= 3, let name = argument.last?.name
    else { return false }
    return trial.columns(of: table)?.isRowid(name) ?? false
  }

  /// `a IN (…) ORDER BY b LIMIT 20` as `+a IN (…)`, which leaves the search to an index of the order.
  func orders(in text: Text, _ before: QueryPlan) -> [IndexObstacle] {
    let tokens = text.outline.tokens
    guard before.sortCount > 0, before.scanCount == 0, let scope = text.outline.scopes.first,
      scope.limit != nil, scope.order != nil, scope.sources.count == 1,
      let search = before.searches.first, let index = search.index
    else { return [] }
    let terms = scope.conditions.flatMap { TermTree($0, of: tokens).conjuncts }.filter { term in
      let comparison = ColumnComparison.all(in: term, of: tokens).first
      return comparison?.kind == .equality && tokens[term.lowerBound].name != nil
    }
    guard !terms.isEmpty,
      let changed = replacing(terms.map { ($0, "+" + text.outline.text(of: $0)) }, in: text)
    else { return [] }
    func joined(_ prefix: String) -> String {
      terms.map { prefix + FoldedSQL(SQLFingerprint.joined(text.written[$0].map(\.text))).text }
        .joined(separator: " AND ")
    }
    var obstacle = IndexObstacle(
      reason: .order, index: index, term: joined(""), rewritten: joined("+"))
    if (text.plan(changed)?.sortCount ?? 1) > 0 {
      obstacle.indexes = trial.improving(
        proposals(for: changed).sorting(), in: subject(as: changed))
      guard !obstacle.indexes.isEmpty else { return [] }
    }
    return prove(&obstacle, changed) && obstacle.steps != nil ? [obstacle] : []
  }

  /// `low <= ? AND high >= ?` as the row with the largest `low`, where no two intervals overlap.
  func intervals(in text: Text) -> [IndexObstacle] {
    let tokens = text.outline.tokens
    guard let scope = text.outline.scopes.first, text.outline.scopes.count == 1,
      scope.sources.count == 1, scope.limit == nil, scope.order == nil, !scope.hasAggregate,
      !scope.hasGroupBy, !scope.isDistinct, let filter = scope.filter, let end = tokens[filter].last
    else { return [] }
    let bounds = TermTree(filter, of: tokens).conjuncts.compactMap {
      ColumnComparison.all(in: $0, of: tokens).first
    }
    let (low, high) = (
      bounds.filter { $0.kind == .upperBound }, bounds.filter { $0.kind == .lowerBound }
    )
    guard low.count == 1, high.count == 1, low[0].column != high[0].column,
      let now = subject.run([], nil)?.measurement.work, now.perRun(\.rows) < 2
    else { return [] }
    // `low` is the beginning in every row.
    let (table, first, last) = (
      SQLName.quotedIfNeeded(scope.sources[0].table ?? ""),
      SQLName.quotedIfNeeded(low[0].column), SQLName.quotedIfNeeded(high[0].column)
    )
    let reversed = subject.run([], "SELECT 1 FROM \(table) WHERE \(first) > \(last) LIMIT 1")
    guard let reversed = reversed?.measurement, !reversed.isCut, reversed.work.rows == 0 else {
      return []
    }
    let order = "ORDER BY \(first) DESC LIMIT 1"
    var changed = text.sql
    changed.insert(contentsOf: " \(order)", at: end.range.upperBound)
    guard let search = text.plan(changed)?.searches.first, let index = search.index else {
      return []
    }
    var obstacle = IndexObstacle(
      reason: .interval, index: index, term: text.outline.text(of: filter), rewritten: order)
    return prove(&obstacle, changed) && obstacle.steps != nil ? [obstacle] : []
  }
}
