// SPDX-License-Identifier: Apache-2.0

/// Objects in their order, each once.
///
/// A short list is compared object by object; a long one has a table, made when it is first searched.
struct MemberList {
  private(set) var objects: [AnyManagedObject]
  private var table: Set<ObjectIdentifier>?

  // 32 is arbitrary: about where a look-up costs as much as the comparisons.
  private static let maxComparisons = 32

  init(_ objects: [AnyManagedObject] = []) { self.objects = objects }

  mutating func contains(_ object: AnyManagedObject) -> Bool {
    guard objects.count > Self.maxComparisons else { return objects.contains { $0 === object } }
    if table == nil { table = Set(objects.map(ObjectIdentifier.init)) }
    return table?.contains(ObjectIdentifier(object)) ?? false
  }

  /// - Parameter index: nil, or beyond the end, for the end.
  mutating func insert(_ object: AnyManagedObject, at index: Int? = nil) {
    objects.insert(object, at: min(index ?? objects.count, objects.count))
    table?.insert(ObjectIdentifier(object))
  }

  @discardableResult
  mutating func remove(_ object: AnyManagedObject) -> Bool {
    guard contains(object) else { return false }
    if objects.last === object {
      objects.removeLast()
    } else if let index = objects.firstIndex(where: { $0 === object }) {
      objects.remove(at: index)
    }
    table?.remove(ObjectIdentifier(object))
    return true
  }
}
