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
    /// As the language of the store has it: "ä" beside "a" in German, behind "z" in Swedish.
    case localized
    /// As ``localized``; upper and lower case are equal.
    case localizedCaseInsensitive
    /// As a file browser lists names: as ``localized``, with "9" before "10".
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
