// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceReading

/// The lines of a recording's log that have values without names.
struct ShortLogLinesTests {
  private let head = "2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore:"
  private var opened: String {
    """
    \(head) annotation: log opened: vocabulary=4 utc_offset=+00:00 level=1
    \(head) annotation: log fields: 4=busy store_id,attempts,wait_ns,gave_up,
    \(head) annotation: log fields: 0=statement store_id,statement_id,sql,

    """
  }

  @Test func haveTheTimeAndTheThreadOfTheLineBefore() throws {
    let reading = try Reading(log: opened + "~4 157 9 1,2,,1\n~4 1000000  3\n~4 -7 2370 ,,5\n")
    #expect(
      reading.events == [
        .busy(BusyWaited(storeID: 1, attempts: 2, waitTime: 0, gaveUp: 1)),
        .busy(BusyWaited(storeID: 3, attempts: 0, waitTime: 0, gaveUp: 0)),
        .busy(BusyWaited(storeID: 0, attempts: 0, waitTime: 5, gaveUp: 0)),
      ])
    #expect(reading.records.map(\.threadID) == [9, 9, 2370])
    let times = reading.records.map(\.timestamp)
    #expect(times[1] - times[0] == 1_000_000_000)
    #expect(times[2] - times[1] == -7000)
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func textsHaveCommasAndQuotes() throws {
    let reading = try Reading(log: opened + #"~0 1  1,7,"SELECT 'a, \"b\"\n' , \\"# + "\"\n")
    #expect(
      reading.events == [
        .statement(
          StatementAnnounced(
            storeID: 1, statementID: StatementID(rawValue: 7), sql: "SELECT 'a, \"b\"\n' , \\"))
      ])
  }

  @Test func roomThatWasNotUsedIsNoLine() throws {
    let room = String(repeating: "\0", count: 5000)
    let reading = try Reading(log: opened + "~4 1  1\n" + room + "~4 1  2\n" + room)
    #expect(reading.events.count == 2)
    #expect(reading.source.unrecognizedLines == 0)
    #expect(reading.source.problems == [])
  }

  @Test(
    arguments: [
      "~", "~4", "~4 1", "~4 1 ", "~9 1  1", "~x 1  1", "~4 x  1", "~4 1  1,2,3,4,5", "~4 1  \"",
      "~4 1  \"a\"", "~4 1  1;2", "~4 9223372036854775807  1", "~4 99999999999999999999  1",
      "~18446744073709551616 1  1", "~4 9000000000000000  1",
    ])
  func damagedLinesAreNoEvents(line: String) throws {
    let reading = try Reading(log: opened + line + "\n~4 1  2\n")
    #expect(reading.events.last?.kind == .busy)
    #expect(reading.source.unrecognizedLines == 1, "\(reading.source.unrecognizedSamples)")
  }

  @Test func fieldsOfAnotherVersionAreReadByTheirNames() throws {
    let fields = "\(head) annotation: log fields: 4=busy gave_up,later,store_id,\n"
    let reading = try Reading(log: opened + fields + "~4 1  1,8,3\n")
    #expect(
      reading.events == [.busy(BusyWaited(storeID: 3, attempts: 0, waitTime: 0, gaveUp: 1))])
  }
}
