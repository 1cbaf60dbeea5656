// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import TestSupport
import Testing
import TransitModel

@Suite struct GTFSReaderTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private struct Feed {
    var stops: [StopRecord] = []
    var times: [(stop: Int64, time: StopTimeRecord)] = []
    var remarks = GTFSRemarks()
  }

  private func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: folder.url.appending(path: file))
  }

  private func readFeed(_ path: String? = nil) async throws -> Feed {
    var feed = Feed()
    var reader = GTFSReader(try await GTFSFeed(path: path ?? folder.url.path))
    try await reader.readStops { feed.stops.append($0) }
    try await reader.readStopTimes { feed.times.append((stop: $0, time: $1)) }
    feed.remarks = reader.remarks
    return feed
  }

  private func readsFeed(stops: String, times: String) async throws -> Feed {
    try write(stops, to: "stops.txt")
    try write(times, to: "stop_times.txt")
    return try await readFeed()
  }

  private static let stops = "stop_id,stop_name,stop_lat,stop_lon\n1,A,52.5,13.4\n2,B,52.6,13.5\n"
  private static let times =
    "trip_id,arrival_time,departure_time,stop_id\nt,08:00:00,08:00:30,1\nt,24:45:00,24:45:00,2\n"

  // MARK: - Good feeds

  @Test func readsQuotesMarksAndBothLineEnds() async throws {
    let feed = try await readsFeed(
      stops: "\u{FEFF}\"stop_id\",stop_lat, stop_lon ,stop_name\r\n"
        + "7,50.0,-85.5,\"Market, \"\"11th\"\" St\"\r\n\r\n\"8\",51,5,\"Two\r\nlines\"\r\n9,52,6,Last",
      times: "stop_id,departure_time,arrival_time\r8,8:05:09,8:05:00\r9,24:45:00,24:44:00")
    #expect(feed.stops.map(\.identifier) == [7, 8, 9])
    #expect(feed.stops.map(\.name) == ["Market, \"11th\" St", "Two\r\nlines", "Last"])
    #expect(feed.stops[0].coordinate == Coordinate(latitude: 50, longitude: -85.5))
    #expect(feed.times.map(\.stop) == [8, 9])
    #expect(feed.times.map(\.time.departureTime) == [29_109, 89_100])
    #expect(feed.times.map(\.time.arrivalTime) == [29_100, 89_040])
    #expect(feed.remarks.sentences == [])
  }

  @Test func readsAZipInAFolderOfItsOwn() async throws {
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "my [feed]"), withIntermediateDirectories: false)
    try write(Self.stops, to: "my [feed]/stops.txt")
    try write(Self.times, to: "my [feed]/stop_times.txt")
    let zip = folder.path("feed.zip")
    let packed = try await Subprocess.run(
      .name("sh"),
      arguments: ["-c", "cd \"$1\" && zip -qr feed.zip 'my [feed]'", "sh", folder.url.path],
      output: .discarded)
    #expect(packed.terminationStatus.isSuccess)
    let feed = try await readFeed(zip)
    #expect(feed.stops.map(\.name) == ["A", "B"])
    #expect(feed.times.map(\.time.departureTime) == [28_830, 89_100])
  }

  @Test func keepsTheNumberOfATextId() async throws {
    let feed = try await readsFeed(
      stops: "stop_id,stop_lat,stop_lon\nde:11000:900013102,52.5,13.4\n007,52,13\n7,51,13\n",
      times: "stop_id,arrival_time,departure_time\n007,08:00:00,08:00:00\n")
    // FNV-1a of the text, in the upper half: the same in every import.
    #expect(feed.stops[0].identifier == 8_913_698_736_557_500_185)
    #expect(feed.stops[1].identifier > 1 << 62)
    #expect(feed.stops[2].identifier == 7)
    #expect(feed.times.map(\.stop) == [feed.stops[1].identifier])
  }

  // MARK: - Odd rows

  @Test func countsAndReportsOmissions() async throws {
    let feed = try await readsFeed(
      stops: "stop_id,stop_name,stop_lat,stop_lon,location_type\n1,A,52.5,13.4,\n1,A again,1,1,0\n"
        + "2,entrance,52,13,2\n3,nowhere,,,0\n4,off,91,13,0\n5,word,north,13,0\n6,short\n",
      times:
        "stop_id,arrival_time,departure_time,pickup_type,drop_off_type\n1,,,0,0\n1,08:00:00,,9,\n"
        + "1,25:61:00,25:10:00,1,3\n2,08:00:00,08:00:00,0,0\n99,08:00:00,08:00:00,0,0\n"
        + "1,31:00:00,31:00:00,0,0\n")
    #expect(feed.stops.map(\.name) == ["A"])
    #expect(feed.times.map(\.time.departureTime) == [nil, 28_800, 90_600, 111_600])
    #expect(feed.times.map(\.time.arrivalTime) == [nil, 28_800, nil, 111_600])
    #expect(feed.times.map(\.time.pickupType) == [0, 0, 1, 0])
    #expect(
      feed.remarks.sentences == [
        "1 rows of stops.txt are entrances or path nodes: left out (first in line 4)",
        "4 stops have no coordinate or an impossible one: left out (first in line 5)",
        "1 rows of stops.txt repeat a stop id: left out (first in line 3)",
        "2 stop times name a stop that was not imported: left out (first in line 5)",
        "1 stop times leave the time open: stored without times (first in line 2)",
        "1 stop times have a time that is not HH:MM:SS: stored without that time (first in line 4)",
        "1 stop times leave after 30:00:00: stored, but searches look no further than that"
          + " (first in line 7)",
        "1 stop times have a pickup or drop-off type that is not 0 to 3: stored as 0"
          + " (first in line 3)",
      ])
  }

  // MARK: - Bad feeds

  private func failure(of read: () async throws -> Feed) async -> String {
    do {
      _ = try await read()
      return "no error"
    } catch { return "\(error)" }
  }

  @Test func namesTheMissingFeedFileOrColumn() async throws {
    #expect(
      await failure { try await readFeed("/no/feed") }
        == "no feed at '/no/feed'; --gtfs wants a folder or a .zip with stops.txt and stop_times.txt"
    )
    #expect(
      await failure { try await readFeed() }
        == "no stops.txt in '\(folder.url.path)'; a GTFS feed has stops.txt and stop_times.txt")
    #expect(
      await failure { try await readsFeed(stops: "stop_id,name\n1,A\n", times: Self.times) }
        == "no column 'stop_lat' in stops.txt, whose first line has stop_id, name")
    #expect(
      await failure { try await readsFeed(stops: "\n\n", times: Self.times) }
        == "stops.txt is empty; its first line names the columns")
  }

  @Test func namesTheLineOfAnOpenQuote() async throws {
    #expect(
      await failure {
        try await readsFeed(
          stops: Self.stops, times: "stop_id,arrival_time,departure_time\n1,,\n\"1,08:00:00,\n2,,\n"
        )
      } == "stop_times.txt:3: a quote opens here and nothing closes it")
  }

  @Test func doesNotReadALongRowIntoMemory() async throws {
    let endless = String(repeating: "x", count: 2 << 20)
    #expect(
      await failure { try await readsFeed(stops: Self.stops + "\"" + endless, times: "") }
        == "stops.txt:4: the row that begins here is over 1 MB long; is a quote left open?")
  }

  @Test func reportsTheOutputOfUnzip() async throws {
    try write("this is no archive", to: "feed.zip")
    let text = await failure { try await readFeed(folder.path("feed.zip")) }
    #expect(text.hasPrefix("unzip cannot read '\(folder.path("feed.zip"))': "))
    #expect(text.contains("End-of-central-directory"))
  }
}
