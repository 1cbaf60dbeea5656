// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing
import TransitModel

@Suite struct StopSearchTests {
  private let transit: TransitFixture

  init() async throws { transit = try await TransitFixture() }

  private static let area = StopSearch.Area()
  private static let morning = StopSearch.departures(
    area, after: ServiceTime(seconds: 30_600), minutes: 20)
  /// The box of 88 m around the point of interest, by hand.
  private static let inBox =
    "ZLONGITUDE BETWEEN 13.41686700 AND 13.41946700 AND ZLATITUDE BETWEEN 52.49845761 AND 52.50004039"

  // MARK: - Rows

  @Test(arguments: Version.allCases)
  func findsTheStopsThatHandWrittenSQLFinds(version: Version) throws {
    // An equirectangular distance will do at 80 m: it is off by less than a millimetre.
    let byHand = try transit.integers(
      """
      SELECT ZIDENTIFIER FROM ZSTOP WHERE \(Self.inBox)
        AND (ZLATITUDE - 52.499249) * 111195.08 * (ZLATITUDE - 52.499249) * 111195.08
          + (ZLONGITUDE - 13.418167) * 67692.5 * (ZLONGITUDE - 13.418167) * 67692.5 <= 6400
      """)
    let found = try transit.search(.nearby(Self.area), version)
    #expect(found.sorted() == byHand.sorted())
    #expect(found.count >= 12)
    #expect(found.first == 900_000_001)
  }

  @Test(arguments: Version.allCases)
  func findsTheDeparturesThatHandWrittenSQLFinds(version: Version) throws {
    let byHand = try transit.integers(
      """
      SELECT DISTINCT s.ZIDENTIFIER FROM ZSTOP s JOIN ZSTOPTIME t ON t.ZSTOP = s.Z_PK
      WHERE \(Self.inBox) AND t.ZDEPARTURETIME BETWEEN 30600 AND 31800
      """)
    let result = try StopStore(path: transit.path, version: version).run(Self.morning)
    #expect(result.rowCount == byHand.count)
    #expect(Set(result.found.map(\.identifier)).isSubset(of: byHand))
    for stop in result.found {
      let times = try transit.integers(
        """
        SELECT ZDEPARTURETIME FROM ZSTOPTIME WHERE ZSTOP = \(stop.objectID.primaryKey)
        AND ZDEPARTURETIME BETWEEN 30600 AND 31800 ORDER BY 1
        """)
      #expect(result.departures[stop.objectID]?.map(\.seconds) == times)
      #expect(!times.isEmpty)
    }
  }

  @Test func findsTheSameNamesBothWays() throws {
    let before = try transit.search(.named("u görli"), .before)
    #expect(before == (try transit.search(.named("U GO\u{308}RLI"), .after)))
    let byHand = try transit.integers(
      "SELECT ZIDENTIFIER FROM ZSTOP WHERE ZNORMALIZEDNAME GLOB 'u gorli*'")
    #expect(before.sorted() == byHand.sorted())
    #expect(before.count >= 15)
  }

  @Test(arguments: [
    (TextForm.begins, "ZNORMALIZEDNAME GLOB 'u gorli*'"),
    (.normalized, "ZNORMALIZEDNAME GLOB 'u gorli*'"),
    (.contains, "ZNORMALIZEDNAME GLOB '*u gorli*'"),
    (
      .terms,
      """
      Z_PK IN (SELECT ZSTOP FROM ZSEARCHTERM WHERE ZNORMALIZEDWORD GLOB 'gorli*')
      AND Z_PK IN (SELECT ZSTOP FROM ZSEARCHTERM WHERE ZNORMALIZEDWORD GLOB 'u*')
      """
    ),
  ])
  func findsByTextInFourForms(form: TextForm, condition: String) throws {
    let byHand = try transit.integers("SELECT ZIDENTIFIER FROM ZSTOP WHERE \(condition)")
    for version in Version.allCases {
      let found = try transit.search(.named("U GO\u{308}RLI", form: form), version)
      #expect(found.sorted() == byHand.sorted())
      #expect(found.count >= 15)
    }
  }

  @Test func findsWordsWithinNames() throws {
    let byHand = try transit.integers(
      """
      SELECT ZIDENTIFIER FROM ZSTOP WHERE ZNORMALIZEDNAME GLOB '*bahnhof*'
      AND ZNORMALIZEDNAME GLOB '*(berlin)*'
      """)
    let found = try transit.search(.named("Berlin, Bahnhof", form: .terms), .after)
    #expect(found.sorted() == byHand.sorted() && found.count >= 15)
    #expect(try transit.search(.named("ahnhof", form: .terms), .after) == [])
    #expect(try transit.search(.named("(/)", form: .terms), .after) == [])
  }

  @Test func keepsOneTermForEachWordOfAName() throws {
    #expect(
      "Gedenkstätte Dt. Widerstand (Berlin)".searchWords
        == ["gedenkstatte", "dt", "widerstand", "berlin"])
    #expect(
      "S+U Berlin Hbf/Berlin-Mitte 2".searchWords == ["s", "u", "berlin", "hbf", "mitte", "2"])
    #expect("".searchWords == [] && "–/ ".searchWords == [])
    let words = try transit.integers(
      """
      SELECT COUNT(*) FROM ZSEARCHTERM t JOIN ZSTOP s ON t.ZSTOP = s.Z_PK
      WHERE s.ZIDENTIFIER = 900000001
        AND ZNORMALIZEDWORD IN ('u', 'gorlitzer', 'bahnhof', 'berlin')
      """)
    #expect(words == [4])
    #expect(
      try transit.integers("SELECT COUNT(*) FROM ZSEARCHTERM")
        == transit.integers(
          """
          SELECT COUNT(*) FROM (SELECT DISTINCT ZSTOP, ZNORMALIZEDWORD FROM ZSEARCHTERM
          JOIN ZSTOP s ON ZSTOP = s.Z_PK)
          """))
  }

  @Test func stopsAtTwoHundredRows() throws {
    let everywhere = StopSearch.nearby(.init(radius: 100_000))
    let result = try StopStore(path: transit.path, version: .after).run(everywhere)
    #expect(result.rowCount == 200)
  }

  @Test(arguments: Version.allCases)
  func findsNothingWhereNothingIs(version: Version) throws {
    let sea = Coordinate(latitude: 0, longitude: 0)
    #expect(try transit.search(.nearby(.init(center: sea)), version) == [])
    #expect(try transit.search(.named("no such name"), version) == [])
    #expect(try transit.search(.named("%"), version) == [])
  }

  @Test func makesTheTermsThatAnOlderStoreLacks() throws {
    let before = try transit.search(.named("bahnhof", form: .terms), .after)
    #expect(!before.isEmpty)
    try Connection(path: transit.path).execute(
      "DROP TABLE ZSEARCHTERM; DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'SearchTerm'")
    let store = try StopStore(path: transit.path, version: .after)
    #expect(store.indexChanges.prefix(2) == ["added entity SearchTerm", "added table ZSEARCHTERM"])
    #expect(store.indexChanges.contains { $0.hasPrefix("made ") && $0.hasSuffix(" search terms") })
    #expect(try transit.search(.named("bahnhof", form: .terms), .after) == before)
  }

  // MARK: - SQL and indexes

  private func sql(_ search: StopSearch, _ version: Version) throws -> String {
    let observer = RecordingObserver()
    let store = try StopStore(
      path: transit.path, version: version, instruments: Instruments(observers: [observer]))
    _ = try store.run(search)
    return try #require(observer.sql.first)
  }

  private static let columns =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME, "
    + "t0.ZNORMALIZEDNAME FROM ZSTOP t0 WHERE "
  private static let box =
    "? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND ? <=  t0.ZLATITUDE AND  t0.ZLATITUDE <= ?"
  private static let subquery =
    "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
    + "((? <=  t1.ZDEPARTURETIME AND  t1.ZDEPARTURETIME <= ?))) ) <> ?"

  @Test(arguments: Version.allCases)
  func filtersByTheBox(version: Version) throws {
    #expect(
      try sql(.nearby(Self.area), version) == Self.columns + "(\(Self.box))  LIMIT 200")
  }

  @Test func putsTheSubqueryFirstOrLast() throws {
    let before = try sql(Self.morning, .before)
    let after = try sql(Self.morning, .after)
    #expect(before == Self.columns + "(\(Self.subquery) AND (\(Self.box)))  LIMIT 200")
    #expect(after == Self.columns + "(\(Self.box) AND \(Self.subquery))  LIMIT 200")
  }

  private func plan(_ search: StopSearch, _ version: Version) throws -> [String] {
    let sql = try sql(search, version)
    let connection = try Connection(path: transit.path, mode: .readOnly)
    try SQLFunctions.register(on: connection)
    return try connection.plan(sql).map(\.detail)
  }

  @Test func scansBeforeAndSearchesAfter() throws {
    #expect(try plan(.nearby(Self.area), .before) == ["SCAN t0"])
    #expect(
      try plan(.nearby(Self.area), .after) == [
        "SEARCH t0 USING INDEX ZSTOP_ZLONGITUDE_ZLATITUDE (ZLONGITUDE>? AND ZLONGITUDE<?)"
      ])
    #expect(try plan(Self.morning, .before).contains("SCAN t0"))
    #expect(!(try plan(Self.morning, .after).contains { $0.hasPrefix("SCAN") }))
  }

  @Test(arguments: [
    (
      TextForm.begins, columns + "NSCoreDataStringSearch( t0.ZNAME, ?, 137, 0)  LIMIT 200",
      "SCAN t0"
    ),
    (
      .normalized, columns + "( t0.ZNORMALIZEDNAME >= ? AND  t0.ZNORMALIZEDNAME < ?)  LIMIT 200",
      "SEARCH t0 USING INDEX ZSTOP_ZNORMALIZEDNAME_INDEX (ZNORMALIZEDNAME>? AND ZNORMALIZEDNAME<?)"
    ),
    (
      .terms,
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNORMALIZEDWORD, t0.ZSTOP FROM ZSEARCHTERM t0 WHERE "
        + "( t0.ZNORMALIZEDWORD >= ? AND  t0.ZNORMALIZEDWORD < ?)  LIMIT 200",
      "SEARCH t0 USING INDEX ZSEARCHTERM_ZNORMALIZEDWORD_INDEX "
        + "(ZNORMALIZEDWORD>? AND ZNORMALIZEDWORD<?)"
    ),
    (
      .contains, columns + "NSCoreDataStringSearch( t0.ZNAME, ?, 129, 0)  LIMIT 200", "SCAN t0"
    ),
  ])
  func searchesByTextInFourForms(form: TextForm, expected: String, detail: String) throws {
    let search = StopSearch.named("gorli", form: form)
    #expect(try sql(search, .after) == expected)
    #expect(try plan(search, .after) == [detail])
  }

  @Test func looksForFurtherWordsAmongTheTermsFound() throws {
    let search = StopSearch.named("u gorli", form: .terms)
    let details = try plan(search, .after)
    let index = "SEARCH t0 USING INDEX ZSEARCHTERM_ZNORMALIZEDWORD_INDEX"
    #expect(details.first?.hasPrefix(index) == true)
    #expect(!details.contains { $0.hasPrefix("SCAN") })
  }

  @Test func reportsWhichIndexItDroppedAndMade() throws {
    #expect(
      try StopStore(path: transit.path, version: .before).indexChanges
        == ["dropped the index ZSTOP_ZLONGITUDE_ZLATITUDE"])
    #expect(try StopStore(path: transit.path, version: .before).indexChanges == [])
    #expect(
      try StopStore(path: transit.path, version: .after).indexChanges
        == ["created the index ZSTOP_ZLONGITUDE_ZLATITUDE"])
  }
}
