// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension FetchPredicate {
  /// The maximum depth that the resolver accepts: nested predicates and expressions.
  private static let levelLimit = 600

  /// Refuses a predicate that would overflow the stack of whatever walks through it.
  func checkDepth() throws(FetchPredicateError) {
    guard !isDeeper(than: Self.levelLimit) else {
      throw .tooDeep(limit: PredicateResolver.depthLimit)
    }
  }

  /// Descends this many levels at most.
  fileprivate func isDeeper(than levels: Int) -> Bool {
    guard levels > 0 else { return true }
    switch self {
    case .always: return false
    case .not(let term): return term.isDeeper(than: levels - 1)
    case .and(let terms), .or(let terms):
      return terms.contains { $0.isDeeper(than: levels - 1) }
    case .comparison(let comparison):
      return comparison.left.isDeeper(than: levels - 1)
        || comparison.right.isDeeper(than: levels - 1)
    }
  }
}

extension FetchPredicate.Expression {
  fileprivate func isDeeper(than levels: Int) -> Bool {
    guard levels > 0 else { return true }
    switch self {
    // Each fetch is checked: nothing is allocated for most.
    case .constant, .path: return false
    case .subquery(let query): return query.predicate.isDeeper(than: levels - 1)
    default: return parts.contains { $0.isDeeper(than: levels - 1) }
    }
  }
}

extension PredicateResolver {
  /// SQLite's time grows with the square of their number: 0.6 s for this many.
  static let termLimit = 10_000
  /// Up to this many terms are written individually: SQLite compiles them in 0.2 s.
  static let plainTerms = 5_000

  /// The terms of an OR, many equal comparisons of a property as one IN; of an AND, unequal ones as
  /// one NOT IN.
  ///
  ///     identifier == 1 OR identifier == 2 OR …   →   identifier IN {1, 2, …}
  static func merged(_ terms: [ResolvedPredicate], isOr: Bool) -> [ResolvedPredicate] {
    guard terms.reduce(0, { $0 + $1.chain(isOr).count }) > plainTerms else { return terms }
    let terms = terms.flatMap { $0.chain(isOr) }
    var merged: [ResolvedPredicate] = []
    var indices: [MembershipKey: Int] = [:]
    var values: [[StoreValue]] = []
    var lists: [(index: Int, operand: ResolvedOperand, folding: StringFolding)] = []
    for term in terms {
      guard let (key, operand, list, folding) = term.membership(isNegated: !isOr) else {
        merged.append(term)
        continue
      }
      if let index = indices[key] {
        values[index] += list
      } else {
        indices[key] = lists.count
        lists.append((merged.count, operand, folding))
        values.append(list)
        merged.append(term)
      }
    }
    for (list, values) in zip(lists, values) {
      let isIn = ResolvedPredicate.isIn(list.operand, values, list.folding)
      merged[list.index] = isOr ? isIn : .not(isIn)
    }
    return merged
  }
}

/// The property that is compared with a list of values.
private struct MembershipKey: Hashable {
  let slot: Int
  let steps: [ObjectIdentifier]
  let property: ObjectIdentifier
  let folding: UInt32
}

extension ResolvedPredicate {
  /// The number of conditions that SQLite has to compile.
  var termCount: Int {
    switch self {
    case .and(let terms), .or(let terms): terms.reduce(0) { $0 + $1.termCount }
    case .not(let term), .isNotTrue(let term): term.termCount
    case .exists(_, _, let member): 1 + member.termCount
    default: 1
    }
  }

  /// Its terms, if it is a group of the same operator.
  fileprivate func chain(_ isOr: Bool) -> [ResolvedPredicate] {
    switch self {
    case .or(let terms) where isOr: terms
    case .and(let terms) where !isOr: terms
    default: [self]
    }
  }

  /// `x = 1` and `x IN {1, 2}`, or with a NOT around them, as lists of values of a property.
  fileprivate func membership(
    isNegated: Bool
  ) -> (MembershipKey, ResolvedOperand, [StoreValue], StringFolding)? {
    switch self {
    case .compare(let left, let operation, let right, let folding)
    where operation == (isNegated ? .notEqual : .equal):
      if case .constant(let value) = right, value != .null, let key = left.key(folding) {
        return (key, left, [value], folding)
      }
      guard case .constant(let value) = left, value != .null, let key = right.key(folding) else {
        return nil
      }
      return (key, right, [value], folding)
    case .isIn(let operand, let values, let folding) where !isNegated && !values.isEmpty:
      return operand.key(folding).map { ($0, operand, values, folding) }
    case .not(.isIn(let operand, let values, let folding)) where isNegated && !values.isEmpty:
      return operand.key(folding).map { ($0, operand, values, folding) }
    default: return nil
    }
  }
}

extension ResolvedOperand {
  fileprivate func key(_ folding: StringFolding) -> MembershipKey? {
    guard case .property(let path, let property) = self else { return nil }
    let object: AnyObject =
      switch property {
      case .attribute(let attribute): attribute
      case .toOne(let relationship): relationship
      case .object(let entity): entity
      }
    return MembershipKey(
      slot: path.slot, steps: path.steps.map(ObjectIdentifier.init),
      property: ObjectIdentifier(object), folding: UInt32(folding.rawValue))
  }
}
