// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Writes without a transaction that one has now: there are BEGIN and COMMIT, and fewer commits.
struct GroupedWrites {
  /// Whether no transaction was explicit, and there are no more of them now than there were writes.
  let isFewerCommits: Bool

  init(from before: [BaselineV1.Statement], to now: [BaselineV1.Statement]) {
    func commits(_ statements: [BaselineV1.Statement]) -> UInt64 {
      statements.reduce(0) { $0.saturatingSum(TestForms.isCommit($1.sql) ? $1.count : 0) }
    }
    let writes = before.reduce(0 as UInt64) {
      $0.saturatingSum(min($1.count, $1.changes ?? 0))
    }
    isFewerCommits = commits(before) == 0 && commits(now) <= writes
  }

  /// Removes the statements that begin and end transactions from the comparison of all work.
  ///
  /// - Returns: the removed differences.
  func removeControl(
    from before: inout [BaselineV1.Statement], _ now: inout [BaselineV1.Statement],
    _ appeared: inout [GateResult.Difference]
  ) -> [GateResult.Difference] {
    guard isFewerCommits else { return [] }
    before.removeAll { StatementCommand.isTransactionControl($0.sql) }
    now.removeAll { StatementCommand.isTransactionControl($0.sql) }
    func isControl(_ difference: GateResult.Difference) -> Bool {
      difference.sql.map(StatementCommand.isTransactionControl) == true
    }
    defer { appeared.removeAll(where: isControl) }
    return appeared.filter(isControl)
  }
}
