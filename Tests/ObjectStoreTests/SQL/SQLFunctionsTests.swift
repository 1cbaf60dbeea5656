// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreFunctions
import Testing

@testable import ObjectStore

@Suite struct SQLFunctionsTests {
  private func evaluate(_ expression: String, _ values: String?...) throws -> [String?] {
    let connection = try Connection(path: ":memory:")
    try SQLFunctions.register(on: connection)
    let statement = try connection.prepare("SELECT \(expression)")
    for (index, value) in values.enumerated() {
      if let value { statement.bind(value, at: Int32(index + 1)) }
    }
    var results: [String?] = []
    while try statement.step() {
      results.append(statement.isNull(0) ? nil : statement.string(0))
    }
    return results
  }

  @Test(arguments: [
    // text, pattern, options, found
    ("Görlitzer Bahnhof", "gorl", 8 | 129, true), ("Görlitzer Bahnhof", "gorl", 8 | 1, false),
    ("Görlitzer Bahnhof", "GÖRL", 8 | 1, true), ("Go\u{308}rlitz", "GÖRL", 8 | 1, true),
    ("Go\u{308}rlitz", "gö", 0, false), ("Gö", "G", 8, true),
    // With [c] an accented letter is one letter, with [d] it is its base.
    ("e\u{301}a", "E", 1, false), ("e\u{301}a", "e", 128, true), ("é", "e", 12 | 1, false),
    ("Straße", "STRASSE", 1, true), ("ΣΊΣΥΦΟΣ", "σίσυφος", 1, true), ("ΣΊΣΥΦΟΣ", "ισυφ", 129, true),
    ("\u{212A}elvin", "kelvin", 1, true), ("ab", "", 1, true), ("", "", 12, true),
    ("", "a", 0, false),
    ("ı", "I", 1, false), ("I", "ı", 1, false), ("xaab", "aab", 12, true),
    ("aabx", "aab", 12, false),
    ("a\0b", "\0B", 1, true), ("ab", "abc", 1, false),
    // As SwiftData's localizedStandardContains: width does not count either.
    ("ＡＢＣ カナ", "bc ｶﾅ", 417, true), ("ＡＢＣ", "bc", 129, false), ("Café", "FE", 417, true),
  ])
  func searchesWithOptions(_ text: String, _ pattern: String, _ options: Int, _ found: Bool) throws
  {
    let results = try evaluate("NSCoreDataStringSearch(?1, ?2, \(options), 0)", text, pattern)
    #expect(results == [found ? "1" : "0"])
  }

  @Test(arguments: [
    ("abc", "a?c", true), ("abc", "a*", true), ("abc", "*", true), ("", "*", true),
    ("", "?", false),
    ("abc", "?", false), ("a*c", "a\\*c", true), ("abc", "a\\*c", false), ("aXbXc", "a*b*c", true),
    ("ab", "a**b", true), ("a\nb", "a?b", true), ("名前", "??", true),
  ])
  func matchesWildcards(_ text: String, _ pattern: String, _ found: Bool) throws {
    let results = try evaluate("NSCoreDataLike(?1, ?2, 0, 0)", text, pattern)
    #expect(results == [found ? "1" : "0"])
  }

  @Test func staysFastOnManyWildcards() throws {
    let pattern = String(repeating: "*a", count: 200) + "b"
    let text = String(repeating: "a", count: 5_000)
    #expect(!StringSearch(.like, pattern, []).matches(text))
  }

  @Test func answersNullForNull() throws {
    #expect(try evaluate("NSCoreDataStringSearch(?1, ?2, 1, 0)", nil, "a") == [nil])
    #expect(try evaluate("NSCoreDataStringSearch(?1, ?2, 1, 0)", "a", nil) == [nil])
    #expect(try evaluate("NSCoreDataLike(?1, ?2, 1, 0)", nil, "a") == [nil])
    #expect(try evaluate("NSCoreDataStringFold(?1, 1)", nil) == [nil])
  }

  @Test func foldsAText() throws {
    #expect(try evaluate("NSCoreDataStringFold(?1, 129)", "Ärger ẞ") == ["arger ss"])
    #expect(try evaluate("NSCoreDataStringFold(?1, 0)", "Ä") == ["Ä"])
    #expect(try evaluate("NSCoreDataStringFold(?1, 1)", "") == [""])
  }

  @Test(arguments: [[], .case, .diacritics, [.case, .diacritics]] as [StringFolding])
  func foldsLatinTextAsAnyOther(_ folding: StringFolding) throws {
    let table = try #require(FoldingTable.table(for: folding))
    var random = SeededGenerator(5)
    for _ in 0..<300 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text.append(Unicode.Scalar(UInt32.random(in: 0..<0x300, using: &random)) ?? "a")
      }
      var string = String(text)
      let folded = string.withUTF8(table.folded)
      #expect(folded == Array(folding.foldedByScalars(string).utf8), "\(string)")
      string += "\u{301}"
      #expect(string.withUTF8(table.folded) == nil)
    }
  }

  @Test func usesThePatternOfEachRow() throws {
    let results = try evaluate(
      "NSCoreDataStringSearch('abc', p, 1, 0) FROM (SELECT 'B' AS p UNION ALL SELECT 'x' "
        + "UNION ALL SELECT NULL UNION ALL SELECT 'C')")
    #expect(results == ["1", "0", nil, "1"])
  }

  @Test func refusesUnknownOptions() throws {
    let error = #expect(throws: SQLiteError.self) {
      _ = try evaluate("NSCoreDataStringSearch(?1, ?2, 513, 0)", "a", "a")
    }
    #expect(error?.message.contains("options 513") == true)
  }

  @Test func discardsThePatternBetweenRuns() throws {
    let connection = try Connection(path: ":memory:")
    try SQLFunctions.register(on: connection)
    for (pattern, found) in [("A", Int64(1)), ("b", 0), ("á", 0), ("a", 1)] {
      let statement = try connection.cachedStatement("SELECT NSCoreDataStringSearch('a', ?, 1, 0)")
      statement.bind(pattern, at: 1)
      #expect(try statement.step())
      #expect(statement.int64(0) == found)
      connection.recycle(statement)
    }
  }
}
