// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver
import StoreFunctions

/// The SQL functions that predicates compile to, where SQLite has none.
///
/// | function | is |
/// |---|---|
/// | `NSCoreDataStringSearch(text, pattern, options, 0)` | BEGINSWITH, ENDSWITH, CONTAINS |
/// | `NSCoreDataLike(text, pattern, options, 0)` | LIKE |
/// | `NSCoreDataMatches(text, pattern, options)` | MATCHES |
/// | `NSCoreDataStringFold(text, options)` | a side of `==[cd]` and similar operators |
/// | `NSCoreDataStringCompare(a, b, options)` | a side of `<[l]` and similar operators, with 0 |
/// | `NSCoreDataSqrt(x)` and related functions | `sqrt:` and functions that SQLite computes by
/// other rules |
/// | `NSCoreDataNumber(text)`, `NSCoreDataString(x)` | CAST |
/// | `NSCoreDataValue(text)` | a value of a bound list that JSON cannot carry |
///
/// None of them can use an index: each row's text is read.
public enum SQLFunctions {
  /// Makes the functions known to a connection.
  ///
  /// - Throws: `SQLiteError` if the connection runs a statement that uses them.
  public static func register(on connection: Connection) throws(SQLiteError) {
    try connection.addStoreFunctions()
  }
}
