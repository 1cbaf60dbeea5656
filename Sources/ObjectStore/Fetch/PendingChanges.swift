// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The unsaved changes of a context, put over what a fetch found in the database.
///
/// The fetch then asks for all rows: limit and offset count after the changes.
struct PendingChanges {
  let changed: [AnyManagedObject]
  private let predicate: PreparedPredicate?
  let terms: [SortTerm]

  /// - Throws: ``FetchPredicateError`` if the predicate does not fit the entity.
  init?(
    context: ManagedObjectContext, entity: EntityDescription, predicate: FetchPredicate?,
    terms: [SortTerm]
  ) throws {
    let changed = (context.changed + context.deleted + context.inserted)
      .filter { $0.hasChanges && $0.entity === entity }
    // A predicate may reach the changes of other entities over its relationships.
    guard !changed.isEmpty else { return nil }
    self.changed = changed
    self.predicate = try predicate.map { predicate throws(FetchPredicateError) in
      try PreparedPredicate(predicate, for: entity)
    }
    self.terms = terms
  }

  func apply(to saved: [AnyManagedObject], limit: Int, offset: Int) -> [AnyManagedObject] {
    let touched = Set(changed.map(ObjectIdentifier.init))
    var seen: Set<ObjectIdentifier> = []
    var objects = saved.filter { !touched.contains(ObjectIdentifier($0)) || isWanted($0) }
    let present = Set(objects.map(ObjectIdentifier.init))
    for object in changed where seen.insert(ObjectIdentifier(object)).inserted {
      if !present.contains(ObjectIdentifier(object)), isWanted(object) { objects.append(object) }
    }
    if !terms.isEmpty { objects = sorted(objects) }
    let end = limit == 0 ? objects.count : min(objects.count, offset + limit)
    return Array(objects[min(offset, end)..<end])
  }

  func isWanted(_ object: AnyManagedObject) -> Bool {
    !object.isDeleted && predicate?.matches(object) ?? true
  }

  private func sorted(_ objects: [AnyManagedObject]) -> [AnyManagedObject] {
    objects.enumerated().map { (key: sortKey(of: $1, place: $0), object: $1) }
      .sorted { isBefore($0.key, $1.key) }.map(\.object)
  }

  /// What an object is sorted by.
  struct SortKey {
    var values: [StoreValue]
    /// Equal objects keep the order in which the database gave them.
    var place: Int
  }

  func sortKey(of object: AnyManagedObject, place: Int) -> SortKey {
    SortKey(values: terms.map { object.value(at: $0.keyPath[...]) }, place: place)
  }

  func isBefore(_ a: SortKey, _ b: SortKey) -> Bool {
    for (index, term) in terms.enumerated() {
      let order = a.values[index].sortOrder(to: b.values[index])
      if order != 0 { return (order < 0) == term.ascending }
    }
    return a.place < b.place
  }
}

extension AnyManagedObject {
  /// The value at the end of a key path over to-one relationships.
  fileprivate func value(at keyPath: ArraySlice<String>) -> StoreValue {
    guard let name = keyPath.first else { return .object(objectID) }
    if let attribute = entity.attribute(named: name) { return storeValue(attribute.slot) }
    guard let relationship = entity.relationship(named: name), !relationship.isToMany,
      let destination = destination(relationship.slot)
    else { return .null }
    return destination.value(at: keyPath.dropFirst())
  }
}

extension StoreValue {
  /// Below, at or above 0, as ORDER BY has it: NULL first, text and bytes byte by byte.
  func sortOrder(to other: StoreValue) -> Int {
    switch (self, other) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.bool(let a), .bool(let b)): Self.order(a ? 1 : 0, b ? 1 : 0)
    case (.integer(let a), .integer(let b)): Self.order(a, b)
    case (.double(let a), .double(let b)): Self.order(a, b)
    case (.date(let a), .date(let b)): Self.order(a, b)
    case (.string(let a), .string(let b)): Self.order(bytes: a.utf8, b.utf8)
    case (.url(let a), .url(let b)):
      Self.order(bytes: a.absoluteString.utf8, b.absoluteString.utf8)
    case (.data(let a), .data(let b)): Self.order(bytes: a, b)
    case (.uuid(let a), .uuid(let b)):
      withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { Self.order(bytes: a, $0) } }
    case (.object(let a), .object(let b)): Self.order(a.primaryKey, b.primaryKey)
    default: 0
    }
  }

  private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
    a < b ? -1 : a == b ? 0 : 1
  }

  private static func order(bytes a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
    if a.elementsEqual(b) { return 0 }
    return a.lexicographicallyPrecedes(b) ? -1 : 1
  }
}
