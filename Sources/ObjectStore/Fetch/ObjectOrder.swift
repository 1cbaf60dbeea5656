// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreFunctions

/// Sorts objects as the ORDER BY of the same terms sorts rows.
struct ObjectOrder {
  private let terms: [(term: SortTerm, text: TextOrder)]

  init(_ terms: [SortTerm], locale: String) {
    self.terms = terms.map { ($0, TextOrder($0.comparator, locale: locale)) }
  }

  var isEmpty: Bool { terms.isEmpty }

  /// The sort key of an object.
  struct Key {
    var values: [StoreValue]
    /// Equal objects keep the order in which the database returned them.
    var place: Int
  }

  /// - Parameter object: nil if its row no longer exists.
  func key(of object: AnyManagedObject?, place: Int) -> Key {
    Key(values: terms.map { object?.value(at: $0.term.keyPath[...]) ?? .null }, place: place)
  }

  func isBefore(_ a: Key, _ b: Key) -> Bool {
    for (index, (term, text)) in terms.enumerated() {
      let order = a.values[index].sortOrder(to: b.values[index], text)
      if order != 0 { return (order < 0) == term.ascending }
    }
    return a.place < b.place
  }

  func sorted(_ objects: [AnyManagedObject]) -> [AnyManagedObject] {
    guard !terms.isEmpty else { return objects }
    return objects.enumerated().map { (key: key(of: $1, place: $0), object: $1) }
      .sorted { isBefore($0.key, $1.key) }.map(\.object)
  }
}

extension AnyManagedObject {
  /// The value at the end of a key path over to-one relationships.
  func value(at keyPath: ArraySlice<String>) -> StoreValue {
    guard let name = keyPath.first else { return .object(objectID) }
    if let attribute = entity.attribute(named: name) { return storeValue(attribute.slot) }
    guard let relationship = entity.relationship(named: name), !relationship.isToMany,
      let destination = destination(relationship.slot)
    else { return .null }
    return destination.value(at: keyPath.dropFirst())
  }
}

extension StoreValue {
  /// Below, at or above 0, as ORDER BY has it: NULL first, bytes byte by byte.
  func sortOrder(to other: StoreValue, _ text: TextOrder = .bytes) -> Int {
    switch (self, other) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.bool(let a), .bool(let b)): Self.order(a ? 1 : 0, b ? 1 : 0)
    case (.integer(let a), .integer(let b)): Self.order(a, b)
    case (.double(let a), .double(let b)): Self.order(a, b)
    case (.decimal(let a), .decimal(let b)): Self.order(a.storedNumber, b.storedNumber)
    case (.date(let a), .date(let b)): Self.order(a, b)
    case (.string(let a), .string(let b)): text.order(a, b)
    case (.url(let a), .url(let b)): text.order(a.absoluteString, b.absoluteString)
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
