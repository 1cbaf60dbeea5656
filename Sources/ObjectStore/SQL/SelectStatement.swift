// SPDX-License-Identifier: Apache-2.0

/// A SELECT over one entity, with the values for its `?`.
public struct SelectStatement: Hashable, Sendable {
  public var sql: String
  public var bindings: [StoreValue]

  /// Selects whole objects.
  ///
  /// The columns are `0`, the primary key, the version, the attributes and the to-one
  /// relationships, each group by name.
  ///
  ///     SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZSTOP FROM ZSTOPTIME t0 WHERE  t0.ZNAME = ?
  ///
  /// - Parameters:
  ///   - limit: how many rows at most; 0 for all.
  ///   - offset: how many rows to leave out first.
  /// - Throws: ``FetchPredicateError`` if the predicate or an order does not fit the entity.
  public static func objects(
    of entity: EntityDescription, where predicate: FetchPredicate? = nil,
    sortedBy terms: [SortTerm] = [], limit: Int = 0, offset: Int = 0
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(
      .objects, entity, predicate, sortedBy: terms, limit: limit, offset: offset)
  }

  /// Selects primary keys, in the second column.
  ///
  ///     SELECT 0, t0.Z_PK FROM ZSTOP t0
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate or an order does not fit the entity.
  public static func objectIDs(
    of entity: EntityDescription, where predicate: FetchPredicate? = nil,
    sortedBy terms: [SortTerm] = [], limit: Int = 0, offset: Int = 0
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(
      .objectIDs, entity, predicate, sortedBy: terms, limit: limit, offset: offset)
  }

  /// Counts what ``objects(of:where:sortedBy:limit:offset:)`` would select.
  ///
  ///     SELECT COUNT(*) FROM ZSTOP
  ///     SELECT COUNT(DISTINCT t0.Z_PK) FROM ZSTOPTIME t0 JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK WHERE …
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity.
  public static func count(
    of entity: EntityDescription, where predicate: FetchPredicate? = nil, limit: Int = 0,
    offset: Int = 0
  ) throws(FetchPredicateError) -> SelectStatement {
    if limit > 0 || offset > 0 {
      var inner = try objectIDs(of: entity, where: predicate, limit: limit, offset: offset)
      inner.sql = "SELECT COUNT(*) FROM (" + inner.sql + ")"
      return inner
    }
    guard let predicate else {
      return SelectStatement(sql: "SELECT COUNT(*) FROM " + entity.table, bindings: [])
    }
    return try select(.count, entity, predicate)
  }

  /// Selects primary keys alone, for use within another statement.
  ///
  ///     SELECT t0.Z_PK FROM ZSTOP t0
  static func keys(
    of entity: EntityDescription, where predicate: FetchPredicate?, sortedBy terms: [SortTerm],
    limit: Int, offset: Int
  ) throws(FetchPredicateError) -> SelectStatement {
    try select(.keys, entity, predicate, sortedBy: terms, limit: limit, offset: offset)
  }

  enum Columns { case objects, objectIDs, count, keys }

  private static func select(
    _ columns: Columns, _ entity: EntityDescription, _ predicate: FetchPredicate?,
    sortedBy terms: [SortTerm] = [], limit: Int = 0, offset: Int = 0
  ) throws(FetchPredicateError) -> SelectStatement {
    var resolver = PredicateResolver(entity)
    var writer = SQLWriter()
    if let predicate {
      writer.appendTopLevel(try resolver.resolve(predicate))
    }
    let condition = writer.takeText()
    for (index, term) in terms.enumerated() {
      writer.append(index == 0 ? " ORDER BY " : ", ")
      try writer.append(term, resolver)
    }
    let order = writer.takeText()

    // A column takes some 16 bytes; what surrounds them less than 200.
    let columnCount = columns == .objects ? entity.attributes.count + entity.relationships.count : 0
    writer.reserveCapacity(
      200 + 16 * columnCount + condition.utf8.count + order.utf8.count)
    writer.append("SELECT ")
    writer.append(columns, of: entity)
    writer.append(" FROM ")
    writer.append(entity.table)
    writer.append(" t0")
    writer.appendJoins()
    if predicate != nil {
      writer.append(" WHERE ")
      writer.append(condition)
    }
    // Core Data ends the condition with a space, which shows where something follows.
    let space = predicate == nil ? "" : " "
    if !order.isEmpty {
      writer.append(space)
      writer.append(order)
    }
    if limit > 0 || offset > 0 {
      if order.isEmpty { writer.append(space) }
      writer.append(" LIMIT \(limit > 0 ? limit : -1)")
      if offset > 0 { writer.append(" OFFSET \(offset)") }
    }
    return SelectStatement(sql: writer.takeText(), bindings: writer.bindings)
  }
}

extension SQLWriter {
  fileprivate mutating func append(
    _ columns: SelectStatement.Columns, of entity: EntityDescription
  ) {
    switch columns {
    case .count: append(hasJoins ? "COUNT(DISTINCT t0.Z_PK)" : "COUNT(*)")
    case .objectIDs: append("0, t0.Z_PK")
    case .keys: append("t0.Z_PK")
    case .objects:
      append("0, t0.Z_PK, t0.Z_OPT")
      for attribute in entity.attributes {
        append(", t0.")
        append(attribute.column)
      }
      for relationship in entity.relationships {
        guard case .column(let column) = relationship.storage else { continue }
        append(", t0.")
        append(column)
      }
    }
  }

  fileprivate mutating func append(
    _ term: SortTerm, _ resolver: PredicateResolver
  ) throws(FetchPredicateError) {
    let (path, property) = try resolver.resolve(FetchPredicate.PropertyPath(term.keyPath))
    appendColumn(path, property)
    if let collation = term.comparator.collation {
      guard property.isText else {
        throw .typeMismatch(
          comparison: "\(term.keyPath.joined(separator: ".")) by \(term.comparator.rawValue)",
          expected: "it is no text; leave the comparator out")
      }
      append(" COLLATE \(collation) ")
      if !term.ascending { append("DESC") }
    } else if !term.ascending {
      append(" DESC")
    }
  }
}

extension ResolvedOperand.Property {
  fileprivate var isText: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return attribute.type == .string || attribute.type == .url
  }
}
