// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import SQLiteDriver

/// The SQL functions that predicates compile to, where SQLite has none.
///
/// | function | is |
/// |---|---|
/// | `NSCoreDataStringSearch(text, pattern, options, 0)` | BEGINSWITH, ENDSWITH, CONTAINS |
/// | `NSCoreDataLike(text, pattern, options, 0)` | LIKE |
/// | `NSCoreDataMatches(text, pattern, options)` | MATCHES |
/// | `NSCoreDataStringFold(text, options)` | a side of `==[cd]` and its kin |
/// | `NSCoreDataStringCompare(a, b, options)` | a side of `<[l]` and its kin, with 0 |
/// | `NSCoreDataSqrt(x)` and its kin | `sqrt:` and what SQLite computes by other rules |
/// | `NSCoreDataNumber(text)`, `NSCoreDataString(x)` | CAST |
/// | `NSCoreDataValue(text)` | a value of a bound list that JSON cannot carry |
///
/// The bits of `options`: 1 case-insensitive, 4 at the end (with 8), 8 anchored, 32 by the current
/// locale, 128 diacritic-insensitive. None of them can use an index: each row's text is looked at,
/// ASCII without allocation. A pattern is folded, or compiled, once per statement.
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
    try connection.createFunction("NSCoreDataMatches", argumentCount: 3, matches)
    try connection.createFunction("NSCoreDataStringCompare", argumentCount: 3) { call in
      guard !call.isNull(0), !call.isNull(1) else { return }
      let folding = StringFolding(searchOptions: call.int64(2))
      call.answer(Int64(folding.localizedOrder(call.string(0), call.string(1))))
    }
    try registerComputations(on: connection)
  }

  private static func registerComputations(on connection: Connection) throws(SQLiteError) {
    for function in PredicateFunction.allCases {
      guard case .call(let name) = function.spelling, name == function.sqlName else { continue }
      try connection.createFunction(
        name, argumentCount: Int32(function.parameterCount ?? -1)
      ) { call in
        call.answer(function.value(of: (0..<call.count).map { call.value($0) }))
      }
    }
    for (name, kind) in [("NSCoreDataNumber", ValueKind.number), ("NSCoreDataString", .string)] {
      try connection.createFunction(name, argumentCount: 1) { call in
        call.answer(call.value(0).cast(as: kind))
      }
    }
    try connection.createFunction("NSCoreDataValue", argumentCount: 1) { call in
      guard case .string(let text) = call.value(0) else { return call.answer(call.value(0)) }
      call.answer(EncodedValue(text: text).value)
    }
  }

  private static func matches(_ call: borrowing FunctionCall) {
    guard !call.isNull(0), !call.isNull(1) else { return }
    let pattern = call.cached(1) {
      CompiledPattern(call.string(1), StringFolding(searchOptions: call.int64(2)))
    }
    do throws(RegularExpression.Failure) {
      call.answer(try pattern.result.get().matches(call.string(0)))
    } catch {
      call.fail(error.description)
    }
  }

  /// A pattern that a row gave may be no pattern.
  private final class CompiledPattern {
    let result: Result<RegularExpression, RegularExpression.Failure>

    init(_ pattern: String, _ folding: StringFolding) {
      result = Result { () throws(RegularExpression.Failure) in
        try RegularExpression(pattern, folding)
      }
    }
  }

  private static func search(
    _ call: borrowing FunctionCall, kind: (Int32) -> StringSearch.Kind
  ) {
    guard !call.isNull(0), !call.isNull(1) else { return }
    let options = call.int64(2)
    guard options & ~(1 | 4 | 8 | 32 | 128) == 0 else {
      return call.fail(
        "string search with the options \(options), of which 1, 4, 8, 32 and 128 are known")
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
    self.init(rawValue: Int32(truncatingIfNeeded: searchOptions & (1 | 32 | 128)))
  }
}

extension FunctionCall {
  fileprivate borrowing func value(_ index: Int) -> StoreValue {
    switch type(index) {
    case .integer: .integer(int64(index))
    case .float: .double(double(index))
    case .text: .string(string(index))
    case .blob, .null: .null
    }
  }

  fileprivate borrowing func answer(_ value: StoreValue) {
    switch value {
    case .integer(let number): answer(number)
    case .double(let number): answer(number)
    case .date(let date): answer(date.timeIntervalSinceReferenceDate)
    case .string(let string): answer(string)
    case .bool(let flag): answer(flag)
    case .data(let data): data.withUnsafeBytes { answer(blob: $0) }
    case .null, .uuid, .url, .object, .external: break
    }
  }
}
