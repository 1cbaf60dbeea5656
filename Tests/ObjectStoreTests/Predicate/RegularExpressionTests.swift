// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreFunctions
import Testing

@testable import ObjectStore

@Suite struct RegularExpressionTests {
  private let model = PredicateModel()

  @Test(arguments: [
    ("a|ab", "ab", true), ("a", "ab", false), ("", "", true), ("", "a", false),
    ("a#c", "a#c", true), ("(?x) a # c", "a", true), ("\\Qa.", "a.", true), ("\\Qa.", "ab", false),
    ("(a)\\1", "aa", true), ("^a$", "a", true), (".", "ö", true), (".", "o\u{308}", true),
    ("[ö]+", "o\u{308}ö", true),
  ])
  func matchesTheWholeText(_ pattern: String, _ text: String, _ isMatch: Bool) throws {
    #expect(try RegularExpression(pattern, []).matches(text) == isMatch)
  }

  @Test func leavesOutCaseAndDiacritics() throws {
    #expect(try RegularExpression("GÖRL.*", .case).matches("görlitz"))
    #expect(try !RegularExpression("GORL.*", .case).matches("görlitz"))
    #expect(try RegularExpression("g[ö]rl.*", .diacritics).matches("gorlitz"))
    // The letter of a class keeps its case.
    #expect(try RegularExpression("\\S+", [.case, .diacritics]).matches("ÄB"))
  }

  @Test func stopsAPatternThatExplodes() throws {
    let rows = PredicateRows(model)
    let object = rows.add(
      "Stop", ["name": .string(String(repeating: "a", count: 64))])
    let predicate = try FetchPredicate("name MATCHES '(a+)+b'")
    let inMemory = #expect(throws: FetchPredicateError.self) {
      try predicate.matches(object, of: model.stop)
    }
    #expect(inMemory?.description.hasPrefix("MATCHES was stopped after 10000000 steps") == true)

    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    try rows.write(to: connection)
    let select = try SelectStatement.objectIDs(of: model.stop, where: predicate)
    let inSQL = #expect(throws: SQLiteError.self) { try connection.primaryKeys(select) }
    #expect(inSQL?.message.hasPrefix("MATCHES was stopped after 10000000 steps") == true)
  }

  @Test func countsTheStepsOfAllRows() throws {
    let expression = try RegularExpression("(a+)+b", [])
    let text = String(repeating: "a", count: 19)
    #expect(try !expression.matches(text))
    #expect(throws: RegularExpression.Failure.self) {
      for _ in 0..<1_000 { _ = try expression.matches(text) }
    }
  }

  @Test func reportsThatATextIsTooLarge() throws {
    let expression = try RegularExpression("(?:a|b)*c", [])
    let text = String(repeating: "ab", count: 1_000_000)
    let error = #expect(throws: RegularExpression.Failure.self) {
      _ = try expression.matches(text)
    }
    #expect(error?.description.contains("more memory") == true)
  }

  @Test func takesThePatternOfEachRow() throws {
    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    let rows = PredicateRows(model)
    for (name, pattern) in [("ab", "a."), ("ab", "b."), ("c", "[a-c]")] {
      rows.add("Stop", ["name": .string(name), "normalizedName": .string(pattern)])
    }
    try rows.write(to: connection)
    let predicate = try FetchPredicate("name MATCHES normalizedName")
    let select = try SelectStatement.objectIDs(of: model.stop, where: predicate)
    #expect(try connection.primaryKeys(select) == [1, 3])
    #expect(try rows.primaryKeys(model.stop, predicate) == [1, 3])
    rows.add("Stop", ["name": .string("x"), "normalizedName": .string("(x")])
    try rows.write(to: connection)
    #expect(throws: SQLiteError.self) { try connection.primaryKeys(select) }
    #expect(throws: FetchPredicateError.self) { try rows.primaryKeys(model.stop, predicate) }
  }
}
