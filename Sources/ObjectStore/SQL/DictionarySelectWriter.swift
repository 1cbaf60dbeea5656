// SPDX-License-Identifier: Apache-2.0

/// The parts of a dictionary fetch other than the predicate and the order.
struct GroupedQuery {
  var columns: [ResultColumn] = []
  var groups: [ResultColumn] = []
  var having: FetchPredicate?
  var isDistinct = false

  /// Whether only dictionaries can be its result.
  var isGrouped: Bool { !groups.isEmpty || having != nil }
}

/// A SELECT of dictionaries, and how its columns are read.
struct DictionarySelect {
  var statement: SelectStatement
  var types: [ResultType]
}

/// Writes the SELECT of a fetch of dictionaries.
///
///     SELECT t0.ZNAME, COUNT( t0.ZNAME) AS __var0 FROM ZSTOP t0 GROUP BY  t0.ZNAME HAVING __var0 > ?
struct DictionarySelectWriter {
  private let entity: EntityDescription
  let query: GroupedQuery
  private var resolver: PredicateResolver
  private var writer = SQLWriter()
  private var types: [ResultType] = []
  private var isJoined = false

  init(of entity: EntityDescription, _ query: GroupedQuery) {
    self.entity = entity
    self.query = query
    resolver = PredicateResolver(entity)
  }

  /// - Throws: ``FetchPredicateError`` if a name does not fit the entity, or if a column has no one
  ///   value for each group.
  mutating func select(
    where predicate: FetchPredicate?, includingSubentities: Bool, sortedBy terms: [SortTerm],
    limit: Int, offset: Int
  ) throws(FetchPredicateError) -> DictionarySelect {
    try check(terms)
    // In the order of the text, because that is the order of the values for its `?`.
    let columns = try columnList(namesAggregates: query.having != nil || sortsByAggregate(terms))
    let condition = try condition(predicate, includingSubentities)
    let groups = try groupList()
    let order = try orderList(terms)
    writer.append(query.isDistinct ? "SELECT DISTINCT " : "SELECT ")
    writer.append(columns)
    writer.append(" FROM \(entity.table) t0")
    writer.appendJoins()
    if !condition.isEmpty { writer.append(" WHERE \(condition)") }
    let rest = groups + order + SelectStatement.limitClause(limit, offset)
    if !condition.isEmpty, !rest.isEmpty { writer.append(" ") }
    writer.append(rest)
    return DictionarySelect(
      statement: SelectStatement(sql: writer.takeText(), bindings: writer.bindings), types: types)
  }

  private mutating func condition(
    _ predicate: FetchPredicate?, _ includingSubentities: Bool
  ) throws(FetchPredicateError) -> String {
    let entityIDs = entity.entityIDs(includingSubentities: includingSubentities)
    if let entityIDs { writer.appendEntities(entityIDs, hasMore: predicate != nil) }
    if let predicate {
      writer.appendTopLevel(try resolver.resolve(predicate))
      if entityIDs != nil { writer.append(")") }
    }
    return writer.takeText()
  }

  // MARK: - Columns

  private mutating func columnList(
    namesAggregates: Bool
  ) throws(FetchPredicateError) -> String {
    for column in query.columns {
      if !types.isEmpty { writer.append(", ") }
      let operand = try operand(of: column)
      types.append(ResultType(operand, column.aggregate))
      if let aggregate = column.aggregate {
        writer.append(aggregate.function + "(")
        writer.appendValue(operand)
        writer.append(")")
        if namesAggregates { writer.append(" AS \(alias(of: column.name) ?? "")") }
      } else {
        writer.appendValue(operand, space: false)
        if writer.appendEntity(of: operand), case .object(let entity) = types[types.count - 1] {
          types[types.count - 1] = .objectAndEntity(entity)
        }
      }
    }
    return writer.takeText()
  }

  /// `__var0` for the first column that is computed of a group.
  private func alias(of name: String) -> String? {
    query.columns.filter { $0.aggregate != nil }.firstIndex { $0.name == name }
      .map { "__var\($0)" }
  }

  private mutating func operand(
    of column: ResultColumn
  ) throws(FetchPredicateError) -> ResolvedOperand {
    guard column.aggregate != nil, case .path(let path) = column.expression,
      let (collection, rest) = try resolver.resolveCollection(path)
    else {
      let operand = try resolver.operand(column.expression)
      if query.isDistinct { try operand.refuseExternalData("distinct values of", column) }
      return try numeric(column, operand)
    }
    return try numeric(
      column, try resolver.operand(.path(join(collection, for: column, rest: rest))))
  }

  private func numeric(
    _ column: ResultColumn, _ operand: ResolvedOperand
  ) throws(FetchPredicateError) -> ResolvedOperand {
    if let aggregate = column.aggregate, aggregate != .count {
      try operand.refuseExternalData("the \(aggregate.rawValue) of", column)
    }
    guard column.aggregate == .sum || column.aggregate == .average,
      let kind = operand.kind, kind != .number
    else { return operand }
    throw .typeMismatch(
      comparison: "the \(column.aggregate?.rawValue ?? "") of \(column.expression.predicateFormat)",
      expected: "it is not a number; count it, or use its min or max")
  }

  private static let member = "member of the joined relationship"

  /// Joins the objects of a to-many, which must be the only thing that is computed of: next to it
  /// a value of the object itself would count once for each of them.
  private mutating func join(
    _ collection: ResolvedCollection, for column: ResultColumn, rest: ArraySlice<String>
  ) throws(FetchPredicateError) -> FetchPredicate.PropertyPath {
    guard query.columns.allSatisfy({ computes($0, over: collection) }) else {
      throw .unsupported(
        "\(column.name), which is computed of \(collection.relationship.name), beside what is not",
        instead: "fetch the two by two requests")
    }
    if !isJoined {
      let slot = resolver.define(Self.member, as: collection.relationship.destination)
      writer.joinMembers(of: collection, slot: slot)
      isJoined = true
    }
    return FetchPredicate.PropertyPath(Array(rest), variable: Self.member)
  }

  private func computes(_ column: ResultColumn, over collection: ResolvedCollection) -> Bool {
    guard column.aggregate != nil else { return true }
    guard case .path(let path) = column.expression,
      let (other, _) = try? resolver.resolveCollection(path)
    else { return false }
    return other.isSame(as: collection)
  }

  // MARK: - Groups

  /// `  GROUP BY  t0.ZNAME HAVING __var0 > ?`.
  private mutating func groupList() throws(FetchPredicateError) -> String {
    for (index, group) in query.groups.enumerated() {
      writer.append(index == 0 ? " GROUP BY " : ", ")
      let operand = try resolver.operand(group.expression)
      try operand.refuseExternalData("groups by", group)
      writer.appendValue(operand)
    }
    if let having = query.having {
      for column in query.columns where column.aggregate != nil {
        resolver.define(column.name, asResult: alias(of: column.name) ?? "", try kind(of: column))
      }
      writer.append(" HAVING ")
      let resolved = try resolver.resolve(having)
      // A row that has no partner is part of its group, whatever the group's condition.
      writer.withoutConjunction { $0.appendTopLevel(resolved) }
    }
    return writer.takeText()
  }

  private mutating func kind(of column: ResultColumn) throws(FetchPredicateError) -> ValueKind? {
    guard column.aggregate == .min || column.aggregate == .max else { return .number }
    return try operand(of: column).kind
  }

  private mutating func orderList(_ terms: [SortTerm]) throws(FetchPredicateError) -> String {
    for (index, term) in terms.enumerated() {
      writer.append(index == 0 ? " ORDER BY " : ", ")
      if let alias = alias(of: term.keyPath.joined(separator: ".")) {
        writer.append(alias)
        if !term.ascending { writer.append(" DESC") }
      } else {
        try writer.append(term, resolver)
      }
    }
    return writer.takeText()
  }

  private func sortsByAggregate(_ terms: [SortTerm]) -> Bool {
    terms.contains { alias(of: $0.keyPath.joined(separator: ".")) != nil }
  }
}

extension ResolvedOperand {
  fileprivate func refuseExternalData(
    _ use: String, _ column: ResultColumn
  ) throws(FetchPredicateError) {
    guard case .property(_, let property) = self else { return }
    try property.refuseExternalData(use, [column.expression.predicateFormat])
  }
}
