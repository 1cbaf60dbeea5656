// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// The predicate with values instead of `$name`, so that one format serves many fetches.
  ///
  ///     let near = try FetchPredicate("longitude BETWEEN {$west, $east} AND identifier IN $ids")
  ///     request.predicate = try near.withSubstitutionVariables(
  ///       ["west": 13.3, "east": 13.4, "ids": [1, 2]])
  ///     // WHERE ((t0.ZLONGITUDE Between ? AND ?) AND  t0.ZIDENTIFIER IN (?, ?))
  ///
  /// Nil represents `nil`. A variable without a value remains, for a later substitution; a fetch
  /// refuses it. The variable of a SUBQUERY is local to it.
  ///
  /// - Throws: ``FetchPredicateError/unsupported(_:instead:)`` for a key path after a variable that
  ///   gets a value, such as `$stop.name`.
  public func withSubstitutionVariables(
    _ values: [String: (any PredicateArgument)?]
  ) throws(FetchPredicateError) -> FetchPredicate {
    try checkDepth()
    return try substituting(values.mapValues { $0?.predicateExpression ?? .constant(.null) })
  }

  fileprivate func substituting(
    _ values: [String: Expression]
  ) throws(FetchPredicateError) -> FetchPredicate {
    switch self {
    case .always: return self
    case .and(let terms):
      return .and(
        try terms.map { term throws(FetchPredicateError) in try term.substituting(values) })
    case .or(let terms):
      return .or(
        try terms.map { term throws(FetchPredicateError) in try term.substituting(values) })
    case .not(let term): return .not(try term.substituting(values))
    case .comparison(var comparison):
      comparison.left = try comparison.left.substituting(values)
      comparison.right = try comparison.right.substituting(values)
      return .comparison(comparison)
    }
  }
}

extension FetchPredicate.Expression {
  fileprivate func substituting(
    _ values: [String: Self]
  ) throws(FetchPredicateError) -> Self {
    switch self {
    case .path(let path): return try path.value(in: values) ?? self
    case .subquery(var query):
      _ = try query.collection.value(in: values)
      var inner = values
      inner[query.variable] = nil
      query.predicate = try query.predicate.substituting(inner)
      return .subquery(query)
    default:
      return try replacingParts { part throws(FetchPredicateError) in
        try part.substituting(values)
      }
    }
  }
}

extension FetchPredicate.PropertyPath {
  fileprivate func value(
    in values: [String: FetchPredicate.Expression]
  ) throws(FetchPredicateError) -> FetchPredicate.Expression? {
    guard let variable, let value = values[variable] else { return nil }
    guard names.isEmpty else {
      throw .unsupported(
        predicateFormat, instead: "pass that value as a separate variable")
    }
    return value
  }
}
