// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One part of the order of a fetch's objects.
///
///     request.sortDescriptors = [SortDescriptor(\.name), .descending(\.longitude)]
///     // ORDER BY t0.ZNAME, t0.ZLONGITUDE DESC
public struct SortDescriptor<E: Entity>: Sendable {
  let term: SortTerm

  init(term: SortTerm) { self.term = term }

  /// How strings are ordered.
  public typealias Comparator = SortTerm.Comparator

  /// Orders by an attribute.
  public init<Value>(_ path: KeyPath<E, Attribute<Value>>, ascending: Bool = true) {
    term = SortTerm(E()[keyPath: path].keyPath, ascending: ascending)
  }

  /// Orders by an attribute, in Foundation's terms.
  ///
  ///     SortDescriptor(\.joined, order: .reverse)
  ///     // ORDER BY t0.ZJOINED DESC
  public init<Value>(_ path: KeyPath<E, Attribute<Value>>, order: SortOrder) {
    self.init(path, ascending: order == .forward)
  }

  /// Orders by a text, as a comparator has it; no plain index serves that.
  ///
  ///     SortDescriptor(\.name, comparator: .localizedStandard)
  ///     // ORDER BY t0.ZNAME COLLATE NSCollateFinderlike
  public init<Value: TextAttributeValue>(
    _ path: KeyPath<E, Attribute<Value>>, comparator: Comparator, ascending: Bool = true
  ) {
    term = SortTerm(E()[keyPath: path].keyPath, ascending: ascending, comparator: comparator)
  }

  /// Orders by a named attribute, or by a key path over to-one relationships such as `stop.name`; a
  /// comparator other than `binary` requires text.
  public init(_ keyPath: String, comparator: Comparator = .binary, ascending: Bool = true) {
    term = SortTerm(keyPath, ascending: ascending, comparator: comparator)
  }

  /// The smallest value first.
  public static func ascending<Value>(_ path: KeyPath<E, Attribute<Value>>) -> Self { Self(path) }
  /// The largest value first.
  public static func descending<Value>(_ path: KeyPath<E, Attribute<Value>>) -> Self {
    Self(path, ascending: false)
  }
}
