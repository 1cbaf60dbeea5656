// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension PredicateResolver {
  mutating func membership(
    of element: FetchPredicate.Expression, in list: FetchPredicate.Expression,
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    if let member = try collectionMember(list, element, comparison.options) { return member }
    guard case .list(let elements) = list else {
      // As in Core Data, a string IN a string means that it is a substring.
      var search = comparison
      (search.left, search.right) = (list, element)
      return try self.search(search, .contains)
    }
    let operand = try self.operand(element)
    let folding = folding(comparison, of: operand)
    let isSpelled = folding.isEmpty && !comparison.options.contains(.normalized)
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
      guard value.asStored != .null,
        case .constant(let converted) = try constant(expression, value, like: operand, element)
      else { continue }
      if isSpelled, case .string(let text) = converted {
        values += text.spellings.map { .string($0) }
      } else {
        values.append(converted)
      }
    }
    let isIn = ResolvedPredicate.isIn(operand, values, folding)
    return others.isEmpty ? isIn : .or([isIn] + others)
  }

  /// `stops CONTAINS object`, or nil if the left side is not a to-many relationship.
  mutating func collectionMember(
    _ list: FetchPredicate.Expression, _ element: FetchPredicate.Expression,
    _ options: FetchPredicate.StringOptions
  ) throws(FetchPredicateError) -> ResolvedPredicate? {
    guard case .path(let path) = list, try resolveCollection(path) != nil else { return nil }
    return try resolveQuantified(
      .init(list, .equal, element, options: options, quantifier: .any))
  }

  /// ANY is EXISTS; ALL is that none exists for which the comparison is false or not known.
  mutating func resolveQuantified(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    guard let (collection, path, rest) = try firstCollection(in: comparison.left) else {
      if case .path(let path) = comparison.left {
        _ = try resolve(path)  // names what is unknown
        throw .notToMany(path.names.last ?? "SELF", path: path.predicateFormat)
      }
      throw .unsupported(
        "\(comparison.quantifier.rawValue) of a value without a to-many relationship",
        instead: "write \(comparison.quantifier.rawValue) relationship.property …")
    }
    let isAll = comparison.quantifier == .all
    let variable = memberVariable
    let slot = open(collection, as: variable)
    defer { close() }
    var member = comparison
    member.left = comparison.left.replacing(path, rest, by: variable)
    if member.left == .path(.init(variable: variable)), member.right == .constant(.null),
      member.comparator == .equal, !isAll
    {
      throw .unsupported(
        "ANY \(path.predicateFormat) == nil",
        instead: "a to-many relationship holds no nil; write \(path.predicateFormat).@count == 0 "
          + "for objects without any")
    }
    // A second to-many relationship, after the first one.
    if try firstCollection(in: member.left) == nil { member.quantifier = .direct }
    let predicate = try resolve(member)
    guard isAll else { return .exists(collection, slot: slot, predicate) }
    return .not(.exists(collection, slot: slot, .isNotTrue(predicate)))
  }

  /// The first path over a to-many relationship, cut after it.
  private func firstCollection(
    in expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> (ResolvedCollection, FetchPredicate.PropertyPath, Int)? {
    switch expression {
    case .path(let path):
      guard let (collection, rest) = try resolveCollection(path) else { return nil }
      var prefix = path
      prefix.names.removeLast(rest.count)
      return (collection, prefix, prefix.names.count)
    case .collection: return nil
    default:
      for part in expression.parts {
        if let found = try firstCollection(in: part) { return found }
      }
      return nil
    }
  }
}

extension FetchPredicate.Expression {
  /// The expression with `variable` instead of the first `count` names of each path like `prefix`.
  fileprivate func replacing(
    _ prefix: FetchPredicate.PropertyPath, _ count: Int, by variable: String
  ) -> Self {
    switch self {
    case .path(let path):
      guard path.variable == prefix.variable, path.names.starts(with: prefix.names) else {
        return self
      }
      return .path(.init(Array(path.names[count...]), variable: variable))
    case .collection: return self
    default: return replacingParts { $0.replacing(prefix, count, by: variable) }
    }
  }
}
