// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceRendering

struct PerfettoTraceTests {
  private struct Event: Decodable {
    var name: String
    var ph: String
    var pid: Int64
    var tid: Int64
    var ts: Double
    var dur: Double?
    var cat: String?
    var args: [String: Value]?
  }

  private enum Value: Decodable, Equatable {
    case text(String)
    case number(Int64)
    case large(Double)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int64.self) {
        self = .number(number)
      } else if let number = try? container.decode(Double.self) {
        self = .large(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  private struct File: Decodable {
    var traceEvents: [Event]
    var displayTimeUnit: String
  }

  private func text(_ records: [EventRecord]) throws -> String {
    let pieces = Pieces()
    var trace = try PerfettoTrace { pieces.text += $0 }
    for record in records { try trace.add(record) }
    try trace.finish()
    return pieces.text
  }

  private final class Pieces { var text = "" }

  private func events(_ records: [EventRecord]) throws -> [Event] {
    let file = try JSONDecoder().decode(File.self, from: Data(try text(records).utf8))
    #expect(file.displayTimeUnit == "ns")
    return file.traceEvents
  }

  private static func record(
    _ event: StoreEvent, at time: Nanoseconds, thread: Int64 = 1, pid: Int64 = 7,
    host: String = ""
  ) -> EventRecord {
    EventRecord(
      timestamp: time, process: ProcessIdentity(id: pid, name: "transit", host: host),
      threadID: thread, contextID: 1, event: event)
  }

  @Test func fetchesFaultsAndSavesAreSlices() throws {
    let run = RunBuilder { trace in
      trace.open()
      trace.fetch("SELECT \"a\" </script>", rows: 15, total: 1000)
      trace.fault(pk: 2, duration: 500)
      trace.save(total: 9000)
      trace.close()
    }
    let events = try events(run.records)
    let slices = events.filter { $0.ph == "X" }
    #expect(
      slices.map(\.name) == [
        "fetch Stop", "miss Stop", "fault Stop", "wait", "write", "commit", "save",
      ])
    #expect(slices.map(\.cat) == ["fetch", "miss", "fault", "save", "save", "save", "save"])
    let fetch = try #require(slices.first)
    #expect(fetch.ts == 2)
    #expect(fetch.dur == 1)
    #expect(fetch.pid == 2367)
    #expect(fetch.args?["sql"] == .text("SELECT \"a\" </script>"))
    #expect(fetch.args?["caller"] == .text("transit/Search.swift:42"))
    #expect(fetch.args?["rows"] == .number(15))
    #expect(
      events.filter { $0.ph == "M" }.map { "\($0.name) \($0.args?["name"] ?? .number(0))" } == [
        "process_name text(\"transit[2367]\")", "thread_name text(\"thread 1\")",
      ])
    #expect(events.filter { $0.ph == "C" }.map(\.name).contains("cache misses"))
    #expect(!(try text(run.records)).contains("</script>"))
  }

  @Test func slicesOfALaneNest() throws {
    var generator = SeededGenerator(seed: 50)
    var records: [EventRecord] = []
    for index in 0..<2000 as Range<Int64> {
      let duration = Int64.random(in: 0...50_000, using: &generator)
      let busy = BusyWaited(storeID: 1, attempts: 1, waitTime: duration, gaveUp: 0)
      records.append(Self.record(.busy(busy), at: 100_000 + index * 1000, thread: index % 3))
    }
    let slices = try events(records).filter { $0.ph == "X" }
    #expect(slices.count == 2000)
    #expect(Set(slices.map { $0.tid & 0xffff_ffff }) == [0, 1, 2])
    for lane in Dictionary(grouping: slices, by: \.tid).values {
      var open: [(begin: Double, end: Double)] = []
      // Outer slices first, as a viewer sorts them.
      for slice in lane.sorted(by: { ($0.ts, -($0.dur ?? 0)) < ($1.ts, -($1.dur ?? 0)) }) {
        let end = slice.ts + (slice.dur ?? 0)
        while let last = open.last, last.end <= slice.ts + 0.0001 { open.removeLast() }
        if let last = open.last { #expect(end <= last.end + 0.0001) }
        open.append((slice.ts, end))
      }
    }
  }

  @Test func twoHostsWithOneProcessIDAreTwoProcesses() throws {
    let busy = StoreEvent.busy(BusyWaited(storeID: 1, attempts: 1, waitTime: 5, gaveUp: 0))
    let slices = try events([
      Self.record(busy, at: 10, host: "berlin"), Self.record(busy, at: 20, host: "potsdam"),
    ]).filter { $0.ph == "X" }
    #expect(Set(slices.map(\.pid)).count == 2)
  }

  @Test func lossesAreAMarkOverAllTracks() throws {
    let pieces = Pieces()
    var trace = try PerfettoTrace { pieces.text += $0 }
    let records = RunBuilder { $0.fetch("SELECT a", total: 5000) }.records
    for record in records { try trace.add(record) }
    try trace.finish(missing: ["t: the tracer discarded 12 \"events\""])
    let file = try JSONDecoder().decode(File.self, from: Data(pieces.text.utf8))
    let mark = try #require(file.traceEvents.last)
    #expect(mark.name == "incomplete: t: the tracer discarded 12 \"events\"")
    #expect(
      mark.ph == "i" && mark.ts == file.traceEvents.dropLast().map { $0.ts + ($0.dur ?? 0) }.max())
  }

  @Test func anythingIsValidJSON() throws {
    #expect(try events([]).isEmpty)
    var samples = EventSamples(seed: 51)
    let records = samples.records(600)
    let events = try events(records)
    #expect(events.count > 300)
    #expect(events.allSatisfy { $0.ts >= 0 && ($0.dur ?? 0) >= 0 })
  }
}
