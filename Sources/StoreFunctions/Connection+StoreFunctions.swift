// SPDX-License-Identifier: Apache-2.0

package import SQLiteDriver

extension Connection {
  /// Makes the functions known that a store's predicates compile to, where SQLite has none.
  ///
  /// - Parameter report: receives the `Z_ENT` and the `Z_PK` of a row that a trigger of Core Data has
  ///   changed.
  package func addStoreFunctions(
    reportingRows report: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
  ) throws(SQLiteError) {
    try TextFunctions.register(on: self)
    try ComputedFunctions.register(on: self)
    try RowTriggerFunction.register(on: self, report)
  }

  /// Makes the collations known that a store's sort descriptors compile to; a language is loaded
  /// when it is first used.
  package func addStoreCollations(locale: String) throws(SQLiteError) {
    for collation in TextCollation.allCases { try collation.register(on: self, locale: locale) }
  }
}
