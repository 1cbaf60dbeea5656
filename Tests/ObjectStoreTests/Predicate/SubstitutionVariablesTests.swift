// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ObjectStore

@Suite struct SubstitutionVariablesTests {
  private let model = PredicateModel()

  @Test func putsValuesInPlace() throws {
    let template = try FetchPredicate(
      "longitude BETWEEN {$west, $east} AND identifier IN $ids AND name == $name "
        + "AND SUBQUERY(stopTimes, $x, $x.headsign == $sign AND $x.departureTime > $from + 1)"
        + ".@count > $n AND lowercase:($name) != 'a'")
    let predicate = try template.withSubstitutionVariables([
      "west": 13.5, "east": 14, "ids": [1, 2], "name": nil, "sign": "Zoo", "from": 5, "n": 0,
      "x": "not this one",
    ])
    #expect(
      predicate.predicateFormat
        == "longitude BETWEEN {13.5, 14} AND identifier IN {1, 2} AND name == nil AND "
        + "SUBQUERY(stopTimes, $x, $x.headsign == \"Zoo\" AND $x.departureTime > (5 + 1))"
        + ".@count > 0 AND lowercase:(nil) != \"a\"")
    _ = try SelectStatement.objectIDs(of: model.stop, where: predicate)
  }

  @Test func takesARangeForBothBounds() throws {
    let predicate = try FetchPredicate("identifier BETWEEN $range")
    #expect(
      try predicate.withSubstitutionVariables(["range": 1...3]).predicateFormat
        == "identifier BETWEEN {1, 3}")
  }

  @Test func substitutesInSteps() throws {
    let template = try FetchPredicate("identifier > $low AND identifier < $high")
    let half = try template.withSubstitutionVariables(["low": 1])
    #expect(half.predicateFormat == "identifier > 1 AND identifier < $high")
    let error = #expect(throws: FetchPredicateError.self) {
      _ = try SelectStatement.objectIDs(of: model.stop, where: half)
    }
    #expect(error == .unknownVariable("high"))
  }

  @Test func refusesAKeyPathBehindAValue() throws {
    let predicate = try FetchPredicate("$stop.name == 'x'")
    #expect(throws: FetchPredicateError.self) {
      try predicate.withSubstitutionVariables(["stop": 5])
    }
  }
}
