// SPDX-License-Identifier: Apache-2.0

/// The unsaved changes of a context, put over what a fetch found in the database.
///
/// The fetch then asks for all rows: limit and offset count after the changes.
struct PendingChanges {
  let changed: [AnyManagedObject]
  private let predicate: PreparedPredicate?
  let order: ObjectOrder

  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity.
  init?(
    context: ManagedObjectContext, entity: EntityDescription, includesSubentities: Bool = true,
    predicate: FetchPredicate?, terms: [SortTerm]
  ) throws {
    let changed = (context.changed + context.deleted + context.inserted)
      .filter { $0.hasChanges && $0.isMember(of: entity, includesSubentities) }
    // A predicate may reach the changes of other entities over its relationships.
    guard !changed.isEmpty else { return nil }
    try self.init(of: changed, in: context, entity: entity, predicate: predicate, terms: terms)
  }

  /// The changes of some objects, whether they were saved or not.
  init(
    of changed: [AnyManagedObject], in context: ManagedObjectContext, entity: EntityDescription,
    predicate: FetchPredicate?, terms: [SortTerm]
  ) throws {
    self.changed = changed
    self.predicate = try predicate.map { predicate throws(FetchPredicateError) in
      try PreparedPredicate(predicate, for: entity)
    }
    order = ObjectOrder(terms, locale: context.store.locale)
  }

  func apply(to saved: [AnyManagedObject], limit: Int, offset: Int) throws -> [AnyManagedObject] {
    let touched = Set(changed.map(ObjectIdentifier.init))
    var seen: Set<ObjectIdentifier> = []
    var objects = try saved.filter {
      try !touched.contains(ObjectIdentifier($0)) || isWanted($0)
    }
    let present = Set(objects.map(ObjectIdentifier.init))
    for object in changed where seen.insert(ObjectIdentifier(object)).inserted {
      if !present.contains(ObjectIdentifier(object)), try isWanted(object) {
        objects.append(object)
      }
    }
    objects = order.sorted(objects)
    let end = limit == 0 ? objects.count : min(objects.count, offset + limit)
    return Array(objects[min(offset, end)..<end])
  }

  func isWanted(_ object: AnyManagedObject) throws(FetchPredicateError) -> Bool {
    guard !object.isDeleted else { return false }
    return try predicate?.matches(object) ?? true
  }
}

extension AnyManagedObject {
  fileprivate func isMember(of entity: EntityDescription, _ includesSubentities: Bool) -> Bool {
    includesSubentities ? self.entity.isKind(of: entity) : self.entity === entity
  }
}
