// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// All runs of one form of a statement in a run, or in one test of it.
struct ProvenForm: Hashable {
  var sql: String
  var work: StatementCounts
  var tables: Set<String>
  /// Whether it counts or groups rows: it then returns other rows than it reads.
  var isAggregate: Bool
  var isWrite: Bool
  /// Whether it runs once for each row of another statement.
  ///
  /// Other statements are the requests of the program.
  var isLookup: Bool
  /// Runs with values that had not run before.
  var distinctRuns: UInt64

  /// Whether there may be fewer different values: of many, some repeats are not seen.
  var hasUnseenRepeats: Bool {
    distinctRuns < work.count && distinctRuns > RepeatTally.maxValues
  }

  /// The rows of its runs with different values; nil where its runs return different numbers of rows.
  var distinctRows: UInt64? {
    guard work.count > 0, work.rows % work.count == 0, distinctRuns <= work.count else {
      return nil
    }
    return work.rows / work.count * distinctRuns
  }

  /// The columns of its result; 8 for each `*`, which is arbitrary.
  var columns: UInt64 {
    let stars = sql.prefix { $0 != "(" }.split(separator: " FROM ").first?.count { $0 == "*" } ?? 0
    return UInt64(clamping: StatementShape(sql: sql).columns + 8 * stars)
  }

  /// The runs that another side does not have; nil if that side has more of something.
  func without(_ other: Self) -> Self? {
    guard other.work.count <= work.count, other.work.rows <= work.rows,
      other.work.changes ?? 0 <= work.changes ?? 0
    else { return nil }
    var rest = self
    rest.work.count -= other.work.count
    rest.work.rows -= other.work.rows
    rest.work.changes = (work.changes ?? 0) - (other.work.changes ?? 0)
    rest.work.empty = work.empty.map { $0.since(other.work.empty ?? 0) }
    rest.distinctRuns = distinctRuns.since(other.distinctRuns)
    return rest
  }
}

extension Profile {
  /// The forms by test; the name is "" where tests have no names.
  ///
  /// Excludes statements on no table, statements on the schema, and transaction control: they
  /// return no rows of the program.
  var provenForms: [String: [String: ProvenForm]] {
    let children = Set(
      ((observed?.loops ?? []) + (sequences ?? [])).map(\.child))
    var known: [StatementID: ProvenForm?] = [:]
    for statement in statements {
      known[statement.id] = statement.sql.flatMap {
        ProvenForm($0, isLookup: children.contains(statement.id) || statement.misses > 0)
      }
    }
    func forms(
      _ parts: [(id: StatementID, work: StatementCounts, distinct: UInt64)]
    ) -> [String: ProvenForm] {
      parts.reduce(into: [:]) { forms, part in
        guard var form = known[part.id] ?? nil else { return }
        (form.work, form.distinctRuns) = (part.work, part.distinct)
        forms[form.sql] = forms[form.sql]?.added(form) ?? form
      }
    }
    guard let tests = observed?.tests else {
      return ["": forms(statements.map { ($0.id, $0.work, $0.work.count.since($0.repeats.runs)) })]
    }
    return Dictionary(
      tests.map {
        (
          $0.name,
          forms(($0.forms ?? []).map { ($0.statement, $0.work, $0.distinctRuns ?? $0.work.count) })
        )
      },
      uniquingKeysWith: { first, _ in first })
  }
}

extension ProvenForm {
  fileprivate init?(_ sql: String, isLookup: Bool) {
    guard StatementCommand.isOwnWork(sql), !StatementCommand.isTransactionControl(sql) else {
      return nil
    }
    let shared = SharedStatement(sql: sql)
    guard !shared.tables.isEmpty else { return nil }
    self.sql = shared.text
    work = StatementCounts()
    tables = Set(shared.tables.map { $0.lowercased() })
    let clauses = StatementClauses(sql: sql)
    isAggregate = clauses.isGrouped || clauses.isCount || clauses.isDistinct
    isWrite = ["INSERT", "UPDATE", "DELETE", "REPLACE"].contains(shared.operation)
    self.isLookup = isLookup
    distinctRuns = 0
  }

  fileprivate func added(_ other: Self) -> Self {
    var sum = self
    sum.work.add(other.work)
    sum.distinctRuns.add(other.distinctRuns)
    sum.isLookup = isLookup || other.isLookup
    return sum
  }
}
