// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// The predicate with the terms of each AND and OR by rising cost, and the terms that moved, with
  /// the reason.
  ///
  ///     name CONTAINS[cd] "zoo" AND longitude > 13   →   longitude > 13 AND name CONTAINS[cd] "zoo"
  ///
  /// Nil if the cheap terms are already first, or if the predicate does not fit the entity. SQLite
  /// evaluates the terms in order, except for terms that an index serves. Terms inside a SUBQUERY
  /// keep their order. The reason names properties, and no values.
  func reordered(
    for entity: EntityDescription
  ) -> (predicate: FetchPredicate, reason: String)? {
    var reasons: [String] = []
    let predicate = reordered(for: entity, &reasons)
    return reasons.isEmpty ? nil : (predicate, reasons.joined(separator: "; "))
  }

  private func reordered(for entity: EntityDescription, _ reasons: inout [String])
    -> FetchPredicate
  {
    switch self {
    case .always, .comparison: self
    case .not(let term): .not(term.reordered(for: entity, &reasons))
    case .and(let terms): .and(Self.reordered(terms, for: entity, &reasons))
    case .or(let terms): .or(Self.reordered(terms, for: entity, &reasons))
    }
  }

  private static func reordered(
    _ terms: [FetchPredicate], for entity: EntityDescription, _ reasons: inout [String]
  ) -> [FetchPredicate] {
    let terms = terms.map { $0.reordered(for: entity, &reasons) }
    let costs = terms.compactMap { term -> TermCost? in
      var resolver = PredicateResolver(entity)
      return try? resolver.resolve(term).cost
    }
    guard costs.count == terms.count else { return terms }
    let order = terms.indices.sorted { (costs[$0], $0) < (costs[$1], $1) }
    guard order != Array(terms.indices) else { return terms }
    reasons.append(
      order.map { terms[$0].propertyNames + " (" + costs[$0].rawValue + ")" }
        .joined(separator: ", then "))
    return order.map { terms[$0] }
  }

  private var propertyNames: String {
    switch self {
    case .always: predicateFormat
    case .comparison(let comparison):
      (comparison.left.paths + comparison.right.paths).map(\.predicateFormat)
        .joined(separator: " and ")
    case .and(let terms): "(" + terms.map(\.propertyNames).joined(separator: " AND ") + ")"
    case .or(let terms): "(" + terms.map(\.propertyNames).joined(separator: " OR ") + ")"
    case .not(let term): "NOT " + term.propertyNames
    }
  }
}

extension FetchPredicate.Expression {
  fileprivate var paths: [FetchPredicate.PropertyPath] {
    switch self {
    case .path(let path): [path]
    case .subquery(let query): [query.collection]
    default: parts.flatMap(\.paths)
    }
  }
}
