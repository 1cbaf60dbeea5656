// SPDX-License-Identifier: Apache-2.0

extension AnyManagedObject: PredicateSource {
  /// The object's id.
  public final var predicateObjectID: ManagedObjectID { objectID }

  /// The value, with unsaved changes; of data in a file only that it is there.
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
