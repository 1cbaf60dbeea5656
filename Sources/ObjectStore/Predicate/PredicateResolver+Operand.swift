// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension PredicateResolver {
  /// 400 is arbitrary: SQLite takes 1000 for the whole statement.
  private static var expressionDepthLimit: Int { 400 }

  mutating func operand(
    _ expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    expressionDepth += 1
    defer { expressionDepth -= 1 }
    guard expressionDepth <= Self.expressionDepthLimit else {
      throw .tooDeep(limit: Self.expressionDepthLimit)
    }
    switch expression {
    case .constant(let value): return .constant(value)
    case .path(let path):
      if let result = result(path) { return result }
      let (resolved, property) = try resolve(path)
      return .property(resolved, property)
    case .collection(let operation, let base, let property):
      return try collection(operation, of: base, property, in: expression)
    case .subquery:
      throw .unsupported(
        "SUBQUERY as a value", instead: "write SUBQUERY(…).@count and compare that")
    case .list:
      throw .unsupported("a list on its own", instead: "write it on the right of IN or BETWEEN")
    case .arithmetic(let operation, let left, let right):
      return try compute(PredicateFunction(operation), [left, right], in: expression)
    case .function(let name, let arguments):
      return try function(name, arguments, in: expression)
    }
  }

  private mutating func collection(
    _ operation: FetchPredicate.CollectionOperator, of base: FetchPredicate.Expression,
    _ property: [String], in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    var path: FetchPredicate.PropertyPath
    var subquery: FetchPredicate.Subquery?
    switch base {
    case .path(let base): path = base
    case .subquery(let query): (path, subquery) = (query.collection, query)
    default:
      throw .unsupported(
        expression.predicateFormat,
        instead: "write the operator after a to-many relationship or SUBQUERY(…)")
    }
    guard let (collection, rest) = try resolveCollection(path) else {
      _ = try resolve(path)  // names what is unknown
      throw .notToMany(path.names.last ?? "SELF", path: path.predicateFormat)
    }
    // `stopTimes.departureTime.@max` is as good as `stopTimes.@max.departureTime`.
    guard rest.isEmpty || (operation != .count && subquery == nil && property.isEmpty) else {
      throw .unsupported(
        path.predicateFormat,
        instead: "count the objects of \(collection.relationship.name), its to-many relationship")
    }
    if operation == .count { return try count(collection, subquery, property, expression) }
    return .aggregate(
      try aggregate(operation, collection, subquery, property + rest, in: expression))
  }

  private mutating func count(
    _ collection: ResolvedCollection, _ subquery: FetchPredicate.Subquery?, _ property: [String],
    _ expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    guard property.isEmpty else {
      throw .unsupported(expression.predicateFormat, instead: "end the key path at @count")
    }
    guard let subquery else { return .count(collection, slot: -1, where: nil) }
    let (slot, predicate) = try resolve(
      subquery.predicate, over: collection, variable: subquery.variable)
    return .count(collection, slot: slot, where: predicate)
  }

  private mutating func aggregate(
    _ operation: FetchPredicate.CollectionOperator, _ collection: ResolvedCollection,
    _ subquery: FetchPredicate.Subquery?, _ property: [String],
    in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedAggregate {
    let variable = subquery?.variable ?? memberVariable
    let slot = open(collection, as: variable)
    defer { close() }
    let value = try operand(.path(.init(property, variable: variable)))
    switch value.kind {
    case .number: break
    case .string where operation == .min || operation == .max: break
    case .date where operation == .min || operation == .max: break
    default:
      throw .typeMismatch(
        comparison: expression.predicateFormat,
        expected: operation == .min || operation == .max
          ? "name an attribute with numbers, strings or Dates after @\(operation.rawValue)"
          : "name an attribute with numbers after @\(operation.rawValue)")
    }
    var predicate: ResolvedPredicate?
    if let subquery { predicate = try resolve(subquery.predicate) }
    return ResolvedAggregate(
      operation: operation, collection: collection, slot: slot, value: value, predicate: predicate)
  }
}
