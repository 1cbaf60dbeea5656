// SPDX-License-Identifier: Apache-2.0

/// One row of a fetch of dictionaries: values by name, safe to pass between threads.
///
///     let row = try context.fetchDictionaries(request)[0]
///     row.name                         // a String, if `\.name` was fetched
///     row["stops"]                     // .integer(3)
///     row.value("stops", as: Int.self) // 3
@dynamicMemberLookup
public struct FetchedDictionary<E: Entity>: Hashable, Sendable {
  /// The names of the values, in the order of the request.
  public let names: [String]
  /// The values, in the order of the names; `.null` for nil.
  public let values: [StoreValue]

  init(names: [String], values: [StoreValue]) {
    self.names = names
    self.values = values
  }

  /// The value under a name, or nil if nothing was fetched under that name.
  public subscript(name: String) -> StoreValue? {
    names.firstIndex(of: name).map { values[$0] }
  }

  /// The value under a name as a Swift type; nil if it is NULL, of another type, or not fetched.
  public func value<Value: AttributeValue>(
    _ name: String, as type: Value.Type = Value.self
  ) -> Value? {
    self[name].flatMap { Value($0) }
  }

  /// The value of an attribute that was fetched under its own name.
  public subscript<Value>(dynamicMember path: KeyPath<E, Attribute<Value>>) -> Value {
    let name = E()[keyPath: path].keyPath
    guard let value = self[name] else {
      fatalError("\(name) was not fetched; add it to propertiesToFetch")
    }
    return Value(value) ?? .valueForNull
  }

  /// The object's id, if ``FetchedProperty/objectID`` was fetched.
  public var objectID: ManagedObjectID? {
    guard case .object(let id) = self["objectID"] else { return nil }
    return id
  }
}

extension FetchedDictionary: CustomStringConvertible {
  /// The names; values may be private.
  public var description: String { "\(E.entityName) [\(names.joined(separator: ", "))]" }
}
