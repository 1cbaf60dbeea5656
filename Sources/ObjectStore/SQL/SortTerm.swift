// SPDX-License-Identifier: Apache-2.0

/// One part of an order: a property, or a key path over to-one relationships.
public struct SortTerm: Hashable, Sendable {
  /// The names along the path.
  public var keyPath: [String]
  /// Whether smaller values come first.
  public var ascending: Bool
  /// How strings are ordered.
  public var comparator: Comparator

  /// How strings are ordered.
  public enum Comparator: String, Hashable, Sendable, CaseIterable {
    /// Byte by byte: the only order that a plain index has.
    case binary
    /// Upper and lower case are equal; independent of the language.
    case caseInsensitive
    /// In the order of the store's language: "ä" next to "a" in German, after "z" in Swedish.
    case localized
    /// Like ``localized``; upper and lower case are equal.
    case localizedCaseInsensitive
    /// Like the names in a file browser: like ``localized``, with "9" before "10".
    case localizedStandard
  }

  /// Makes a term of the names along a key path.
  public init(_ keyPath: [String], ascending: Bool = true, comparator: Comparator = .binary) {
    self.keyPath = keyPath
    self.ascending = ascending
    self.comparator = comparator
  }

  /// Makes a term of a key path such as `stop.name`.
  public init(_ keyPath: String, ascending: Bool = true, comparator: Comparator = .binary) {
    self.init(
      keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init),
      ascending: ascending, comparator: comparator)
  }
}
