// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct ReorderingTests {
  private static let dear = """
    SUBQUERY(stopTimes, $x, $x.departureTime > 5).@count > 0 AND name MATCHES 'secret.*' \
    AND name CONTAINS[cd] 'e' AND name CONTAINS 'e' AND name == 'x' AND longitude > 13 \
    AND (note == 'x' OR identifier == 5)
    """

  @Test func putsCheapTermsFirst() throws {
    let fixture = try StoreFixture()
    var request = FetchRequest<Stop>(predicate: try FetchPredicate(Self.dear))
    _ = try fixture.context.fetch(request)
    #expect(fixture.observer.remarks.isEmpty)
    request.reordersPredicates = true
    _ = try fixture.context.fetch(request)
    #expect(
      fixture.observer.sql.last?.hasSuffix(
        "WHERE ( t0.ZLONGITUDE > ? AND  t0.ZNAME = ? AND ( t0.ZIDENTIFIER = ? OR  t0.ZNOTE = ?) "
          + "AND instr( t0.ZNAME, ?) > 0 AND NSCoreDataStringSearch( t0.ZNAME, ?, 129, 0) "
          + "AND NSCoreDataMatches( t0.ZNAME, ?, 0) AND (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 "
          + "WHERE (t0.Z_PK = t1.ZSTOP AND ( t1.ZDEPARTURETIME > ?)) ) > ?)") == true,
      "\(fixture.observer.sql.last ?? "")")
  }

  @Test func reportsMovedTermsWithTheReason() throws {
    let fixture = try StoreFixture()
    var request = FetchRequest<Stop>(predicate: try FetchPredicate(Self.dear))
    request.reordersPredicates = true
    _ = try fixture.context.count(request)
    #expect(
      fixture.observer.remarks == [
        "Reordered the predicate of the fetch on 'Stop', cheap terms first: identifier (number), "
          + "then note (string); longitude (number), then name (string), then (identifier OR note) "
          + "(string), then name (part of a string), then name (string without case or diacritics, "
          + "or LIKE), then name (function or MATCHES), then stopTimes (subquery)."
      ])
  }

  @Test func reportsNothingWhereNothingMoves() throws {
    let fixture = try StoreFixture()
    for format in ["identifier == 5 AND name == 'x'", "name == 'x' AND note == 'y'", "name == 'x'"]
    {
      var request = FetchRequest<Stop>(predicate: try FetchPredicate(format))
      request.reordersPredicates = true
      _ = try fixture.context.count(request)
    }
    #expect(fixture.observer.remarks.isEmpty)
  }
}
