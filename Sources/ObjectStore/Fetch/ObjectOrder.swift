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
    var position: Int
  }

  /// - Parameter object: nil if its row no longer exists.
  func key(of object: AnyManagedObject?, position: Int) -> Key {
    Key(values: terms.map { object?.value(at: $0.term.keyPath[...]) ?? .null }, position: position)
  }

  func isBefore(_ a: Key, _ b: Key) -> Bool {
    for (index, (term, text)) in terms.enumerated() {
      let order = a.values[index].sortOrder(to: b.values[index], text)
      if order != 0 { return (order < 0) == term.ascending }
    }
    return a.position < b.position
  }

  func sorted(_ objects: [AnyManagedObject]) -> [AnyManagedObject] {
    guard !terms.isEmpty else { return objects }
    return objects.enumerated().map { (key: key(of: $1, position: $0), object: $1) }
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
    switch (asStored, other.asStored) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.string(let a), .string(let b)): text.order(a, b)
    case (let a, let b): a.order(to: b) ?? 0
    }
  }
}
