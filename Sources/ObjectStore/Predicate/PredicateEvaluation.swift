// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreFunctions

/// Evaluates a resolved predicate over objects in memory, in SQL's logic of three values: nil is
/// SQL's NULL, neither true nor false.
struct PredicateEvaluation {
  /// By slot.
  private var objects: [any PredicateSource]
  /// The reason why a match was stopped; the result is then invalid.
  private(set) var failure: FetchPredicateError?

  init(_ object: any PredicateSource) { objects = [object] }

  mutating func evaluate(_ predicate: ResolvedPredicate) -> Bool? {
    switch predicate {
    case .always(let value): return value
    case .and(let terms): return combine(terms, decidedBy: false)
    case .or(let terms): return combine(terms, decidedBy: true)
    case .not(let term): return evaluate(term).map { !$0 }
    case .isNotTrue(let term): return evaluate(term) != true
    case .isNull(let operand): return value(operand) == .null
    case .isNotNull(let operand): return value(operand) != .null
    case .compare(let left, let operation, let right, let folding):
      return value(left).order(to: value(right), folding).map(operation.holds)
    case .collate(let left, let operation, let right, let folding):
      guard case .string(let a) = value(left), case .string(let b) = value(right) else {
        return nil
      }
      return operation.holds(folding.localizedOrder(a, b))
    case .between(let operand, let low, let high, let folding):
      let value = value(operand)
      let isAbove = value.order(to: self.value(low), folding).map { $0 >= 0 }
      let isBelow = value.order(to: self.value(high), folding).map { $0 <= 0 }
      if isAbove == false || isBelow == false { return false }
      return isAbove == nil || isBelow == nil ? nil : true
    case .isIn(let operand, let values, let folding):
      guard !values.isEmpty else { return false }
      let value = value(operand)
      return value == .null ? nil : values.contains { value.order(to: $0.asStored, folding) == 0 }
    case .search(let text, let kind, let pattern, let folding):
      guard case .string(let string) = value(text), case .string(let pattern) = value(pattern)
      else { return nil }
      return StringSearch(kind, pattern, folding).matches(string)
    case .matches(let text, let pattern, let folding, let compiled):
      return matches(text, pattern, folding, compiled)
    case .matchesIndex(let operand, let search): return matches(operand, search)
    case .exists(let collection, let slot, let member):
      return members(collection).contains { evaluate(member, slot, $0) }
    }
  }

  private mutating func combine(_ terms: [ResolvedPredicate], decidedBy decision: Bool) -> Bool? {
    var isKnown = true
    for term in terms {
      switch evaluate(term) {
      case decision: return decision
      case nil: isKnown = false
      default: break
      }
    }
    return isKnown ? !decision : nil
  }

  private mutating func evaluate(
    _ predicate: ResolvedPredicate, _ slot: Int, _ object: any PredicateSource
  ) -> Bool {
    enter(slot, object)
    return evaluate(predicate) == true
  }

  private mutating func enter(_ slot: Int, _ object: any PredicateSource) {
    while objects.count <= slot { objects.append(object) }
    objects[slot] = object
  }

  private mutating func matches(
    _ text: ResolvedOperand, _ pattern: ResolvedOperand, _ folding: StringFolding,
    _ compiled: RegularExpression?
  ) -> Bool? {
    guard case .string(let string) = value(text), case .string(let pattern) = value(pattern) else {
      return nil
    }
    do throws(RegularExpression.Failure) {
      if let compiled { return try compiled.matches(string) }
      return try RegularExpression(pattern, folding).matches(string)
    } catch {
      failure = .regularExpression(error.description)
      return nil
    }
  }

  private mutating func matches(_ operand: ResolvedOperand, _ search: TextSearch) -> Bool? {
    guard case .property(let path, let property) = operand, var object = object(path) else {
      return nil
    }
    if case .toOne(let relationship) = property {
      guard let destination = object.predicateObject(of: relationship) else { return nil }
      object = destination
    }
    do throws(FetchPredicateError) {
      return try search.matches(object)
    } catch {
      failure = error
      return nil
    }
  }

  // MARK: - Values

  private mutating func value(_ operand: ResolvedOperand) -> StoreValue {
    switch operand {
    case .constant(let value): return value.asStored
    case .property(let path, let property):
      guard let object = object(path) else { return .null }
      switch property {
      case .attribute(let attribute):
        let value = object.predicateValue(of: attribute).asStored
        // A column keeps a whole number as an integer, which has no negative zero.
        return value == .double(0) ? .double(0) : value
      case .object: return .object(object.predicateObjectID)
      case .toOne(let relationship):
        let destination = object.predicateObject(of: relationship)
        return destination.map { .object($0.predicateObjectID) } ?? .null
      }
    case .count(let collection, let slot, let predicate):
      let members = members(collection)
      guard let predicate else { return .integer(Int64(members.count)) }
      return .integer(Int64(members.count { evaluate(predicate, slot, $0) }))
    case .aggregate(let aggregate): return value(aggregate).asStored
    case .function(let function, let arguments, let kind):
      return function.value(of: arguments.map { value($0) }).cast(as: kind).asStored
    case .cast(let operand, let kind): return value(operand).cast(as: kind).asStored
    case .unindexed(let operand): return value(operand)
    // A property of a group, which no object has.
    case .result: return .null
    }
  }

  /// Like SQLite's `total`, `avg`, `min` and `max`: nil is ignored.
  private mutating func value(_ aggregate: ResolvedAggregate) -> StoreValue {
    var values: [StoreValue] = []
    for member in members(aggregate.collection) {
      if let predicate = aggregate.predicate, !evaluate(predicate, aggregate.slot, member) {
        continue
      }
      enter(aggregate.slot, member)
      let value = value(aggregate.value)
      if value != .null { values.append(value) }
    }
    let sum = { values.compactMap(PredicateNumber.init).reduce(0) { $0 + $1.double } }
    switch aggregate.operation {
    case .count: return .integer(Int64(values.count))
    case .sum: return .double(sum())
    case .avg: return values.isEmpty ? .null : .double(sum() / Double(values.count))
    case .min: return values.min { ($0.order(to: $1) ?? 0) < 0 } ?? .null
    case .max: return values.max { ($0.order(to: $1) ?? 0) < 0 } ?? .null
    }
  }

  private func object(_ path: ResolvedPath) -> (any PredicateSource)? {
    var object: (any PredicateSource)? = objects[path.slot]
    for step in path.steps { object = object?.predicateObject(of: step) }
    return object
  }

  private func members(_ collection: ResolvedCollection) -> [any PredicateSource] {
    object(collection.path)?.predicateObjects(of: collection.relationship) ?? []
  }
}

extension RelationalOperator {
  /// - Parameter order: below, at or above 0, as the left side is to the right one.
  fileprivate func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

extension StoreValue {
  /// The value as a column returns it: SQLite stores NaN as NULL, a Bool as 0 or 1, a URL as its
  /// text.
  var asStored: StoreValue {
    switch self {
    case .double(let number) where number.isNaN: .null
    case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: .null
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .decimal(let decimal): decimal.columnValue
    case .url(let url): .string(url.absoluteString)
    default: self
    }
  }

  /// Below, at or above 0, as SQLite orders two values of one kind; nil where one is null.
  ///
  /// Strings compare by their UTF-8 bytes, which is the order of their scalars. So "ö" of one
  /// scalar and "ö" of two differ, in SQL and here; a constant is resolved into both spellings.
  func order(to other: StoreValue, _ folding: StringFolding = []) -> Int? {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): Self.order(a, b)
    case (.double(let a), .double(let b)): Self.order(a, b)
    case (.integer(let a), .double(let b)): PredicateNumber.order(a, b)
    case (.double(let a), .integer(let b)): -PredicateNumber.order(b, a)
    case (.date(let a), .date(let b)): Self.order(a, b)
    case (.string(let a), .string(let b)):
      Self.order(folding.folded(a).utf8, folding.folded(b).utf8)
    case (.data(let a), .data(let b)): Self.order(a, b)
    case (.uuid(let a), .uuid(let b)):
      withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { Self.order(a, $0) } }
    case (.object(let a), .object(let b)): Self.order(a.primaryKey, b.primaryKey)
    default: nil
    }
  }

  private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
    a < b ? -1 : a > b ? 1 : 0
  }

  private static func order(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
    if a.elementsEqual(b) { return 0 }
    return a.lexicographicallyPrecedes(b) ? -1 : 1
  }
}
