// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Gate {
  /// Compares counts that single statements do not show: faults that the row cache answered, saves,
  /// and the work of statements that replaced others.
  func compareTotals(
    of profile: Profile, _ now: [BaselineV1.Statement], with baseline: BaselineV1,
    isSameSQLite: Bool, into result: inout GateResult
  ) {
    let totals = BaselineV1.Totals(profile)
    var changes = GateMetric.ofTotals.compactMap { metric, value in
      change(
        metric, value(baseline.totals), value(totals), budget: baseline.budget?[metric.rawValue])
    }
    // Fetches instead of very many faults: the sum of all statements' runs decides.
    let runs = sums(of: baseline.statements, now, [.count, .rows])
    let isRelieved = runs.contains(where: \.isLargeFall) && !runs.contains { $0.isLargeRise }
    let relieved: Set<GateMetric> = isRelieved ? [.fetches, .counts, .rows] : []
    add(changes.filter { $0.isWorse && relieved.contains($0.metric) }, to: &result.mixed)
    changes.removeAll { $0.isWorse && relieved.contains($0.metric) }
    if !result.appeared.isEmpty {
      changes += replacedWork(now, with: baseline, isSameSQLite: isSameSQLite, into: &result)
    }
    moveWorse(now, with: baseline, into: &result)
    add(changes.filter(\.isWorse), to: &result.regressions)
    add(changes.filter { !$0.isWorse }, to: &result.improvements)
  }

  /// Compares the work of all statements; where it rose as the price of far fewer runs at the same
  /// line, that is mixed and not among the changes.
  private func replacedWork(
    _ now: [BaselineV1.Statement], with baseline: BaselineV1, isSameSQLite: Bool,
    into result: inout GateResult
  ) -> [GateResult.Change] {
    let metrics = GateMetric.ofStatements.map(\.0)
      .filter { $0.isWork && ($0 != .vmSteps || isSameSQLite) }
    let work = sums(of: baseline.statements, now, metrics)
    guard work.contains(where: \.isWorse) else { return work }
    let new = Set(result.appeared.compactMap(\.sql))
    let old = Set(result.gone.compactMap(\.sql))
    let appeared = now.filter { new.contains($0.sql) }
    let gone = baseline.statements.filter { old.contains($0.sql) }
    // A line that only one side has may have moved: all such lines are one.
    let shared = Set(appeared.map(\.caller)).intersection(gone.map(\.caller))
    func pool(_ statement: BaselineV1.Statement) -> String {
      shared.contains(statement.caller) ? statement.caller ?? "" : ""
    }
    let differences = Set((appeared + gone).map(pool)).sorted().map { name in
      GateResult.Difference(
        sql: nil, statement: nil, caller: .unknown,
        changes: sums(
          of: gone.filter { pool($0) == name }, appeared.filter { pool($0) == name },
          metrics + [.count, .cacheMisses]))
    }
    let risen = differences.filter { $0.changes.contains(where: \.isWorse) }
    guard !risen.isEmpty, risen.allSatisfy(\.isMixed) else { return work }
    result.mixed += risen
    return work.filter { !$0.isWorse }
  }

  /// A new statement is a regression if it runs in a loop while all statements together run more
  /// often, or if it scans a table while more statements do so than before.
  private func moveWorse(
    _ now: [BaselineV1.Statement], with baseline: BaselineV1, into result: inout GateResult
  ) {
    let runs = (baseline.statements.sum { $0.count }, now.sum { $0.count })
    let runsMore = Double(runs.1) > Double(runs.0) * (1 + tolerance)
    let scansMore =
      now.count { $0.plan?.isCostly == true }
      > baseline.statements.count { $0.plan?.isCostly == true }
    let hasPlans = baseline.statements.contains { $0.plan != nil }
    func isWorse(_ difference: GateResult.Difference) -> Bool {
      runsMore && difference.isLoop || hasPlans && scansMore && difference.hasWorsePlan
    }
    result.regressions += result.appeared.filter(isWorse)
    result.appeared.removeAll(where: isWorse)
  }

  func sums(
    of before: [BaselineV1.Statement], _ now: [BaselineV1.Statement], _ metrics: [GateMetric]
  ) -> [GateResult.Change] {
    GateMetric.ofStatements.compactMap { metric, value in
      guard metrics.contains(metric) else { return nil }
      return change(metric, before.sum(value), now.sum(value), budget: nil)
    }
  }

  /// A change to report; nil if one side does not count it.
  func change(
    _ metric: GateMetric, _ before: UInt64?, _ after: UInt64?, budget: UInt64?
  ) -> GateResult.Change? {
    guard let before, let after else { return nil }
    let change = GateResult.Change(metric: metric, before: before, after: after, budget: budget)
    return differs(change) ? change : nil
  }

  private func add(_ changes: [GateResult.Change], to differences: inout [GateResult.Difference]) {
    guard !changes.isEmpty else { return }
    differences.append(
      GateResult.Difference(sql: nil, statement: nil, caller: .unknown, changes: changes))
  }
}

extension GateResult.Difference {
  // As with AvoidQueryInLoop, ten runs are a loop.
  fileprivate var isLoop: Bool { changes.contains { $0.metric == .count && $0.after >= 10 } }
}

extension GateResult.Change {
  fileprivate var isLargeRise: Bool { isWorse && !isSmallRise }
}

extension [BaselineV1.Statement] {
  fileprivate func sum(_ value: GateMetric.OfStatement) -> UInt64 {
    reduce(0) { $0.saturatingSum(value($1) ?? 0) }
  }
}
