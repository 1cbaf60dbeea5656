// SPDX-License-Identifier: Apache-2.0

/// Subqueries over the objects of a to-many relationship, each with its own scope and joins.
extension SQLWriter {
  /// Writes terms of which no single one has to be true for the row to be kept.
  mutating func withoutConjunction(_ body: (inout SQLWriter) -> Void) {
    let saved = conjunctionScope
    conjunctionScope = nil
    body(&self)
    conjunctionScope = saved
  }

  /// The result column of a subquery: `1`, `COUNT(t1.Z_PK)`, or `MAX( t1.ZDEPARTURETIME)`.
  enum SubqueryColumn {
    case one, count
    case aggregate(String, ResolvedOperand)
  }

  /// Writes `SELECT … FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND ( t1.ZNAME = ?)) `.
  mutating func appendSelect(
    _ column: SubqueryColumn, _ collection: ResolvedCollection, slot: Int,
    where predicate: ResolvedPredicate?
  ) {
    let owner = alias(of: collection.path, needsValue: false)
    let member = takeAlias()
    // A count of pairs needs the table of pairs only.
    let pairs: Int? =
      if case .joinTable = collection.relationship.storage {
        if case .count = column, predicate == nil { member } else { takeAlias() }
      } else { nil }
    let scope = joins.count
    joins.append([])
    if slot >= 0 {
      while slots.count <= slot { slots.append((0, 0)) }
      slots[slot] = (member, scope)
    }
    // The value before the condition, in the order of their `?` in the text.
    var value = ""
    if case .aggregate(_, let operand) = column {
      value = written(in: -1) { $0.append(operand) }
    }
    let condition = predicate.map { predicate in written(in: scope) { $0.append(predicate) } }
    append("SELECT ")
    switch column {
    case .one: append("1")
    case .count:
      append("COUNT(")
      appendAlias(member)
      append(".")
      append(pairs == member ? collection.relationship.memberColumn : "Z_PK")
      append(")")
    case .aggregate(let function, _):
      append(function)
      append("(")
      append(value)
      append(")")
    }
    appendFrom(collection.relationship, member: member, pairs: pairs)
    appendJoins(of: scope)
    append(" WHERE (")
    appendAlias(owner)
    append(".Z_PK = ")
    appendAlias(pairs ?? member)
    append(".")
    append(collection.relationship.ownerColumn)
    if let condition {
      append(" AND (")
      append(condition)
      append(")")
    }
    append(") ")
  }

  /// The text that is written with a SELECT's own conjunction.
  private mutating func written(in scope: Int, _ body: (inout SQLWriter) -> Void) -> String {
    let (savedText, savedScope) = (text, conjunctionScope)
    (text, conjunctionScope) = ([], scope)
    body(&self)
    defer { (text, conjunctionScope) = (savedText, savedScope) }
    return takeText()
  }

  private mutating func appendFrom(
    _ relationship: RelationshipDescription, member: Int, pairs: Int?
  ) {
    let isPairsOnly = pairs == member
    append(" FROM ")
    if case .joinTable(let table, _, let memberColumn, _) = relationship.storage, let pairs {
      if !isPairsOnly {
        append(relationship.destination.table)
        append(" ")
        appendAlias(member)
        append(" JOIN ")
      }
      append(table)
      append(" ")
      appendAlias(pairs)
      guard !isPairsOnly else { return }
      append(" ON ")
      appendAlias(member)
      append(".Z_PK = ")
      appendAlias(pairs)
      append(".")
      append(memberColumn)
    } else {
      append(relationship.destination.table)
      append(" ")
      appendAlias(member)
    }
  }
}

extension RelationshipDescription {
  fileprivate var memberColumn: String {
    guard case .joinTable(_, _, let column, _) = storage else { return "Z_PK" }
    return column
  }
}
