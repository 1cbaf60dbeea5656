// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import SQLiteDriver
import Testing

@Suite struct TypedPredicateTests {
  private func stop(_ predicate: (Stop) -> FetchPredicate) -> String? {
    FetchRequest<Stop>(where: predicate).predicate?.predicateFormat
  }
  private func stopTime(_ predicate: (StopTime) -> FetchPredicate) -> String? {
    FetchRequest<StopTime>(where: predicate).predicate?.predicateFormat
  }

  @Test func writesTheFormat() {
    let (west, east) = (13.3, 13.4)
    #expect(
      stop { $0.longitude >= west && $0.longitude <= east && 52 <= $0.latitude }
        == "longitude >= 13.3 AND longitude <= 13.4 AND 52.0 <= latitude")
    #expect(
      stop { $0.identifier == 5 || !($0.note == nil) && "x" != $0.name }
        == #"identifier == 5 OR (NOT note == nil AND "x" != name)"#)
    #expect(stop { $0.note == "x" || $0.note != nil } == #"note == "x" OR note != nil"#)
    #expect(
      stop { $0.longitude.isBetween(west...east) && $0.identifier.isIn([1, 2]) }
        == "longitude BETWEEN {13.3, 13.4} AND identifier IN {1, 2}")
    #expect(
      stop {
        $0.name.beginsWith("U ", options: [.caseInsensitive]) && $0.note.contains("a")
          && $0.name.endsWith("z") && $0.name.like("?x*")
          && $0.name.isEqual(to: "o", options: .diacriticInsensitive)
      }
        == #"name BEGINSWITH[c] "U " AND note CONTAINS "a" AND name ENDSWITH "z" "#
        + #"AND name LIKE "?x*" AND name ==[d] "o""#)
    #expect(stopTime { $0.stop != nil } == "stop != nil")
    #expect(stopTime { $0.stop.stopTimes.count > 2 } == "stop.stopTimes.@count > 2")
    #expect(
      stopTime { $0.stop.name == "x" && $0.stop != nil && $0.stop.stopTimes.count > 2 }
        == #"stop.name == "x" AND stop != nil AND stop.stopTimes.@count > 2"#)
  }

  @Test func computes() {
    #expect(
      stop { $0.latitude + 1 > 53 && $0.latitude * 2 - $0.longitude < 5 }
        == "(latitude + 1.0) > 53.0 AND ((latitude * 2.0) - longitude) < 5.0")
    #expect(
      stop {
        $0.stopTimes.max(\.departureTime) > 5 && $0.stopTimes.sum(\.departureTime) / 2 == 3
          && $0.stopTimes.average(\.departureTime) == nil && $0.stopTimes.min(\.headsign) == "a"
      }
        == "stopTimes.@max.departureTime > 5 AND (stopTimes.@sum.departureTime / 2.0) == 3.0 "
        + "AND stopTimes.@avg.departureTime == nil AND stopTimes.@min.headsign == \"a\"")
    #expect(
      stop { $0.stopTimes.any(\.headsign).beginsWith("Z") && $0.stopTimes.all(\.departureTime) > 5 }
        == #"ANY stopTimes.headsign BEGINSWITH "Z" AND ALL stopTimes.departureTime > 5"#)
    #expect(stop { $0.name.matches("a+") } == #"name MATCHES "a+""#)
  }

  @Test func namesSubqueriesApart() {
    #expect(
      stop { stop in
        stop.stopTimes.subquery { time in
          time.departureTime >= 5 && time.stop.longitude.isEqual(to: stop.longitude)
            && stop.stopTimes.subquery { $0.headsign.isEqual(to: time.headsign) }.count > 1
        }.count != 0
      }
        == "SUBQUERY(stopTimes, $x, $x.departureTime >= 5 AND $x.stop.longitude == longitude "
        + "AND SUBQUERY(stopTimes, $x1, $x1.headsign == $x.headsign).@count > 1).@count != 0")
  }

  @Test func fetchesByClosuresAndFormats() throws {
    let fixture = try StoreFixture()
    try fixture.insertTwoStops()
    let names = { (request: FetchRequest<Stop>) in
      try fixture.context.fetch(request).map(\.name).sorted()
    }
    #expect(try names(FetchRequest { $0.longitude > 13.35 }) == ["Zoo"])
    #expect(
      fixture.observer.sql.last?.hasSuffix(" FROM ZSTOP t0 WHERE  t0.ZLONGITUDE > ?") == true)
    #expect(
      try names(FetchRequest { $0.stopTimes.subquery { $0.departureTime < 100 }.count != 0 })
        == ["Alex"])
    let format = try FetchPredicate(
      "name BEGINSWITH[cd] %@ OR SUBQUERY(stopTimes, $x, $x.stop == SELF).@count > 0", "ZÖ")
    #expect(try names(FetchRequest(predicate: format)) == ["Alex", "Zoo"])
    let alex = try #require(
      try fixture.context.fetch(FetchRequest<Stop> { $0.name == "Alex" }).first)
    #expect(
      try fixture.context.fetch(FetchRequest<StopTime> { $0.stop == alex }).map(\.departureTime)
        == [50])
    #expect(
      try fixture.context.fetch(
        FetchRequest<StopTime>(predicate: FetchPredicate("stop IN %@", [alex]))
      ).count == 1)
    #expect(throws: FetchPredicateError.self) {
      try fixture.context.fetch(FetchRequest<Stop>(predicate: try FetchPredicate("nmae == 1")))
    }
  }
}

extension StoreFixture {
  /// Alex at 13.3 with a stop time at 50, and Zoo at 13.4.
  fileprivate func insertTwoStops() throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    try connection.execute(
      """
      INSERT INTO ZSTOP (Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZNAME, ZLATITUDE, ZLONGITUDE)
        VALUES (1, 1, 1, 1, 'Alex', 52.5, 13.3), (2, 1, 1, 2, 'Zoo', 52.5, 13.4);
      INSERT INTO ZSTOPTIME (Z_PK, Z_ENT, Z_OPT, ZDEPARTURETIME, ZSTOP) VALUES (1, 2, 1, 50, 1);
      """)
  }
}
