// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension PredicateResolver {
  mutating func resolve(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    guard comparison.quantifier == .direct else { return try resolveQuantified(comparison) }
    switch comparison.comparator {
    case .equal: return try relation(comparison, .equal)
    case .notEqual: return try relation(comparison, .notEqual)
    case .less: return try relation(comparison, .less)
    case .lessOrEqual: return try relation(comparison, .lessOrEqual)
    case .greater: return try relation(comparison, .greater)
    case .greaterOrEqual: return try relation(comparison, .greaterOrEqual)
    case .between: return try between(comparison)
    case .isIn: return try membership(of: comparison.left, in: comparison.right, comparison)
    case .contains:
      if let member = try collectionMember(
        comparison.left, comparison.right, comparison.options)
      {
        return member
      }
      if case .list = comparison.left {
        return try membership(of: comparison.right, in: comparison.left, comparison)
      }
      return try search(comparison, .contains)
    case .beginsWith: return try search(comparison, .beginsWith)
    case .endsWith: return try search(comparison, .endsWith)
    case .like: return try search(comparison, .like)
    case .matches:
      if let search = try textSearch(comparison) { return search }
      return try matches(comparison)
    }
  }

  // MARK: - Equality and order

  mutating func relation(
    _ comparison: FetchPredicate.Comparison, _ operation: RelationalOperator
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    let (left, right) = try operands(comparison)
    let isEquality = operation == .equal || operation == .notEqual
    // Only for a literal nil: a computed nil, such as 1 / 0, is not equal to anything.
    switch (comparison.left, comparison.right) {
    case _ where !isEquality: break
    case (.constant(.null), .constant(.null)): return .always(operation == .equal)
    case (_, .constant(.null)): return operation == .equal ? .isNull(left) : .isNotNull(left)
    case (.constant(.null), _): return operation == .equal ? .isNull(right) : .isNotNull(right)
    default: break
    }
    let folding = folding(comparison, of: left, right)
    guard isEquality else { return order(left, operation, right, folding) }
    return equality(left, operation, right, folding, comparison.options)
  }

  /// An order: by the stored bytes, as an index has it, or by the locale's rules.
  private func order(
    _ left: ResolvedOperand, _ operation: RelationalOperator, _ right: ResolvedOperand,
    _ folding: StringFolding
  ) -> ResolvedPredicate {
    folding.contains(.localized)
      ? .collate(left, operation, right, folding) : .compare(left, operation, right, folding)
  }

  /// "ö" is one scalar or two: the constant is searched in both forms, so that an index is used.
  private func equality(
    _ left: ResolvedOperand, _ operation: RelationalOperator, _ right: ResolvedOperand,
    _ folding: StringFolding, _ options: FetchPredicate.StringOptions
  ) -> ResolvedPredicate {
    for (operand, constant) in [(left, right), (right, left)]
    where folding.isEmpty && operand.constant == nil && !options.contains(.normalized) {
      guard case .constant(.string(let text)) = constant, text.spellings.count > 1 else { continue }
      let isIn = ResolvedPredicate.isIn(operand, text.spellings.map { .string($0) }, [])
      return operation == .equal ? isIn : .not(isIn)
    }
    return .compare(left, operation, right, folding)
  }

  private mutating func between(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    if case .path(let path) = comparison.right { _ = try resolve(path) }
    guard case .list(let bounds) = comparison.right, bounds.count == 2 else {
      throw .unsupported("BETWEEN without two bounds", instead: "write x BETWEEN {low, high}")
    }
    var low = comparison
    low.right = bounds[0]
    var high = comparison
    high.right = bounds[1]
    let (left, lower) = try operands(low)
    let (_, upper) = try operands(high)
    let folding = folding(comparison, of: left, lower)
    guard folding.contains(.localized) else { return .between(left, lower, upper, folding) }
    return .and([
      order(left, .greaterOrEqual, lower, folding), order(left, .lessOrEqual, upper, folding),
    ])
  }

  /// Both sides, the constant ones converted to the kind of the other.
  mutating func operands(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> (ResolvedOperand, ResolvedOperand) {
    let left = try operand(comparison.left)
    let right = try operand(comparison.right)
    switch (left, right) {
    case (.constant(let value), .constant(let other)):
      guard value == .null || other == .null || value.kind == other.kind else {
        throw mismatch(comparison.left, comparison.right, value.kind)
      }
      return (.constant(value.kind.converted(value) ?? value), converted(other))
    case (let operand, .constant(let value)):
      return (operand, try constant(comparison.right, value, like: operand, comparison.left))
    case (.constant(let value), let operand):
      return (try constant(comparison.left, value, like: operand, comparison.right), operand)
    default:
      guard let kind = left.kind, kind == right.kind, kind != .externalData else {
        throw mismatch(comparison.right, comparison.left, left.kind ?? .number)
      }
      return (left, right)
    }
  }

  private func converted(_ value: StoreValue) -> ResolvedOperand {
    .constant(value.kind.converted(value) ?? value)
  }

  func constant(
    _ expression: FetchPredicate.Expression, _ value: StoreValue, like operand: ResolvedOperand,
    _ other: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    let kind = operand.kind ?? value.kind
    guard let converted = kind.converted(value) else { throw mismatch(expression, other, kind) }
    return .constant(converted)
  }

  func mismatch(
    _ expression: FetchPredicate.Expression, _ other: FetchPredicate.Expression, _ kind: ValueKind
  ) -> FetchPredicateError {
    // The value itself may be private; its type is not.
    func name(_ expression: FetchPredicate.Expression) -> String {
      if case .constant(let value) = expression { return value.kind.noun }
      return expression.predicateFormat
    }
    var expected = kind.noun
    if case (.object(let kind), .constant(.object(let id))) = (kind, expression),
      !kind.isFromStore(id)
    {
      expected += " of the same store"
    }
    return .typeMismatch(
      comparison: "\(name(other)) with \(name(expression))",
      expected: "compare it with \(expected)")
  }

  func folding(
    _ comparison: FetchPredicate.Comparison, of operands: ResolvedOperand...
  ) -> StringFolding {
    let options = comparison.options
    let isString = operands.contains { ($0.kind ?? $0.constant?.kind) == .string }
    guard isString, !options.contains(.normalized) else { return [] }
    var folding: StringFolding = []
    if options.contains(.caseInsensitive) { folding.insert(.case) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacritics) }
    if options.contains(.localeSensitive) { folding.insert(.localized) }
    return folding
  }
}

extension StoreValue {
  /// The kind of a constant on its own; that of null is never read.
  var kind: ValueKind {
    switch self {
    case .null, .bool, .integer, .double, .decimal: .number
    case .string, .url: .string
    case .date: .date
    case .data: .data
    case .uuid: .uuid
    case .object(let id): .object(ObjectKind(id))
    case .external: .externalData
    }
  }
}

extension ValueKind {
  var noun: String {
    switch self {
    case .number: "a number"
    case .string: "a string"
    case .date: "a Date"
    case .data: "Data"
    case .uuid: "a UUID"
    case .externalData: "nil, and nothing else: its data may lie in a file"
    case .object(let kind): "an object of \(kind.name)"
    }
  }
}
