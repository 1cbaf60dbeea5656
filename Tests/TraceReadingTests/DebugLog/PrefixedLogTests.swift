// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Debug logs as other tools print them: with something before each line.
struct PrefixedLogTests {
  private func log() -> String {
    RunBuilder {
      $0.open()
      $0.fetch("SELECT 0, t0.Z_PK FROM ZSTOP t0", rows: 15)
      $0.close()
    }.log
  }

  private func prefixed(_ log: String, _ prefix: String) -> String {
    log.split(separator: "\n").map { "\(prefix)\($0)\n" }.joined()
  }

  @Test(arguments: [
    ("web-1  | ", "web-1/"), ("[pod/web-7c/app] ", "pod/web-7c/app/"), ("> ", ""), ("    ", ""),
    ("2026-11-21T14:12:28.6331042Z ", ""), ("Nov 21 14:12:28 host transit[2367]: ", ""),
    ("web-1  | 2026-11-21T14:12:28.633104+01:00 ", "web-1/"), ("12:", ""),
  ])
  func prefixesAreStripped(prefix: String, name: String) throws {
    let plain = try Reading(log: log())
    let reading = try Reading(log: prefixed(log(), prefix))
    #expect(reading.events == plain.events)
    #expect(reading.records.map(\.timestamp) == plain.records.map(\.timestamp))
    #expect(
      reading.records.map(\.process.name) == plain.records.map { "\(name)\($0.process.name)" })
    // The checksum is that of the lines as they were written.
    #expect(reading.source.problems == [])
    #expect(reading.source.unended == nil)
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func processesOfTwoContainersAreTwo() throws {
    let lines = log().split(separator: "\n").flatMap { ["web-1 | \($0)", "web-2 | \($0)"] }
    let reading = try Reading(log: lines.joined(separator: "\n") + "\n")
    #expect(Set(reading.records.map(\.process.name)) == ["web-1/transit", "web-2/transit"])
    #expect(reading.source.problems == [])
    #expect(reading.source.unended == nil)
  }

  @Test func lineWithinAMessageIsNoEvent() throws {
    for prefix in ["error: got ", "user said \"", "GET /?q=", "web | error: "] {
      let reading = try Reading(log: log() + prefixed(log(), prefix))
      #expect(reading.events == (try Reading(log: log())).events)
      #expect(reading.source.unrecognizedLines > 0)
    }
  }
}
