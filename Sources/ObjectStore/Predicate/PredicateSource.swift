// SPDX-License-Identifier: Apache-2.0

/// An object with properties that a predicate can read.
public protocol PredicateSource {
  /// The object's id, as `SELF` and a to-one relationship compare.
  var predicateObjectID: ManagedObjectID { get }
  /// The value of an attribute; `.null` for nil.
  func predicateValue(of attribute: AttributeDescription) -> StoreValue
  /// The object at the end of a to-one relationship.
  func predicateObject(of relationship: RelationshipDescription) -> (any PredicateSource)?
  /// The objects of a to-many relationship.
  func predicateObjects(of relationship: RelationshipDescription) -> [any PredicateSource]
}

extension FetchPredicate {
  /// Whether an object fulfils the predicate, with the same result as the SQL of a fetch.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity, or if MATCHES takes
  ///   too long, as a fetch would.
  public func matches(
    _ object: any PredicateSource, of entity: EntityDescription
  ) throws(FetchPredicateError) -> Bool {
    try PreparedPredicate(self, for: entity).matches(object)
  }
}

/// A predicate made ready for many objects of one entity.
public struct PreparedPredicate {
  private let predicate: ResolvedPredicate

  /// Looks up the predicate's names.
  ///
  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity.
  public init(_ predicate: FetchPredicate, for entity: EntityDescription)
    throws(FetchPredicateError)
  {
    var resolver = PredicateResolver(entity)
    self.predicate = try resolver.resolve(predicate)
  }

  /// Whether an object fulfils the predicate.
  ///
  /// - Throws: ``FetchPredicateError/regularExpression(_:)`` if MATCHES takes too many steps.
  public func matches(_ object: any PredicateSource) throws(FetchPredicateError) -> Bool {
    var evaluation = PredicateEvaluation(object)
    let isMatch = evaluation.evaluate(predicate) == true
    if let failure = evaluation.failure { throw failure }
    return isMatch
  }
}
