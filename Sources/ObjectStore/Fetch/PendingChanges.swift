// SPDX-License-Identifier: Apache-2.0

/// The unsaved changes of a context, applied to the rows that a fetch read from the database.
///
/// The fetch then reads all rows: limit and offset count after the changes.
struct PendingChanges {
  /// Objects of the entity that were changed, or with a position in the result that depends on
  /// changed objects; each once.
  let changed: [AnyManagedObject]
  private let predicate: PreparedPredicate?
  let order: ObjectOrder

  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity, and the errors of
  ///   `affected`, which finds the objects that match a condition on changed ones.
  init?(
    context: ManagedObjectContext, entity: EntityDescription, includesSubentities: Bool,
    predicate: FetchPredicate?, terms: [SortTerm],
    affected: (FetchPredicate) throws -> [AnyManagedObject]
  ) throws {
    let all =
      (context.changed + context.deleted + context.inserted).filter(\.hasChanges)
      + context.inheritedChanges { _ in true }
    var changed = all.filter { $0.isMember(of: entity, includesSubentities) }
    var paths = predicate?.paths ?? []
    paths.formUnion(terms.map(\.keyPath))
    // Objects of the entity itself, too: it may be related to its like.
    if !all.isEmpty, let condition = ChangedPaths(all).condition(paths, of: entity) {
      changed += try affected(condition)
    }
    guard !changed.isEmpty else { return nil }
    var seen: Set<ObjectIdentifier> = []
    try self.init(
      of: changed.filter { seen.insert(ObjectIdentifier($0)).inserted }, in: context,
      entity: entity, predicate: predicate, terms: terms)
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

  func isWanted(_ object: AnyManagedObject) throws(FetchPredicateError) -> Bool {
    // One that was only related to others may be a fault, and its row gone; and the context may have
    // been reset since.
    guard !object.isRemoved, object.context != nil, object.isInserted || object.readableRow() != nil
    else { return false }
    return try predicate?.matches(object) ?? true
  }

  /// The objects that belong to the result, each once.
  func wanted() throws -> [AnyManagedObject] {
    var seen: Set<ObjectIdentifier> = []
    return try changed.filter { try seen.insert(ObjectIdentifier($0)).inserted && isWanted($0) }
  }

  func wantedCount() throws -> Int { try changed.count { try isWanted($0) } }
  /// The changed objects that the database may contain.
  var savedIDs: [ManagedObjectID] { changed.map(\.objectID).filter { !$0.isTemporary } }

  func apply(to saved: [AnyManagedObject], limit: Int, offset: Int) throws -> [AnyManagedObject] {
    let touched = Set(changed.map(ObjectIdentifier.init))
    var objects = try saved.filter {
      try !touched.contains(ObjectIdentifier($0)) || isWanted($0)
    }
    let present = Set(objects.map(ObjectIdentifier.init))
    for object in changed where !present.contains(ObjectIdentifier(object)) {
      if try isWanted(object) { objects.append(object) }
    }
    return order.sorted(objects).window(limit: limit, offset: offset)
  }

  /// The same for ids, except that their order stays: ids that the database did not return come
  /// last.
  func apply(to saved: [ManagedObjectID], limit: Int, offset: Int) throws -> [ManagedObjectID] {
    let touched = Set(changed.map(\.primaryKey))
    let wanted = try changed.filter { try isWanted($0) }.map(\.objectID)
    let wantedKeys = Set(wanted.map(\.primaryKey))
    let kept = saved.filter {
      !touched.contains($0.primaryKey) || wantedKeys.contains($0.primaryKey)
    }
    let present = Set(kept.map(\.primaryKey))
    return (kept + wanted.filter { !present.contains($0.primaryKey) })
      .window(limit: limit, offset: offset)
  }
}

extension AnyManagedObject {
  fileprivate func isMember(of entity: EntityDescription, _ includesSubentities: Bool) -> Bool {
    includesSubentities ? self.entity.isKind(of: entity) : self.entity === entity
  }
}

extension Array {
  /// - Parameter limit: 0 for all.
  fileprivate func window(limit: Int, offset: Int) -> [Element] {
    guard limit > 0 || offset > 0 else { return self }
    let start = Swift.min(offset, count)
    let end = limit > 0 ? Swift.min(start + Swift.min(limit, count), count) : count
    return Array(self[start..<end])
  }
}
