// SPDX-License-Identifier: Apache-2.0

/// Writes the text of one SELECT, and collects the values for its `?` in their order.
///
/// Tables get the aliases t0, t1, … in the order in which they are met. Slot 0 of a resolved
/// predicate is t0.
struct SQLWriter {
  private var text = ""
  private(set) var bindings: [StoreValue] = []
  private var aliasCount = 1
  /// By slot: the alias, and the SELECT that it belongs to.
  private var slots: [(alias: Int, scope: Int)] = [(0, 0)]
  /// By SELECT, the outermost first.
  private var joins: [[Join]] = [[]]
  /// The SELECT whose rows are gone for certain if the term being written is not true.
  private var conjunctionScope = 0

  /// ` LEFT OUTER JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK`.
  private struct Join {
    var relationship: RelationshipDescription
    var table: String
    var alias: Int
    var parent: Int
    var parentColumn: String
    var column: String
    /// Whether a row without a partner can be left out: no term could be true for it.
    var isInner: Bool
  }

  /// Makes room once for a text of about that many bytes.
  mutating func reserveCapacity(_ count: Int) { text.reserveCapacity(count) }

  @inline(__always)
  mutating func append(_ string: String) { text += string }

  mutating func takeText() -> String {
    let result = text
    text = ""
    return result
  }

  var hasJoins: Bool { !joins[0].isEmpty }

  mutating func appendAlias(_ alias: Int) {
    switch alias {
    case 0: append("t0")
    case 1: append("t1")
    default:
      append("t")
      append(String(alias))
    }
  }

  mutating func bind(_ value: StoreValue) {
    append("?")
    bindings.append(value)
  }

  // MARK: - Paths and joins

  /// Writes `t1.ZNAME`, having joined what leads there.
  ///
  /// - Parameter needsValue: whether the term cannot be true where a to-one relationship is nil.
  mutating func appendColumn(
    _ path: ResolvedPath, _ property: ResolvedOperand.Property, needsValue: Bool = false
  ) {
    appendAlias(alias(of: path, needsValue: needsValue))
    append(".")
    switch property {
    case .attribute(let attribute): append(attribute.column)
    case .object: append("Z_PK")
    case .toOne(let relationship): append(relationship.foreignKeyColumn)
    }
  }

  /// Writes `, t1.Z_ENT` where an object may be of an entity that inherits from the declared one.
  ///
  /// - Returns: whether it did.
  mutating func appendEntity(of operand: ResolvedOperand) -> Bool {
    guard case .property(let path, let property) = operand else { return false }
    let column: String
    switch property {
    case .object(let entity) where entity.hierarchy != nil: column = "Z_ENT"
    case .toOne(let relationship):
      guard let entityColumn = relationship.entityColumn else { return false }
      column = entityColumn
    default: return false
    }
    append(", ")
    appendAlias(alias(of: path, needsValue: false))
    append("." + column)
    return true
  }

  /// The alias of the table at the end of a path.
  private mutating func alias(of path: ResolvedPath, needsValue: Bool) -> Int {
    var (alias, scope) = slots[path.slot]
    let isInner = needsValue && scope == conjunctionScope
    for step in path.steps {
      alias = join(step, from: alias, scope: scope, isInner: isInner)
    }
    return alias
  }

  private mutating func join(
    _ relationship: RelationshipDescription, from parent: Int, scope: Int, isInner: Bool
  ) -> Int {
    if let index = joins[scope].firstIndex(where: {
      $0.parent == parent && $0.relationship === relationship
    }) {
      if isInner { joins[scope][index].isInner = true }
      return joins[scope][index].alias
    }
    let alias = takeAlias()
    joins[scope].append(
      Join(
        relationship: relationship, table: relationship.destination.table, alias: alias,
        parent: parent, parentColumn: relationship.foreignKeyColumn, column: "Z_PK",
        isInner: isInner))
    return alias
  }

  /// Joins the objects of a to-many relationship, a row for each; owners without any stay.
  mutating func joinMembers(of collection: ResolvedCollection, slot: Int) {
    let relationship = collection.relationship
    var parent = alias(of: collection.path, needsValue: false)
    var parentColumn = "Z_PK"
    func join(_ table: String, on column: String) {
      let alias = takeAlias()
      joins[0].append(
        Join(
          relationship: relationship, table: table, alias: alias, parent: parent,
          parentColumn: parentColumn, column: column, isInner: false))
      parent = alias
    }
    if case .joinTable(let pairs, let source, let destination, _) = relationship.storage {
      join(pairs, on: source)
      parentColumn = destination
      join(relationship.destination.table, on: "Z_PK")
    } else {
      join(relationship.destination.table, on: relationship.ownerColumn)
    }
    while slots.count <= slot { slots.append((0, 0)) }
    slots[slot] = (parent, 0)
  }

  private mutating func takeAlias() -> Int {
    defer { aliasCount += 1 }
    return aliasCount
  }

  /// Writes ` JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK`, for each join of the outermost SELECT.
  mutating func appendJoins() { appendJoins(of: 0) }

  private mutating func appendJoins(of scope: Int) {
    for join in joins[scope] {
      append(join.isInner ? " JOIN " : " LEFT OUTER JOIN ")
      append(join.table)
      append(" ")
      appendAlias(join.alias)
      append(" ON ")
      appendAlias(join.parent)
      append(".")
      append(join.parentColumn)
      append(" = ")
      appendAlias(join.alias)
      append(".")
      append(join.column)
    }
  }

  // MARK: - Subqueries

  /// Writes terms of which no single one has to be true for the row to be kept.
  mutating func withoutConjunction(_ body: (inout SQLWriter) -> Void) {
    let saved = conjunctionScope
    conjunctionScope = -1
    body(&self)
    conjunctionScope = saved
  }

  /// What a subquery answers: `1`, `COUNT(t1.Z_PK)`, or `MAX( t1.ZDEPARTURETIME)`.
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
    // The value before the condition: so stand their `?` in the text.
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

  /// What is written with a SELECT's own conjunction, as a text of its own.
  private mutating func written(in scope: Int, _ body: (inout SQLWriter) -> Void) -> String {
    let (savedText, savedScope) = (text, conjunctionScope)
    (text, conjunctionScope) = ("", scope)
    body(&self)
    defer { (text, conjunctionScope) = (savedText, savedScope) }
    return text
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
  /// The column of a to-one in its own table.
  fileprivate var foreignKeyColumn: String {
    guard case .column(let column) = storage else { preconditionFailure("\(name) is to-many") }
    return column
  }

  /// The column that holds the owner of a to-many: in the destination's table, or in that of pairs.
  fileprivate var ownerColumn: String {
    switch storage {
    case .column(let column), .inverseColumn(let column, _): column
    case .joinTable(_, let source, _, _): source
    }
  }

  fileprivate var memberColumn: String {
    guard case .joinTable(_, _, let column, _) = storage else { return "Z_PK" }
    return column
  }
}
