// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

extension BaselineV1 {
  /// The statements by the forms of this version: some that an older version kept apart are one form.
  var withCurrentForms: Self {
    let forms = statements.map { SQLFingerprint(sql: $0.sql).description }
    guard forms != statements.map(\.sql) else { return self }
    var result = self
    result.statements = []
    var indexes: [String: Int] = [:]
    for (form, statement) in zip(forms, statements) {
      var statement = statement
      statement.sql = form
      if let index = indexes[form] {
        result.statements[index].add(statement)
      } else {
        indexes[form] = result.statements.count
        result.statements.append(statement)
      }
    }
    return result
  }
}

extension BaselineV1.Statement: Additive {
  /// Adds the counts of another statement of the form; a count that one of them lacks becomes
  /// unknown.
  public mutating func add(_ other: Self) {
    fields.add(other.fields)
    counters.add(other.counters)
  }
}

extension BaselineV1.StatementFields {
  private static let sums = Sums<Self, Self>(\.count, \.rows, \.cacheMisses)

  fileprivate mutating func add(_ other: Self) {
    func sum(_ path: KeyPath<Self, UInt64?>) -> UInt64? {
      guard let mine = self[keyPath: path], let others = other[keyPath: path] else { return nil }
      return mine.saturatingSum(others)
    }
    (changes, errors, commits) = (sum(\.changes), sum(\.errors), sum(\.commits))
    if other.count > count { (caller, entity) = (other.caller, other.entity) }
    Self.sums.add(other, to: &self)
    if plan != other.plan { plan = nil }
    budget = budget.flatMap { mine in
      other.budget.map { others in
        mine.filter { others[$0.key] != nil }.merging(others) { $0.saturatingSum($1) }
          .filter { mine[$0.key] != nil }
      }
    }
    meanNs = nil
  }
}
