// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct PredicateFormatTests {
  private func format(_ filter: String) throws -> String {
    try PredicateFormat.text(of: "SELECT 0 FROM ZSTOP t0 WHERE \(filter) LIMIT 1")
  }

  @Test(arguments: [
    ("(? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ?2)", "%@ <= longitude AND longitude <= %@"),
    ("t0.ZKIND <> ? OR  t0.ZKIND BETWEEN ? AND ?", "kind != %@ OR kind BETWEEN {%@, %@}"),
    ("t0.ZA = ? AND (t0.ZB IS NULL OR t0.ZC IS NOT NULL)", "a == %@ AND (b == nil OR c != nil)"),
    (
      "t0.Z_PK IN (SELECT value FROM json_each(?)) AND NOT (t0.ZA > ?)",
      "SELF IN %@ AND NOT (a > %@)"
    ),
    ("NSCoreDataStringSearch(t0.ZNAME, ?, 137, 0)", "name BEGINSWITH[cd] %@"),
    ("NSCoreDataStringSearch(t0.ZNAME, ?, 12, 0)", "name ENDSWITH %@"),
    ("NSCoreDataLike(t0.ZNAME, ?, 1, 0)", "name LIKE[c] %@"),
    ("NSCoreDataStringSearch(t0.ZNAME, ?, 33, 0)", "name CONTAINS[cl] %@"),
    ("NSCoreDataMatches( t0.ZNAME, ?, 129)", "name MATCHES[cd] %@"),
    ("NSCoreDataStringFold( t0.ZNAME, 1) <> ?", "name !=[c] %@"),
    ("instr( t0.ZNAME, ?) > 0", "name CONTAINS %@"),
    (
      "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND ((? <=  t1.ZTIME AND  t1.ZTIME <= ?))) ) <> ?",
      "SUBQUERY(stoptimes, $x, %@ <= $x.time AND $x.time <= %@).@count != %@"
    ),
    (
      "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP) ) > ?",
      "stoptimes.@count > %@"
    ),
  ])
  func writesThePredicateInTheOrderOfTheSQL(_ filter: String, _ text: String) throws {
    #expect(try format(filter) == text)
  }

  @Test(arguments: [
    "NSCoreDataStringSearch( t0.ZNAME, ?, 417, 1)", "instr( t0.ZNAME, ?) > 1",
    "NSCoreDataStringFold( t0.ZNAME, 1) = t0.ZB",
  ])
  func writesNothingThatMeansSomethingElse(_ term: String) {
    #expect(throws: PredicateFormat.Failure.self) { _ = try format("t0.ZB = ? AND " + term) }
  }

  @Test func namesTheTermThatNoPredicateMakes() {
    #expect(throws: PredicateFormat.Failure(term: "abs(t0.ZA) > ?")) {
      _ = try format("t0.ZB = ? AND abs(t0.ZA) > ?")
    }
  }
}
