// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The parts of a SELECT of a fetch.
struct SelectRequest {
  enum Result {
    case objects, objectIDs, count
  }

  var result = Result.objects
  var predicate: FetchPredicate?
  var includesSubentities = true
  var terms: [SortTerm] = []
  var limit = 0
  var offset = 0

  func statement(
    of entity: EntityDescription
  ) throws(FetchPredicateError) -> SelectStatement {
    switch result {
    case .objects:
      try .objects(
        of: entity, where: predicate, includingSubentities: includesSubentities, sortedBy: terms,
        limit: limit, offset: offset)
    case .objectIDs:
      try .objectIDs(
        of: entity, where: predicate, includingSubentities: includesSubentities, sortedBy: terms,
        limit: limit, offset: offset)
    case .count:
      try .count(
        of: entity, where: predicate, includingSubentities: includesSubentities, limit: limit,
        offset: offset)
    }
  }

  /// Whether another request differs only in values of the same ``StoreValue/form``; adds the
  /// other's values.
  func hasForm(of other: SelectRequest, _ values: inout [StoreValue]) -> Bool {
    guard result == other.result, limit == other.limit, offset == other.offset,
      includesSubentities == other.includesSubentities, terms == other.terms
    else { return false }
    switch (predicate, other.predicate) {
    case (nil, nil): return true
    case (let predicate?, let other?): return predicate.hasForm(of: other, &values)
    default: return false
    }
  }
}

extension FetchPredicate {
  // A predicate of more terms is made by a program, and another one each time.
  private static let maxTerms = 32

  /// Whether another predicate differs in values only.
  ///
  /// False for functions, arithmetic and subqueries, whose SQL may depend on values.
  fileprivate func hasForm(of other: FetchPredicate, _ values: inout [StoreValue]) -> Bool {
    switch (self, other) {
    case (.always(let value), .always(let otherValue)): return value == otherValue
    case (.and(let terms), .and(let others)), (.or(let terms), .or(let others)):
      guard terms.count == others.count, terms.count <= Self.maxTerms else { return false }
      for index in terms.indices where !terms[index].hasForm(of: others[index], &values) {
        return false
      }
      return true
    case (.not(let term), .not(let other)): return term.hasForm(of: other, &values)
    case (.comparison(let comparison), .comparison(let other)):
      return comparison.hasForm(of: other, &values)
    default: return false
    }
  }

  /// The same with unique values.
  func replacingValues(_ probes: inout ProbeValues) -> FetchPredicate {
    switch self {
    case .always: return self
    case .and(let terms): return .and(terms.map { $0.replacingValues(&probes) })
    case .or(let terms): return .or(terms.map { $0.replacingValues(&probes) })
    case .not(let term): return .not(term.replacingValues(&probes))
    case .comparison(var comparison):
      comparison.left = comparison.left.replacingValues(&probes)
      comparison.right = comparison.right.replacingValues(&probes)
      return .comparison(comparison)
    }
  }
}

extension FetchPredicate.Comparison {
  fileprivate func hasForm(of other: Self, _ values: inout [StoreValue]) -> Bool {
    comparator == other.comparator && options == other.options
      && quantifier == other.quantifier
      // A pattern is compiled, a search for words is parsed, and a folded value is bound folded.
      && comparator != .matches && options.isSubset(of: .normalized)
      && left.hasForm(of: other.left, &values) && right.hasForm(of: other.right, &values)
  }
}

extension FetchPredicate.Expression {
  fileprivate func hasForm(of other: Self, _ values: inout [StoreValue]) -> Bool {
    switch (self, other) {
    case (.path(let path), .path(let other)): return path == other
    case (.constant(let value), .constant(let other)):
      guard let form = other.form else { return false }
      if form == .exact { return value == other }
      guard value.form == form else { return false }
      values.append(other)
      return true
    case (.list(let elements), .list(let others)):
      guard elements.count == others.count, elements.count <= SQLWriter.maxPlaceholders else {
        return false
      }
      for index in elements.indices where !elements[index].hasForm(of: others[index], &values) {
        return false
      }
      return true
    default: return false
    }
  }

  fileprivate func replacingValues(_ probes: inout ProbeValues) -> Self {
    switch self {
    case .constant(let value): return .constant(probes.next(like: value))
    case .list(let elements): return .list(elements.map { $0.replacingValues(&probes) })
    default: return self
    }
  }
}

extension StoreValue {
  /// Values of one form lead to the same SQL, and are bound in the same way.
  fileprivate enum Form {
    case integer, double, date, string
    /// Only equal values match.
    case exact
  }

  /// Nil for a value that needs its SQL written each time.
  fileprivate var form: Form? {
    switch self {
    case .null, .bool: .exact
    case .integer: .integer
    case .double(let number): number.isFinite ? .double : nil
    case .date(let date): date.timeIntervalSinceReferenceDate.isFinite ? .date : nil
    // Other letters may have two spellings, which are both looked for.
    case .string(let text):
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0 && $0 < 0x7f } ? .string : nil
    default: nil
    }
  }
}

/// Values that are in no request.
struct ProbeValues {
  /// The values to bind, in the order of the predicate.
  private(set) var values: [StoreValue] = []

  fileprivate mutating func next(like value: StoreValue) -> StoreValue {
    let number = values.count
    let probe: StoreValue
    switch value.form {
    case .integer: probe = .integer(8_070_605_040_302_010 + Int64(number))
    case .double: probe = .double(807_060_504_030.25 + Double(number))
    case .date: probe = .date(Date(timeIntervalSinceReferenceDate: 80_706_050.5 + Double(number)))
    // Upper case, so that folding it makes another one.
    case .string: probe = .string("PROBE \(number) OF A TEMPLATE")
    default: return value
    }
    values.append(probe)
    return probe
  }
}
