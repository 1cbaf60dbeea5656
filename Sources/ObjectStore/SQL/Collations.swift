// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver
import StoreFunctions

/// The collations that sort descriptors compile to, by Core Data's names.
///
/// | comparator | collation | sorts "Äpfel", "apfel", "Zug" |
/// |---|---|---|
/// | `caseInsensitive` | `NSCollateNoCase` | apfel, Zug, Äpfel: scalars, folded as `==[c]` does |
/// | `localized` | `NSCollateLocaleSensitive` | apfel, Äpfel, Zug; case decides last of all |
/// | `localizedCaseInsensitive` | `NSCollateLocaleSensitiveNoCase` | the same; case never decides |
/// | `localizedStandard` | `NSCollateFinderlike` | as `localized`, and "9" before "10" |
///
/// A plain index serves none of them: SQLite sorts the rows of each fetch. Store a normalized
/// value and sort by that, without a comparator, where it takes too long.
public enum Collations {
  /// Makes the collations known to a connection; a language is loaded when it is first used.
  ///
  /// - Parameters:
  ///   - connection: the connection.
  ///   - locale: the locale of the localized collations, such as `de_DE`; "" for the root order.
  /// - Throws: `SQLiteError` if the connection runs a statement that uses them.
  public static func register(
    on connection: Connection, locale: String = ""
  ) throws(SQLiteError) {
    try connection.addStoreCollations(locale: locale)
  }
}

extension SortTerm.Comparator {
  /// The name after COLLATE; nil for SQLite's own order.
  var collation: TextCollation? {
    switch self {
    case .binary: nil
    case .caseInsensitive: .noCase
    case .localized: .localeSensitive
    case .localizedCaseInsensitive: .localeSensitiveNoCase
    case .localizedStandard: .finderlike
    }
  }
}

extension TextOrder {
  /// - Parameter locale: such as `de_DE`; "" for the order that no language changes.
  init(_ comparator: SortTerm.Comparator, locale: String) {
    self = comparator.collation?.order(locale: locale) ?? .bytes
  }
}
