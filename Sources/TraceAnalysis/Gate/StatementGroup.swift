// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StoreEvents

/// The statements of one fingerprint, which two runs have in common whatever their values are.
public struct StatementGroup: Hashable, Sendable {
  public var fingerprint: SQLFingerprint
  /// The one of them that took most time.
  public var statement: StatementProfile
  /// Of all of them.
  public var work: Work
  public var misses: UInt64

  /// The line that spent most time on it.
  public var caller: SourceLocation { statement.mainCaller }
}

extension Profile {
  /// The statements by their fingerprints; one without its text stands for itself.
  public var statementGroups: [SQLFingerprint: StatementGroup] {
    var groups: [SQLFingerprint: StatementGroup] = [:]
    for statement in statements {
      let fingerprint = SQLFingerprint(sql: statement.sql ?? "unknown_\(statement.id)")
      if var group = groups[fingerprint] {
        group.work.add(statement.work)
        group.misses.add(statement.misses)
        groups[fingerprint] = group
      } else {
        groups[fingerprint] = StatementGroup(
          fingerprint: fingerprint, statement: statement, work: statement.work,
          misses: statement.misses)
      }
    }
    return groups
  }
}

extension Work {
  mutating func add(_ other: Work) {
    count.add(other.count)
    rows.add(other.rows)
    errors.add(other.errors)
    limited.add(other.limited)
    batched.add(other.batched)
    offset.add(other.offset)
    vmSteps.add(other.vmSteps)
    fullScanSteps.add(other.fullScanSteps)
    sorts.add(other.sorts)
    autoIndexRows.add(other.autoIndexRows)
    waitTime.add(other.waitTime)
    prepareTime.add(other.prepareTime)
    stepTime.add(other.stepTime)
    materializeTime.add(other.materializeTime)
    connectionTime.add(other.connectionTime)
    totalTime.add(other.totalTime)
  }
}
