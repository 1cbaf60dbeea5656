// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Gate {
  /// Compares what single statements do not tell: faults that the row cache answered, saves, and
  /// the work of statements that came for others that went.
  func compareTotals(
    of profile: Profile, _ now: [BaselineV1.Statement], with baseline: BaselineV1,
    isSameSQLite: Bool, into result: inout GateResult
  ) {
    let totals = BaselineV1.Totals(profile.totals)
    var changes = GateMetric.ofTotals.map { metric, path in
      GateResult.Change(
        metric: metric, before: baseline.totals[keyPath: path], after: totals[keyPath: path],
        budget: baseline.budget?[metric.rawValue])
    }
    if !result.appeared.isEmpty {
      changes += GateMetric.ofStatements.filter { metric, _ in
        metric.isWork && (metric != .vmSteps || isSameSQLite)
      }.map { metric, path in
        GateResult.Change(
          metric: metric, before: baseline.statements.sum(path), after: now.sum(path))
      }
    }
    changes = changes.filter(differs)
    for isWorse in [true, false] {
      let part = changes.filter { $0.isWorse == isWorse }
      guard !part.isEmpty else { continue }
      let difference = GateResult.Difference(
        sql: nil, statement: nil, caller: .unknown, changes: part)
      if isWorse {
        result.regressions.append(difference)
      } else {
        result.improvements.append(difference)
      }
    }
  }
}

extension [BaselineV1.Statement] {
  fileprivate func sum(_ path: KeyPath<BaselineV1.Statement, UInt64>) -> UInt64 {
    var sum: UInt64 = 0
    for statement in self { sum.add(statement[keyPath: path]) }
    return sum
  }
}
