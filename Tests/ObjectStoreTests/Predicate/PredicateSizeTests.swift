// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ObjectStore

/// Predicates of very many terms or levels end in good time: with an answer, or with a clear error.
@Suite(.endsWhenStuck) struct PredicateSizeTests {
  private let fixture: StoreFixture
  private static let many = 100_000

  init() throws {
    fixture = try StoreFixture()
    for number in 1...3 { fixture.makeStop("stop \(number)", identifier: Int64(number)) }
    try fixture.context.save()
  }

  private func count(_ predicate: FetchPredicate) throws -> Int {
    try fixture.context.count(FetchRequest<Stop>(predicate: predicate))
  }

  private func term(_ format: String, _ number: Int) throws -> FetchPredicate {
    try FetchPredicate(format, Int64(number))
  }

  @Test func aHundredThousandEqualComparisonsAreOneList() throws {
    let template = try FetchPredicate("identifier == 0")
    guard case .comparison(let comparison) = template else { return }
    let terms = (2..<Self.many).map { number in
      var term = comparison
      term.right = .constant(.integer(Int64(number)))
      return FetchPredicate.comparison(term)
    }
    #expect(try count(.or(terms)) == 2)
    // Composed one by one as well, and within others.
    let chain = terms.dropFirst().reduce(terms[0]) { $0 || $1 }
    #expect(try count(chain) == 2)
    #expect(try count(.and([.not(chain), try FetchPredicate("identifier < 10")])) == 1)
    let unequal = terms.map { term in
      guard case .comparison(var comparison) = term else { return term }
      comparison.comparator = .notEqual
      return .comparison(comparison)
    }
    #expect(try count(.and(unequal)) == 1)
    #expect(try count(unequal.dropFirst().reduce(unequal[0]) { $0 && $1 }) == 1)
    fixture.context.undoManager = nil
    // In memory the same: an unsaved object is looked at there.
    fixture.makeStop("unsaved", identifier: 99)
    #expect(try count(chain) == 3)
  }

  @Test(arguments: ["OR", "AND"])
  func aFormatOfAHundredThousandTermsIsRead(word: String) throws {
    let sign = word == "OR" ? "==" : "!="
    let format = (2..<Self.many).map { "identifier \(sign) \($0)" }.joined(separator: " \(word) ")
    #expect(try count(FetchPredicate(format)) == (word == "OR" ? 2 : 1))
  }

  @Test func otherTermsHaveALimit() throws {
    let terms = try (0..<Self.many).map { try term("longitude > %@", $0) }
    for predicate in [
      FetchPredicate.or(terms), .and(terms), .not(.or(terms)),
      terms.dropFirst().reduce(terms[0]) { $0 || $1 },
    ] {
      let error = #expect(throws: FetchPredicateError.self) { try count(predicate) }
      #expect(error?.description.contains("99999 terms") == false)
      #expect(error?.description.contains("100000 terms, the limit is 10000") == true)
    }
    #expect(try count(.or(Array(terms.prefix(10_000)))) == 0)
  }

  @Test func aListOfAHundredThousandValuesIsOneBoundValue() throws {
    let values = (2..<Int64(Self.many)).map { $0 }
    #expect(try count(FetchPredicate("identifier IN %@", values)) == 2)
    #expect(try count(FetchPredicate("NOT identifier IN %@", values)) == 1)
    let format = "identifier IN {" + values.map(String.init).joined(separator: ", ") + "}"
    #expect(try count(FetchPredicate(format)) == 2)
  }

  @Test func deepFormatsAreRefused() {
    for format in [
      String(repeating: "(", count: Self.many) + "identifier == 1",
      String(repeating: "NOT ", count: Self.many) + "identifier == 1",
      String(repeating: "NOT (", count: Self.many) + "identifier == 1",
      "identifier == " + String(repeating: "-", count: Self.many) + "1",
      "identifier == " + String(repeating: "1 + ", count: Self.many) + "1",
      "identifier == " + String(repeating: "1 ** ", count: Self.many) + "1",
      "identifier == " + String(repeating: "abs:(", count: Self.many) + "1",
      String(repeating: "SUBQUERY(stopTimes, $x, ", count: Self.many) + "1 == 1",
      "identifier IN " + String(repeating: "{", count: Self.many),
    ] {
      #expect(throws: PredicateFormatError.self) { try FetchPredicate(format) }
    }
  }

  @Test func deepTreesAreRefused() throws {
    let start = try FetchPredicate("identifier == 1")
    let levels = 5000
    let negations = (0..<levels).reduce(start) { term, _ in !term }
    let groups = (0..<levels).reduce(start) { term, level in
      level.isMultiple(of: 2) ? .and([start, term]) : .or([start, term])
    }
    let subqueries = (0..<levels).reduce(start) { term, level in
      .comparison(
        .init(
          .collection(
            .count,
            of: .subquery(.init(.init(["stopTimes"]), variable: "x\(level)", where: term)),
            property: []), .greater, .constant(.integer(0))))
    }
    let sums = (0..<levels).reduce(FetchPredicate.Expression.constant(.integer(1))) { sum, _ in
      .arithmetic(.add, sum, .constant(.integer(1)))
    }
    let sum = FetchPredicate.comparison(.init(.path(.init(["identifier"])), .equal, sums))
    fixture.makeStop("unsaved", identifier: 99)
    for predicate in [negations, groups, subqueries, sum] {
      let error = #expect(throws: FetchPredicateError.self) { try count(predicate) }
      #expect(error?.description.contains("levels deep") == true)
      #expect(throws: FetchPredicateError.self) {
        try predicate.withSubstitutionVariables(["x": 1])
      }
    }
  }

  @Test func chainsOfThousandsKeepTheirSQL() throws {
    let terms = try (0..<300).map { try term("identifier == %@", $0) }
    let chain = terms.dropFirst().reduce(terms[0]) { $0 || $1 }
    #expect(chain == .or(terms))
    _ = try fixture.context.fetch(FetchRequest<Stop>(predicate: chain))
    #expect(
      fixture.observer.sql.last?.contains("t0.ZIDENTIFIER = ? OR  t0.ZIDENTIFIER = ?") == true)
  }
}
