// SPDX-License-Identifier: Apache-2.0

extension AnyManagedObject: PredicateSource {
  /// The object's id.
  public final var predicateObjectID: ManagedObjectID { objectID }

  /// The value, with unsaved changes; for data in a file, only whether it exists.
  public final func predicateValue(of attribute: AttributeDescription) -> StoreValue {
    unloadedValue(attribute.slot)
  }

  /// The destination, with unsaved changes.
  public final func predicateObject(
    of relationship: RelationshipDescription
  ) -> (any PredicateSource)? {
    destination(relationship.slot)
  }

  /// The members, with unsaved changes.
  public final func predicateObjects(
    of relationship: RelationshipDescription
  ) -> [any PredicateSource] {
    members(relationship.slot)
  }
}

extension AnyManagedObject: PredicateArgument {
  /// The object, by its id.
  public final var predicateExpression: FetchPredicate.Expression { .constant(.object(objectID)) }
}

extension ObjectExpression {
  /// ` t0.ZSTOP = ?`.
  public static func == (left: Self, right: ManagedObject<Destination>) -> FetchPredicate {
    left.compare(.equal, right.predicateExpression)
  }
  /// ` t0.ZSTOP <> ?`.
  public static func != (left: Self, right: ManagedObject<Destination>) -> FetchPredicate {
    left.compare(.notEqual, right.predicateExpression)
  }

  /// ` t0.ZSTOP IN (?, ?)`; many objects are bound as one value.
  public func isIn(_ objects: some Sequence<ManagedObject<Destination>>) -> FetchPredicate {
    compare(.isIn, .list(objects.map(\.predicateExpression)))
  }
}

extension CollectionExpression {
  /// Whether an object is among them: `EXISTS (SELECT 1 FROM … )`.
  public func contains(_ object: ManagedObject<Destination>) -> FetchPredicate {
    .comparison(.init(.path(predicatePath), .contains, object.predicateExpression))
  }
}
