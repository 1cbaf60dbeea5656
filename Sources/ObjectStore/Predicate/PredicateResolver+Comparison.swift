// SPDX-License-Identifier: Apache-2.0

extension PredicateResolver {
  mutating func resolve(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    switch comparison.quantifier {
    case .direct: break
    case .any: return try resolveAny(comparison)
    case .all:
      throw .unsupported(
        "ALL", instead: "write NOT ANY … with the opposite comparison, or SUBQUERY(…).@count == 0")
    }
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
      if let member = try collectionMember(comparison.left, comparison.right) { return member }
      if case .list = comparison.left {
        return try membership(of: comparison.right, in: comparison.left, comparison)
      }
      return try search(comparison, .contains)
    case .beginsWith: return try search(comparison, .beginsWith)
    case .endsWith: return try search(comparison, .endsWith)
    case .like: return try search(comparison, .like)
    case .matches:
      throw .unsupported("MATCHES", instead: "use LIKE, BEGINSWITH or CONTAINS")
    }
  }

  // MARK: - Equality and order

  private mutating func relation(
    _ comparison: FetchPredicate.Comparison, _ operation: RelationalOperator
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    let (left, right) = try operands(comparison)
    if operation == .equal || operation == .notEqual {
      switch (left, right) {
      case (.constant(.null), .constant(.null)): return .always(operation == .equal)
      case (let operand, .constant(.null)), (.constant(.null), let operand):
        return operation == .equal ? .isNull(operand) : .isNotNull(operand)
      default: break
      }
    }
    return .compare(left, operation, right, try folding(comparison, of: left, right))
  }

  private mutating func between(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    guard case .list(let bounds) = comparison.right, bounds.count == 2 else {
      throw .unsupported("BETWEEN without two bounds", instead: "write x BETWEEN {low, high}")
    }
    var low = comparison
    low.right = bounds[0]
    var high = comparison
    high.right = bounds[1]
    let (left, lower) = try operands(low)
    let (_, upper) = try operands(high)
    return .between(left, lower, upper, try folding(comparison, of: left, lower))
  }

  /// Both sides, the constant ones converted to the kind of the other.
  private mutating func operands(
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
      guard let kind = left.kind, kind == right.kind else {
        throw mismatch(comparison.right, comparison.left, left.kind ?? .number)
      }
      return (left, right)
    }
  }

  private func converted(_ value: StoreValue) -> ResolvedOperand {
    .constant(value.kind.converted(value) ?? value)
  }

  private func constant(
    _ expression: FetchPredicate.Expression, _ value: StoreValue, like operand: ResolvedOperand,
    _ other: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    let kind = operand.kind ?? value.kind
    guard let converted = kind.converted(value) else { throw mismatch(expression, other, kind) }
    return .constant(converted)
  }

  private func mismatch(
    _ expression: FetchPredicate.Expression, _ other: FetchPredicate.Expression, _ kind: ValueKind
  ) -> FetchPredicateError {
    // The value itself may be private; its type is not.
    func name(_ expression: FetchPredicate.Expression) -> String {
      if case .constant(let value) = expression { return value.kind.noun }
      return expression.predicateFormat
    }
    return .typeMismatch(
      comparison: "\(name(other)) with \(name(expression))",
      expected: "compare it with \(kind.noun)")
  }

  private func folding(
    _ comparison: FetchPredicate.Comparison, of operands: ResolvedOperand...
  ) throws(FetchPredicateError) -> StringFolding {
    let options = comparison.options
    guard !options.contains(.localeSensitive) else {
      throw .unsupported(
        "\(comparison.comparator.rawValue)[l]", instead: "use [cd], which needs no locale")
    }
    let isString = operands.contains { operand in
      if case .constant(let value) = operand { return value.kind == .string }
      return operand.kind == .string
    }
    guard isString, !options.contains(.normalized) else { return [] }
    var folding: StringFolding = []
    if options.contains(.caseInsensitive) { folding.insert(.case) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacritics) }
    return folding
  }

  // MARK: - Collections and strings

  private mutating func membership(
    of element: FetchPredicate.Expression, in list: FetchPredicate.Expression,
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    if let member = try collectionMember(list, element) { return member }
    guard case .list(let elements) = list else {
      // As in Core Data, a string IN a string is a part of it.
      var search = comparison
      (search.left, search.right) = (list, element)
      return try self.search(search, .contains)
    }
    let operand = try self.operand(element)
    var values: [StoreValue] = []
    var others: [ResolvedPredicate] = []
    for expression in elements {
      guard case .constant(let value) = expression else {
        var equation = comparison
        (equation.left, equation.right) = (element, expression)
        others.append(try relation(equation, .equal))
        continue
      }
      if value == .null { others.append(.isNull(operand)) }
      if case .double(let number) = value, number.isNaN { continue }
      guard value != .null else { continue }
      guard case .constant(let converted) = try constant(expression, value, like: operand, element)
      else { continue }
      values.append(converted)
    }
    let isIn = ResolvedPredicate.isIn(operand, values, try folding(comparison, of: operand))
    return others.isEmpty ? isIn : .or([isIn] + others)
  }

  /// `stops CONTAINS object`, or nil where the left side is no to-many relationship.
  private mutating func collectionMember(
    _ list: FetchPredicate.Expression, _ element: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedPredicate? {
    guard case .path(let path) = list, let (collection, rest) = try resolveCollection(path) else {
      return nil
    }
    let member = FetchPredicate.Comparison(
      .path(.init(Array(rest), variable: Self.anyVariable)), .equal, element)
    return try exists(collection, member)
  }

  private mutating func resolveAny(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    guard case .path(let path) = comparison.left else {
      throw .unsupported("ANY of a computed value", instead: "write ANY relationship.property …")
    }
    guard let (collection, rest) = try resolveCollection(path) else {
      _ = try resolve(path)  // names what is unknown
      throw .notToMany(path.names.last ?? "SELF", path: path.predicateFormat)
    }
    var member = comparison
    member.quantifier = .direct
    member.left = .path(.init(Array(rest), variable: Self.anyVariable))
    return try exists(collection, member)
  }

  /// The variable of ANY; no format can name it.
  private static var anyVariable: String { "ANY " }

  private mutating func exists(
    _ collection: ResolvedCollection, _ member: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    let (slot, predicate) = try resolve(
      .comparison(member), over: collection, variable: Self.anyVariable)
    return .exists(collection, slot: slot, predicate)
  }

  private mutating func search(
    _ comparison: FetchPredicate.Comparison, _ kind: StringSearch.Kind
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    let (text, pattern) = try operands(comparison)
    for case (let operand, let expression) in [
      (text, comparison.left), (pattern, comparison.right),
    ] {
      if case .constant(let value) = operand, value == .null || value.kind == .string { continue }
      guard operand.kind == .string else {
        throw mismatch(.constant(.string("")), expression, operand.kind ?? .string)
      }
    }
    if case .constant(.null) = pattern { return .compare(text, .equal, pattern, []) }
    return .search(text, kind, pattern, try folding(comparison, of: text, pattern))
  }
}

extension StoreValue {
  /// The kind of a constant on its own; that of null is never asked.
  var kind: ValueKind {
    switch self {
    case .null, .bool, .integer, .double: .number
    case .string, .url: .string
    case .date: .date
    case .data: .data
    case .uuid: .uuid
    case .object(let id): .object(id.entityName)
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
    case .object(let entity): "an object of \(entity)"
    }
  }
}
