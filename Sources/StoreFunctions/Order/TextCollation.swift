// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The collations that SQL of a store names, by Core Data's names.
package enum TextCollation: String, CaseIterable, Sendable {
  case noCase = "NSCollateNoCase"
  case localeSensitive = "NSCollateLocaleSensitive"
  case localeSensitiveNoCase = "NSCollateLocaleSensitiveNoCase"
  case finderlike = "NSCollateFinderlike"

  /// - Parameter locale: such as `de_DE`; "" for the order that no language changes.
  package func order(locale: String) -> TextOrder {
    switch self {
    case .noCase: .folded(.case)
    case .localeSensitive: .language(.shared(.caseSensitive, locale: locale))
    case .localeSensitiveNoCase: .language(.shared(.caseInsensitive, locale: locale))
    case .finderlike: .language(.shared(.numeric, locale: locale))
    }
  }

  func register(on connection: Connection, locale: String) throws(SQLiteError) {
    let order = FirstUse(self, locale)
    try connection.createCollation(rawValue) { Int32(clamping: order.value.order($0, $1)) }
  }

  /// Unchecked: a connection, and with it its collations, is used by one thread at a time.
  private final class FirstUse: @unchecked Sendable {
    private let collation: TextCollation
    private let locale: String
    @exclusivity(unchecked) private var made: TextOrder?

    var value: TextOrder {
      if let made { return made }
      let order = collation.order(locale: locale)
      made = order
      return order
    }

    init(_ collation: TextCollation, _ locale: String) {
      self.collation = collation
      self.locale = locale
    }
  }
}
