// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// The SQL functions that predicates compile to, where SQLite has none.
///
/// | function | is |
/// |---|---|
/// | `NSCoreDataStringSearch(text, pattern, options, 0)` | BEGINSWITH, ENDSWITH, CONTAINS |
/// | `NSCoreDataLike(text, pattern, options, 0)` | LIKE |
/// | `NSCoreDataStringFold(text, options)` | a side of `==[cd]` and its kin |
///
/// The bits of `options`: 1 case-insensitive, 4 at the end (with 8), 8 anchored, 128
/// diacritic-insensitive. None of them can use an index: each row's text is looked at, ASCII
/// without allocation. A pattern is folded once per statement.
public enum SQLFunctions {
  /// Makes the functions known to a connection.
  ///
  /// - Throws: ``SQLiteError`` if the connection runs a statement that uses them.
  public static func register(on connection: Connection) throws(SQLiteError) {
    try connection.createFunction("NSCoreDataStringSearch", argumentCount: 4) { call in
      search(call) { StringSearch.Kind(searchOptions: $0) }
    }
    try connection.createFunction("NSCoreDataLike", argumentCount: 4) { call in
      search(call) { _ in .like }
    }
    try connection.createFunction("NSCoreDataStringFold", argumentCount: 2) { call in
      guard !call.isNull(0) else { return }
      call.answer(StringFolding(searchOptions: call.int64(1)).folded(call.string(0)))
    }
  }

  private static func search(
    _ call: borrowing FunctionCall, kind: (Int32) -> StringSearch.Kind
  ) {
    guard !call.isNull(0), !call.isNull(1) else { return }
    let options = call.int64(2)
    guard options & ~(1 | 4 | 8 | 128) == 0 else {
      return call.fail(
        "string search with the options \(options), of which 1, 4, 8 and 128 are known")
    }
    let search = call.cached(1) {
      StringSearch(
        kind(Int32(options)), call.string(1), StringFolding(searchOptions: options))
    }
    // SQLite keeps it by the pattern alone; the options are a literal in all our statements.
    call.answer(search.matches(call.utf8(0)))
  }
}

extension StringFolding {
  fileprivate init(searchOptions: Int64) {
    self.init(rawValue: Int32(truncatingIfNeeded: searchOptions & (1 | 128)))
  }
}
