// SPDX-License-Identifier: Apache-2.0

import Testing
import TransitModel

@Suite struct ServiceTimeTests {
  @Test(arguments: [
    ("00:00:00", 0), ("8:05:09", 29_109), ("23:59:59", 86_399), ("24:45:00", 89_100),
    ("08:30", 30_600), ("100:00:00", 360_000),
  ])
  func readsTimes(text: String, seconds: Int64) {
    #expect(ServiceTime(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "8", "08:60:00", "08:00:60", "8:5:9", "-1:00:00", "08:00:00:00", "a:00", "08::00", "١:00",
  ])
  func refusesTextThatIsNoTime(text: String) {
    #expect(ServiceTime(text) == nil)
  }

  @Test func writesServiceAndClockTime() {
    #expect(ServiceTime(seconds: 89_100).description == "24:45:00")
    #expect(ServiceTime(seconds: 89_100).clock == "00:45")
  }
}

@Suite struct DepartureWindowTests {
  private func windows(_ clock: String, _ minutes: Int = 20) throws -> [String] {
    DepartureWindow.departures(after: try #require(ServiceTime(clock)), minutes: minutes)
      .map { "\($0.from)-\($0.until)" }
  }

  @Test func isOneSpanByDay() throws {
    #expect(try windows("08:30") == ["08:30:00-08:50:00"])
    #expect(try windows("23:39") == ["23:39:00-23:59:00"])
  }

  @Test func reachesIntoTomorrowBeforeMidnight() throws {
    #expect(try windows("23:50") == ["23:50:00-24:10:00", "00:00:00-00:10:00"])
    #expect(try windows("23:40") == ["23:40:00-24:00:00", "00:00:00-00:00:00"])
  }

  @Test func reachesIntoYesterdayAfterMidnight() throws {
    #expect(try windows("00:10") == ["00:10:00-00:30:00", "24:10:00-24:30:00"])
    #expect(try windows("05:59") == ["05:59:00-06:19:00", "29:59:00-30:19:00"])
    #expect(try windows("06:01") == ["06:01:00-06:21:00"])
  }

  @Test func findsEachRideOnceOnTheClock() throws {
    // 24:05 of today and 00:05 of tomorrow leave at the same minute; both are found at 23:50.
    let found = DepartureWindow.departures(
      after: try #require(ServiceTime("23:50")), minutes: 20)
    for text in ["23:50:00", "24:05:00", "00:05:00"] {
      let time = try #require(ServiceTime(text))
      #expect(found.filter { $0.contains(time) }.count == 1)
    }
    let late = try #require(ServiceTime("24:10:01"))
    #expect(!found.contains { $0.contains(late) })
  }
}
