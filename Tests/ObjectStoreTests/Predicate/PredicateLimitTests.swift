// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import ObjectStore

@Suite struct PredicateLimitTests {
  /// `(identifier == 1 OR (identifier == 1 AND (…)))`.
  private func nested(_ levels: Int) throws -> FetchPredicate {
    let term = try FetchPredicate("identifier == 1")
    return (0..<levels).reduce(term) { nested, level in
      level.isMultiple(of: 2) ? .and([term, nested]) : .or([term, nested])
    }
  }

  @Test func acceptsAPredicateNestedTwentyDeep() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("Zoo", identifier: 1)
    try fixture.context.save()
    #expect(try fixture.context.count(FetchRequest<Stop>(predicate: nested(20))) == 1)
  }

  /// SQLite's parser had a stack of 100 until 3.46; the one that grows takes all 190 levels.
  @Test func reportsThatSQLiteTakesNoMore() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("Zoo", identifier: 1)
    try fixture.context.save()
    do {
      #expect(try fixture.context.count(FetchRequest<Stop>(predicate: nested(190))) == 1)
    } catch let error as FetchPredicateError {
      #expect(error == .tooLarge("parser stack overflow"))
      #expect(error.description.contains("write nested terms as one flat list"))
    }
  }

  @Test(arguments: [
    ("parser stack overflow", true), ("too many SQL variables", true),
    ("Expression tree is too large (maximum depth 1000)", true), ("no such column: x", false),
  ])
  func distinguishesLimitsFromOtherErrors(_ message: String, _ isLimit: Bool) {
    let error = FetchPredicateError(SQLiteError(extendedCode: 1, message: message))
    #expect(error == (isLimit ? .tooLarge(message) : nil))
  }
}
