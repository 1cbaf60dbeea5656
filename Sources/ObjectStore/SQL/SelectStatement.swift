// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

/// A SELECT over one entity, with the values for its `?`.
public struct SelectStatement: Hashable, Sendable {
  /// The SQL text.
  public var sql: String
  /// The bound values, in the order of the parameters.
  public var bindings: [StoreValue]

  /// Selects whole objects.
  ///
  /// The columns are `0`, the primary key, the version, the attributes and the to-one
  /// relationships, each group by name.
  ///
  ///     SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZSTOP FROM ZSTOPTIME t0 WHERE  t0.ZNAME = ?
  ///
  /// - Parameters:
  ///   - entity: the entity to select.
  ///   - predicate: the condition; nil for all objects.
  ///   - includingSubentities: whether objects of entities that inherit from it are selected.
  ///   - terms: the order.
  ///   - limit: how many rows at most; 0 for all.
  ///   - offset: how many rows to leave out first.
  /// - Throws: ``FetchPredicateError`` if the predicate or an order does not fit the entity.
  public static func objects(
    of entity: EntityDescription, where predicate: FetchPredicate? = nil,
    includingSubentities: Bool = true, sortedBy terms: [SortTerm] = [], limit: Int = 0,
    offset: Int = 0
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(
      .objects, entity, predicate, includingSubentities, sortedBy: terms, limit: limit,
      offset: offset)
  }

  /// Selects primary keys, in the second column.
  ///
  ///     SELECT 0, t0.Z_PK FROM ZSTOP t0
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate or an order does not fit the entity.
  public static func objectIDs(
    of entity: EntityDescription, where predicate: FetchPredicate? = nil,
    includingSubentities: Bool = true, sortedBy terms: [SortTerm] = [], limit: Int = 0,
    offset: Int = 0
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(
      .objectIDs, entity, predicate, includingSubentities, sortedBy: terms, limit: limit,
      offset: offset)
  }

  /// Selects some columns of objects, marked as partial by `1`.
  ///
  ///     SELECT 1, t0.Z_PK, t0.ZNAME FROM ZSTOP t0
  static func parts(
    of entity: EntityDescription, _ columns: [String], where predicate: FetchPredicate?,
    includingSubentities: Bool, sortedBy terms: [SortTerm], limit: Int, offset: Int
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(
      .parts(columns), entity, predicate, includingSubentities, sortedBy: terms, limit: limit,
      offset: offset)
  }

  /// Selects primary keys, followed by the properties at the ends of key paths.
  ///
  ///     SELECT 0, t0.Z_PK, t0.ZINITIAL FROM ZRECORD t0
  static func objectIDs(
    of entity: EntityDescription, where predicate: FetchPredicate?, includingSubentities: Bool,
    sortedBy terms: [SortTerm], limit: Int, offset: Int, with keyPaths: [[String]]
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(
      .objectIDs, entity, predicate, includingSubentities, sortedBy: terms, limit: limit,
      offset: offset, with: keyPaths)
  }

  /// Counts the objects that ``objects(of:where:includingSubentities:sortedBy:limit:offset:)``
  /// would select.
  ///
  ///     SELECT COUNT(*) FROM ZSTOP
  ///     SELECT COUNT(DISTINCT t0.Z_PK) FROM ZSTOPTIME t0 JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK WHERE …
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity.
  public static func count(
    of entity: EntityDescription, where predicate: FetchPredicate? = nil,
    includingSubentities: Bool = true, limit: Int = 0, offset: Int = 0
  ) throws(FetchPredicateError) -> SelectStatement {
    if limit > 0 || offset > 0 {
      var inner = try objectIDs(
        of: entity, where: predicate, includingSubentities: includingSubentities, limit: limit,
        offset: offset)
      inner.sql = "SELECT COUNT(*) FROM (" + inner.sql + ")"
      return inner
    }
    guard predicate != nil || entity.entityIDs(includingSubentities: includingSubentities) != nil
    else { return SelectStatement(sql: "SELECT COUNT(*) FROM " + entity.table, bindings: []) }
    return try select(.count, entity, predicate, includingSubentities)
  }

  /// Selects primary keys alone, for use within another statement.
  ///
  ///     SELECT t0.Z_PK FROM ZSTOP t0
  static func keys(
    of entity: EntityDescription, where predicate: FetchPredicate?,
    includingSubentities: Bool = true, sortedBy terms: [SortTerm], limit: Int, offset: Int
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(
      .keys, entity, predicate, includingSubentities, sortedBy: terms, limit: limit,
      offset: offset)
  }

  /// The same for all rows of an entity; nil if its table contains no others.
  static func keysOfKinds(
    of entity: EntityDescription
  ) throws(FetchPredicateError) -> SelectStatement? {
    guard entity.entityIDs(includingSubentities: true) != nil else { return nil }
    return try keys(of: entity, where: nil, sortedBy: [], limit: 0, offset: 0)
  }

  enum Columns: Equatable {
    case objects, objectIDs, count, keys
    case parts([String])
  }

  /// ` LIMIT 100 OFFSET 5`; 0 for none.
  static func limitClause(_ limit: Int, _ offset: Int) -> String {
    guard limit > 0 || offset > 0 else { return "" }
    return " LIMIT \(limit > 0 ? limit : -1)" + (offset > 0 ? " OFFSET \(offset)" : "")
  }

  private static func select(
    _ columns: Columns, _ entity: EntityDescription, _ predicate: FetchPredicate?,
    _ includingSubentities: Bool, sortedBy terms: [SortTerm] = [], limit: Int = 0, offset: Int = 0,
    with keyPaths: [[String]] = []
  ) throws(FetchPredicateError) -> SelectStatement {
    var resolver = PredicateResolver(entity)
    var writer = SQLWriter()
    let entityIDs = entity.entityIDs(includingSubentities: includingSubentities)
    if let entityIDs { writer.appendEntities(entityIDs, hasMore: predicate != nil) }
    if let predicate {
      writer.appendTopLevel(try resolver.resolve(predicate))
      if entityIDs != nil { writer.append(")") }
    }
    let condition = writer.takeText()
    for (index, term) in terms.enumerated() {
      writer.append(index == 0 ? " ORDER BY " : ", ")
      try writer.append(term, resolver)
    }
    let order = writer.takeText()
    for keyPath in keyPaths {
      let (path, property) = try resolver.resolve(FetchPredicate.PropertyPath(keyPath))
      writer.append(", ")
      writer.appendColumn(path, property)
    }
    let extra = writer.takeText()

    // A column takes about 16 bytes; the rest takes less than 200.
    let columnCount = columns == .objects ? entity.attributes.count + entity.relationships.count : 0
    writer.reserveCapacity(
      200 + 16 * columnCount + condition.utf8.count + order.utf8.count)
    writer.append("SELECT ")
    writer.append(columns, of: entity)
    writer.append(extra)
    writer.append(" FROM ")
    writer.append(entity.table)
    writer.append(" t0")
    writer.appendJoins()
    if !condition.isEmpty {
      writer.append(" WHERE ")
      writer.append(condition)
    }
    // Core Data ends the condition with a space, which shows where something follows.
    let space = condition.isEmpty ? "" : " "
    if !order.isEmpty {
      writer.append(space)
      writer.append(order)
    }
    let window = limitClause(limit, offset)
    if !window.isEmpty {
      if order.isEmpty { writer.append(space) }
      writer.append(window)
    }
    return SelectStatement(sql: writer.takeText(), bindings: writer.bindings)
  }
}

extension SQLWriter {
  fileprivate mutating func append(
    _ columns: SelectStatement.Columns, of entity: EntityDescription
  ) {
    let head = entity.headColumn
    switch columns {
    case .count: append(hasJoins ? "COUNT(DISTINCT t0.Z_PK)" : "COUNT(*)")
    case .objectIDs:
      append(head)
      append(", t0.Z_PK")
    case .keys: append("t0.Z_PK")
    case .parts(let columns):
      // Core Data's sign of a partial row; in a hierarchy the row must hold its entity.
      append(entity.hierarchy == nil ? "1" : head)
      append(", t0.Z_PK")
      for column in columns {
        append(", t0.")
        append(column)
      }
    case .objects:
      append(head)
      append(", t0.Z_PK, t0.Z_OPT")
      for column in entity.columns {
        append(", t0.")
        append(column)
      }
    }
  }

  /// Writes ` t0.Z_ENT = ?`, before a predicate in parentheses that the caller closes.
  mutating func appendEntities(_ entityIDs: [Int64], hasMore: Bool) {
    append(hasMore ? "( t0.Z_ENT" : " t0.Z_ENT")
    append(entityIDs.count == 1 ? " = " : " IN (")
    for (index, entityID) in entityIDs.enumerated() {
      if index > 0 { append(",") }
      bind(.integer(entityID))
    }
    if entityIDs.count > 1 { append(")") }
    if hasMore { append(" AND ") }
  }

  mutating func append(
    _ term: SortTerm, _ resolver: PredicateResolver
  ) throws(FetchPredicateError) {
    let (path, property) = try resolver.resolve(FetchPredicate.PropertyPath(term.keyPath))
    try property.refuseExternalData("an order by", term.keyPath)
    appendColumn(path, property)
    if let collation = term.comparator.collation {
      guard property.isText else {
        throw .typeMismatch(
          comparison: "\(term.keyPath.joined(separator: ".")) by \(term.comparator.rawValue)",
          expected: "it is not text; omit the comparator")
      }
      append(" COLLATE \(collation.rawValue) ")
      if !term.ascending { append("DESC") }
    } else if !term.ascending {
      append(" DESC")
    }
  }
}

extension ResolvedOperand.Property {
  /// - Throws: ``FetchPredicateError/unsupported(_:instead:)`` for an attribute with external storage.
  func refuseExternalData(
    _ use: String, _ keyPath: [String]
  ) throws(FetchPredicateError) {
    guard case .attribute(let attribute) = self, attribute.allowsExternalBinaryDataStorage else {
      return
    }
    throw .unsupported(
      "\(use) \(keyPath.joined(separator: ".")), whose data may lie in a file,",
      instead: "use another attribute, such as a checksum that is kept beside it")
  }

  fileprivate var isText: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return attribute.type == .string || attribute.type == .url
  }
}
