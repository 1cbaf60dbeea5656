// SPDX-License-Identifier: Apache-2.0

/// Writes the text of one SELECT, and collects the values for its `?` in their order.
///
/// Tables get the aliases t0, t1, … in the order in which they are met. Slot 0 of a resolved
/// predicate is t0.
struct SQLWriter {
  // Bytes: to append to a string costs three times as much, and a condition is dozens of pieces.
  var text: [UInt8] = []
  private(set) var bindings: [StoreValue] = []
  private var aliasCount = 1
  /// By slot: the alias, and the SELECT that it belongs to.
  var slots: [(alias: Int, scope: Int)] = [(0, 0)]
  /// By SELECT, the outermost first.
  var joins: [[Join]] = [[]]
  /// The SELECT with rows that are certainly excluded if the term being written is not true; nil if
  /// there is none.
  var conjunctionScope: Int? = 0

  /// ` LEFT OUTER JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK`.
  struct Join {
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
  mutating func append(_ string: String) { text.append(contentsOf: string.utf8) }

  mutating func takeText() -> String {
    defer { text.removeAll(keepingCapacity: true) }
    return String(decoding: text, as: UTF8.self)
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

  /// Writes `t1.ZNAME`, after the joins that it needs.
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
  mutating func alias(of path: ResolvedPath, needsValue: Bool) -> Int {
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

  /// Joins the objects of a to-many relationship, with one row each; owners without any are kept.
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

  mutating func takeAlias() -> Int {
    defer { aliasCount += 1 }
    return aliasCount
  }

  /// Writes ` JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK`, for each join of the outermost SELECT.
  mutating func appendJoins() { appendJoins(of: 0) }

  mutating func appendJoins(of scope: Int) {
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
}

extension RelationshipDescription {
  /// The column of a to-one in its own table.
  fileprivate var foreignKeyColumn: String {
    guard case .column(let column) = storage else { fatalError("\(name) is to-many") }
    return column
  }

  /// The column that holds the owner of a to-many: in the destination's table, or in that of pairs.
  var ownerColumn: String {
    switch storage {
    case .column(let column), .inverseColumn(let column, _): column
    case .joinTable(_, let source, _, _): source
    }
  }
}
