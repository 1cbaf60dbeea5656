// SPDX-License-Identifier: Apache-2.0

/// One part of the order of a fetch's objects.
///
///     request.sortDescriptors = [SortDescriptor(\.name), .descending(\.longitude)]
///     // ORDER BY t0.ZNAME, t0.ZLONGITUDE DESC
public struct SortDescriptor<E: Entity> {
  let term: SortTerm

  /// Orders by an attribute.
  public init<Value>(_ path: KeyPath<E, Attribute<Value>>, ascending: Bool = true) {
    term = SortTerm(E()[keyPath: path].keyPath, ascending: ascending)
  }

  /// Orders by a named attribute, or by a key path over to-one relationships such as `stop.name`.
  public init(_ keyPath: String, ascending: Bool = true) {
    term = SortTerm(keyPath, ascending: ascending)
  }

  /// The smallest value first.
  public static func ascending<Value>(_ path: KeyPath<E, Attribute<Value>>) -> Self { Self(path) }
  /// The largest value first.
  public static func descending<Value>(_ path: KeyPath<E, Attribute<Value>>) -> Self {
    Self(path, ascending: false)
  }
}
