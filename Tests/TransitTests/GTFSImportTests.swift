// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import Subprocess
import TestSupport
import Testing
import TransitModel

@Suite struct GTFSImportTests {
  private let folder: TemporaryDirectory
  private var store: String { folder.path("feed.sqlite") }

  init() throws { folder = try TemporaryDirectory() }

  /// A feed with numbers for ids, so that SQL can join the imported rows with our own.
  private func writeFeed() throws {
    var stops = "\u{FEFF}stop_id,stop_name,stop_lat,stop_lon\r\n"
    for id in 1...40 {
      let east = 13.4167 + Double(id) * 0.0001
      stops += "\(id),\"Stop \"\"\(id)\"\", Görlitzer\",52.4992\(id % 10),\(east)\r\n"
    }
    var times = "trip_id,arrival_time,departure_time,stop_id,pickup_type\r\n"
    for call in 0..<2_000 {
      let seconds = call * 47
      let time = [seconds / 3600, seconds / 60 % 60, seconds % 60]
        .map { String(format: "%02d", $0) }.joined(separator: ":")
      times += "t\(call / 10),\(time),\(time),\(call % 40 + 1),\(call % 4)\r\n"
    }
    try Data(stops.utf8).write(to: folder.url.appending(path: "stops.txt"))
    try Data(times.utf8).write(to: folder.url.appending(path: "stop_times.txt"))
  }

  private func importFeed() async throws {
    var reader = GTFSReader(try await GTFSFeed(path: folder.url.path))
    try await NewStore.make(at: store, replacing: false) { writer in
      let counts = try await writer.write(&reader)
      #expect(counts.stops == 40 && counts.stopTimes == 2_000)
    }
    #expect(reader.remarks.sentences == [])
  }

  /// Imports the same files with the sqlite3 program, into a database beside the store.
  private func importByHand() async throws -> String {
    let database = folder.path("byhand.sqlite")
    let script = """
      .mode csv
      .import '\(folder.path("stops.txt"))' stops
      .import '\(folder.path("stop_times.txt"))' stop_times
      CREATE VIEW calls AS SELECT CAST(stop_id AS INTEGER) stop, substr(departure_time, 1, 2) * 3600
        + substr(departure_time, 4, 2) * 60 + substr(departure_time, 7, 2) seconds, rowid FROM stop_times;
      """
    let result = try await Subprocess.run(
      .name("sqlite3"), arguments: [database], input: .string(script), output: .discarded,
      error: .string(limit: 4096))
    #expect(result.terminationStatus.isSuccess && result.standardError == "")
    return database
  }

  @Test func storesTheImportOfAnotherProgram() async throws {
    try writeFeed()
    try await importFeed()
    let byHand = try await importByHand()
    #expect(
      try TransitFixture.integers(
        "SELECT stop * 1000000 + seconds FROM calls ORDER BY stop, rowid", in: byHand)
        == TransitFixture.integers(
          """
          SELECT s.ZIDENTIFIER * 1000000 + t.ZDEPARTURETIME FROM ZSTOPTIME t
          JOIN ZSTOP s ON s.Z_PK = t.ZSTOP ORDER BY s.ZIDENTIFIER, t.Z_FOK_STOP
          """, in: store))
    #expect(
      try TransitFixture.integers("SELECT sum(pickup_type) FROM stop_times", in: byHand)
        == TransitFixture.integers("SELECT sum(ZPICKUPTYPE) FROM ZSTOPTIME", in: store))
    #expect(
      try TransitFixture.integers("SELECT max(seconds) FROM calls", in: byHand) == [1_999 * 47])
    #expect(
      try TransitFixture.integers(
        "SELECT count(*) FROM ZSTOP WHERE ZNORMALIZEDNAME LIKE 'stop \"%\", gorlitzer'", in: store)
        == [40])
  }

  @Test(arguments: ["08:30", "23:50", "00:10"], Version.allCases)
  func findsTheDeparturesThatAnotherProgramFinds(clock: String, version: Version) async throws {
    try writeFeed()
    try await importFeed()
    let byHand = try await importByHand()
    let time = try #require(ServiceTime(clock))
    // One day's timetable, run every day: a call leaves at its time on the clock.
    let expected = try TransitFixture.integers(
      """
      SELECT DISTINCT stop FROM calls JOIN stops ON stop_id = stop
      WHERE (seconds + 172800 - \(time.seconds)) % 86400 <= 1200
        AND abs(stop_lat - 52.499249) <= 0.00079140 AND abs(stop_lon - 13.418167) <= 0.0013000
      """, in: byHand)
    let search = StopSearch.departures(StopSearch.Area(), after: time, minutes: 20)
    let result = try StopStore(path: store, version: version).run(search)
    #expect(result.rowCount == expected.count)
    #expect(!result.found.isEmpty)
    #expect(Set(result.found.map(\.identifier)).isSubset(of: expected))
    for times in result.departures.values {
      #expect(times == times.sorted())
      #expect(times.allSatisfy { (time.seconds...time.seconds + 1200).contains($0.seconds) })
    }
  }
}
