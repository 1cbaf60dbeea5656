// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension Gate {
  /// Compares a rewritten statement together with the statements on the tables that it joins now,
  /// as after a loop of lookups became a join: one count alone rises then, and the sum of all
  /// falls.
  ///
  /// - Returns: nil if it joins no more tables, if no statement on these ran less often, or if all together do more work.
  func joined(
    _ rewritten: GateResult.Difference, _ before: BaselineV1.Statement, _ now: BaselineV1.Statement,
    _ allBefore: [BaselineV1.Statement], _ allNow: [BaselineV1.Statement], isSameSQLite: Bool
  ) -> GateResult.Difference? {
    guard before.budget == nil else { return nil }
    let joined = Self.tables(now).subtracting(Self.tables(before))
    guard !joined.isEmpty else { return nil }
    let current = Dictionary(allNow.map { ($0.sql, $0) }, uniquingKeysWith: { first, _ in first })
    let looked = allBefore.filter {
      let tables = Self.tables($0)
      return !tables.isEmpty && tables.isSubset(of: joined) && $0.budget == nil
        && current[$0.sql]?.count ?? 0 < $0.count
    }
    guard !looked.isEmpty else { return nil }
    var difference = rewritten
    difference.joined = looked.map(\.sql)
    difference.changes = sums(
      of: [before] + looked, [now] + looked.compactMap { current[$0.sql] },
      GateMetric.ofStatements.map(\.0).filter { $0 != .vmSteps || isSameSQLite })
    return difference.isWorse && !difference.isMixed ? nil : difference
  }

  private static func tables(_ statement: BaselineV1.Statement) -> Set<String> {
    StatementClauses(sql: statement.sql).tables
  }
}
