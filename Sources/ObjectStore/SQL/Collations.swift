// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

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
  /// - Parameter locale: whose rules the localized ones follow, such as `de_DE`; "" for the order
  ///   that no language changes.
  /// - Throws: ``SQLiteError`` if the connection runs a statement that uses them.
  public static func register(
    on connection: Connection, locale: String = ""
  ) throws(SQLiteError) {
    for comparator in SortTerm.Comparator.allCases {
      guard let name = comparator.collation else { continue }
      let order = FirstUse(comparator, locale)
      try connection.createCollation(name) { Int32(clamping: order.value.order($0, $1)) }
    }
  }

  /// Unchecked: a connection, and with it its collations, is used by one thread at a time.
  private final class FirstUse: @unchecked Sendable {
    private let comparator: SortTerm.Comparator
    private let locale: String
    @exclusivity(unchecked) private var made: TextOrder?

    var value: TextOrder {
      if let made { return made }
      let order = TextOrder(comparator, locale: locale)
      made = order
      return order
    }

    init(_ comparator: SortTerm.Comparator, _ locale: String) {
      self.comparator = comparator
      self.locale = locale
    }
  }
}

extension SortTerm.Comparator {
  /// What follows COLLATE; nil for SQLite's own order.
  var collation: String? {
    switch self {
    case .binary: nil
    case .caseInsensitive: "NSCollateNoCase"
    case .localized: "NSCollateLocaleSensitive"
    case .localizedCaseInsensitive: "NSCollateLocaleSensitiveNoCase"
    case .localizedStandard: "NSCollateFinderlike"
    }
  }
}
