// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The SQL functions over texts that predicates compile to, where SQLite has none.
///
/// Here and not in ObjectStore, because they do the same work for a report that measures a store's
/// statements: what a row costs is what the function costs.
///
/// The bits of `options`: 1 case-insensitive, 4 at the end (with 8), 8 anchored, 32 by the current
/// locale, 128 diacritic-insensitive, 256 width-insensitive. What follows them is not looked at: 0
/// here, and 1 in SQL of SwiftData, where its meaning is not public. None of the functions can use
/// an index: each row's text is looked at, ASCII without allocation. A pattern is folded, or
/// compiled, once per statement.
enum TextFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    try connection.createFunction("NSCoreDataStringSearch", argumentCount: 4) { call in
      search(call) { StringSearch.Kind(searchOptions: $0) }
    }
    try connection.createFunction("NSCoreDataLike", argumentCount: 4) { call in
      search(call) { _ in .like }
    }
    try connection.createFunction("NSCoreDataStringFold", argumentCount: 2) { call in
      guard !call.isNull(0), let folding = folding(call, 1) else { return }
      call.answer(folding.folded(call.string(0)))
    }
    try connection.createFunction("NSCoreDataMatches", argumentCount: 3, matches)
    try connection.createFunction("NSCoreDataStringCompare", argumentCount: 3) { call in
      guard !call.isNull(0), !call.isNull(1), let folding = folding(call, 2) else { return }
      call.answer(Int64(folding.localizedOrder(call.string(0), call.string(1))))
    }
  }

  /// Fails the call where its options have a bit whose meaning is not known.
  private static func options(
    _ call: borrowing FunctionCall, _ index: Int, known: StringFolding
  ) -> Int64? {
    let options = call.int64(index)
    guard options & ~Int64(known.rawValue) == 0 else {
      let bits = (0..<12).map { 1 << $0 }.filter { known.rawValue & Int32($0) != 0 }
      call.fail(
        "string search with the options \(options), of which "
          + bits.dropLast().map(String.init).joined(separator: ", ")
          + " and \(bits.last ?? 0) are known")
      return nil
    }
    return options
  }

  private static func folding(_ call: borrowing FunctionCall, _ index: Int) -> StringFolding? {
    options(call, index, known: .all).map(StringFolding.init(searchOptions:))
  }

  private static func matches(_ call: borrowing FunctionCall) {
    guard !call.isNull(0), !call.isNull(1), let folding = folding(call, 2) else { return }
    let pattern = call.cached(1) { CompiledPattern(call.string(1), folding) }
    do throws(RegularExpression.Failure) {
      call.answer(try pattern.result.get().matches(call.string(0)))
    } catch {
      call.fail(error.description)
    }
  }

  /// A pattern from a row may be invalid.
  private final class CompiledPattern {
    let result: Result<RegularExpression, RegularExpression.Failure>

    init(_ pattern: String, _ folding: StringFolding) {
      result = Result { () throws(RegularExpression.Failure) in
        try RegularExpression(pattern, folding)
      }
    }
  }

  // 4 and 8: where to look.
  private static let searchOptions = StringFolding.all.union(StringFolding(rawValue: 4 | 8))

  private static func search(
    _ call: borrowing FunctionCall, kind: (Int32) -> StringSearch.Kind
  ) {
    guard !call.isNull(0), !call.isNull(1),
      let options = options(call, 2, known: searchOptions)
    else { return }
    let search = call.cached(1) {
      StringSearch(
        kind(Int32(truncatingIfNeeded: options)), call.string(1),
        StringFolding(searchOptions: options))
    }
    // SQLite keeps it by the pattern alone; the options are a literal in all our statements.
    call.answer(search.matches(call.utf8(0)))
  }
}

extension StringFolding {
  fileprivate static let all: StringFolding = [.case, .localized, .diacritics, .width]

  fileprivate init(searchOptions: Int64) {
    self = StringFolding(rawValue: Int32(truncatingIfNeeded: searchOptions)).intersection(.all)
  }
}
