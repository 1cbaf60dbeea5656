// SPDX-License-Identifier: Apache-2.0

package import SQLiteDriver

extension Connection {
  /// Makes the functions known that a store's predicates compile to, where SQLite has none.
  ///
  /// - Throws: ``SQLiteError`` if the connection runs a statement that uses them.
  package func addStoreFunctions() throws(SQLiteError) {
    try TextFunctions.register(on: self)
    try ComputedFunctions.register(on: self)
  }

  /// Makes the collations known that a store's sort descriptors compile to; a language is loaded
  /// when it is first used.
  ///
  /// - Throws: ``SQLiteError`` if the connection runs a statement that uses them.
  package func addStoreCollations(locale: String) throws(SQLiteError) {
    for collation in TextCollation.allCases { try collation.register(on: self, locale: locale) }
  }
}
