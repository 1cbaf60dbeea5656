// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A search with a checked query.
struct TextSearch {
  let index: SearchIndexDescription
  /// The indexed attributes.
  let attributes: [AttributeDescription]
  /// With column names instead of attribute names.
  let query: String
  private let engine: SearchEngine

  init(_ query: String, of entity: EntityDescription) throws(FetchPredicateError) {
    let owner = sequence(first: entity) { $0.superentity }.first { $0.searchIndex != nil }
    guard let owner, let index = owner.searchIndex else {
      throw .noSearchIndex(entity: entity.name)
    }
    self.index = index
    attributes = index.attributes.compactMap { owner.attribute(named: $0) }
    self.query = try SearchQuery.translated(query, index, entity: owner.name)
    do {
      engine = try SearchEngine.engine(of: index)
      try engine.check(self.query)
    } catch {
      throw .searchQuery(error.message)
    }
  }

  /// Whether an object is found.
  func matches(_ object: any PredicateSource) throws(FetchPredicateError) -> Bool {
    let texts = attributes.map { attribute -> String? in
      guard case .string(let text) = object.predicateValue(of: attribute).asStored else {
        return nil
      }
      return text
    }
    do {
      return try engine.matches(texts, query)
    } catch {
      throw .searchQuery(error.message)
    }
  }
}

extension PredicateResolver {
  /// `SELF MATCHES "blue note"`, or nil if the left side is not an object.
  mutating func textSearch(
    _ comparison: FetchPredicate.Comparison
  ) throws(FetchPredicateError) -> ResolvedPredicate? {
    guard case .path(let path) = comparison.left, result(path) == nil else { return nil }
    let (resolved, property) = try resolve(path)
    let entity: EntityDescription
    switch property {
    case .attribute: return nil
    case .object(let object): entity = object
    case .toOne(let relationship): entity = relationship.destination
    }
    let operand = ResolvedOperand.property(resolved, property)
    guard comparison.options.isEmpty else {
      throw .unsupported(
        "MATCHES with options of an object",
        instead: "leave them out: its search index ignores case and diacritics")
    }
    switch comparison.right {
    case .constant(.null): return .compare(operand, .equal, .constant(.null), [])
    case .constant(.string(let query)):
      return .matchesIndex(operand, try TextSearch(query, of: entity))
    default:
      throw .typeMismatch(
        comparison: "\(path.predicateFormat) with \(comparison.right.predicateFormat)",
        expected: "MATCHES of an object takes a string, the query of a search")
    }
  }
}
