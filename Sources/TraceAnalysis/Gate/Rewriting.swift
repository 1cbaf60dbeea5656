// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Finds the statements of a run that are rewritten statements of a baseline.
///
/// The same tokens in another order, for example after terms of an AND were moved; otherwise the
/// only statement of its kind and entity at the same line of code.
struct Rewriting {
  /// The baseline's statement, by the new one's fingerprint.
  private(set) var before: [String: BaselineV1.Statement] = [:]

  init(from baseline: BaselineV1, to groups: [SQLFingerprint: StatementGroup]) {
    let present = Set(groups.keys.map(\.description))
    let known = Set(baseline.statements.map(\.sql))
    var gone = baseline.statements.filter { !present.contains($0.sql) }
    var new = groups.values.filter { !known.contains($0.fingerprint.description) }
      .sorted { $0.fingerprint < $1.fingerprint }
    pair(&gone, &new, { Self.words($0.sql) }, { Self.words($0.fingerprint.description) })
    pair(
      &gone, &new, { Self.locationKey($0.caller, $0.entity, $0.sql) },
      { Self.locationKey($0.busiestCaller.text, $0.statement.entity, $0.fingerprint.description) })
  }

  /// Pairs items with a key that no other item on their side has.
  private mutating func pair(
    _ gone: inout [BaselineV1.Statement], _ new: inout [StatementGroup],
    _ oldKey: (BaselineV1.Statement) -> String?, _ newKey: (StatementGroup) -> String?
  ) {
    let candidates = Dictionary(grouping: gone) { oldKey($0) }
    let wanted = Dictionary(grouping: new) { newKey($0) }
    for (key, groups) in wanted where key != nil && groups.count == 1 {
      guard let statements = candidates[key], statements.count == 1 else { continue }
      let sql = groups[0].fingerprint.description
      before[sql] = statements[0]
      gone.removeAll { $0.sql == statements[0].sql }
      new.removeAll { $0.fingerprint == groups[0].fingerprint }
    }
  }

  private static func words(_ sql: String) -> String? {
    sql.split { " (),".contains($0) }.sorted().joined(separator: " ")
  }

  private static func locationKey(_ caller: String?, _ entity: String?, _ sql: String) -> String? {
    caller.map { "\($0) \(entity ?? "") \(StatementCommand.name(of: sql))" }
  }
}
