// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver
import StoreFunctions

/// The store's own names that a statement uses: functions and collations, which all begin with
/// `NS`.
public enum StoreNames {
  /// In alphabetical order.
  static func used(by tokens: [SQLToken]) -> [String] {
    Set(
      tokens.indices.compactMap { index in
        guard let name = tokens[index].name, isStoreName(name) else { return nil }
        let isFunction = index + 1 < tokens.count && tokens[index + 1].isSymbol("(")
        let isCollation = index > 0 && tokens[index - 1].isWord("COLLATE")
        return isFunction || isCollation ? name : nil
      }
    ).sorted()
  }

  static func isStoreName(_ name: String) -> Bool { name.uppercased().hasPrefix("NS") }

  static var collations: [String] { TextCollation.allCases.map(\.rawValue) }

  /// Defines ObjectStore's functions and collations of these names, with ObjectStore's
  /// implementations.
  public static func define(on connection: Connection) throws(SQLiteError) {
    try connection.addStoreFunctions()
    try connection.addStoreCollations(locale: EnvironmentLocale.identifier)
  }
}
