// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

struct TraceReaderTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: directory.url.appending(path: name))
    return directory.path(name)
  }

  @Test func mergesInputsByTime() throws {
    let other = ProcessIdentity(id: 99, name: "other", host: "")
    var samples = EventSamples(seed: 20)
    let traced = samples.records(400, from: noon)
    let logged = samples.records(400, process: other, from: noon + 500)
      .filter { $0.event.kind != .statement }
    var trace = TraceBuilder()
    for record in traced { trace.add(record) }
    try trace.write(to: directory.url.appending(path: "trace"))
    var log = LogBuilder()
    log.open(other, at: noon)
    for record in logged { log.add(record) }
    let path = try file("store.log", log.text)

    let reading = try Reading(directory.path("trace"), path)
    #expect(reading.records.map(\.timestamp) == reading.records.map(\.timestamp).sorted())
    #expect(reading.report.sources.map(\.kind) == [.ctf, .log])
    #expect(reading.report.sources.map(\.eventsRead) == [400, UInt64(logged.count)])
    #expect(reading.records.filter { $0.process == transit.on(host: "berlin") }.count == 400)
    #expect(reading.records.filter { $0.process == other }.map(\.event) == logged.map(\.event))
  }

  @Test func mergesTheLogsOfARecordingsProcesses() throws {
    var samples = EventSamples(seed: 23)
    var all: [EventRecord] = []
    // The first two run at the same time, the last one after them.
    for (id, start) in [(300, noon + 500), (20, noon), (1000, noon + 3_600_000_000_000)] {
      let process = ProcessIdentity(id: Int64(id), name: "worker", host: "")
      let records = samples.records(200, process: process, from: start)
        .filter { $0.event.kind != .statement }
      var log = LogBuilder()
      log.open(process, at: start)
      for record in records { log.add(record) }
      _ = try file("\(id).log", log.text)
      all += records
    }
    _ = try file("notes.log", "not the log of a process\n")
    let reading = try Reading(directory.url.path)
    #expect(reading.records.map(\.timestamp) == reading.records.map(\.timestamp).sorted())
    #expect(reading.records.count == all.count)
    #expect(reading.source.kind == .log)
    #expect(reading.source.unrecognizedLines == 0)
    #expect(
      reading.source.unended == [
        "it has no recording.json: trace-report record did not write it, or was killed"
      ])
  }

  @Test func mergesTheTracesOfSeveralHosts() throws {
    var samples = EventSamples(seed: 21)
    var all: [EventRecord] = []
    for (index, host) in ["berlin", "potsdam"].enumerated() {
      var options = TraceBuilder.Options()
      options.host = host
      options.uuid = "0c6b5b1e-6d1c-4f0e-9c7a-00000000000\(index)"
      var trace = TraceBuilder(options: options)
      let records = samples.records(50, from: noon + Nanoseconds(index))
      for record in records { trace.add(record) }
      all += records.map { $0.on(host: host) }
      try trace.write(to: directory.url.appending(path: host))
    }
    let reading = try Reading(directory.url.path)
    #expect(reading.records == all.sorted { $0.timestamp < $1.timestamp })
    #expect(reading.source.eventsRead == 100)
  }

  @Test func readsTheChunksOfARotatedSessionAsOneTrace() throws {
    var samples = EventSamples(seed: 22)
    let records = samples.records(20, from: noon)
    for (name, chunk) in [("1", records[..<10]), ("2", records[10...])] {
      var trace = TraceBuilder()
      for record in chunk { trace.add(record) }
      try trace.write(to: directory.url.appending(path: "archives/\(name)/ust/uid/0/64-bit"))
    }
    #expect(try Reading(directory.url.path).events == records.map(\.event))
  }

  @Test func distinguishesAMissingInputFromAnUnknownOne() throws {
    #expect(throws: TraceReadingError.noSuchInput("/nowhere/at/all")) {
      try Reading("/nowhere/at/all")
    }
    let text = try file("notes.txt", "milk\nbread\n")
    #expect(throws: TraceReadingError.unknownKind(text)) { try Reading(text) }
    #expect(throws: TraceReadingError.folderWithoutTrace(directory.url.path)) {
      try Reading(directory.url.path)
    }
    let empty = try file("empty.log", "")
    #expect(throws: TraceReadingError.empty(empty)) { try Reading(empty) }
  }

  @Test func aFolderWithoutFilesHoldsNoEvents() throws {
    let folder = directory.url.appending(path: "trace")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "ust"), withIntermediateDirectories: true)
    #expect(throws: TraceReadingError.empty(folder.path)) { try Reading(folder.path) }
    _ = try file("trace/ust/notes.txt", "")
    #expect(throws: TraceReadingError.folderWithoutTrace(folder.path)) { try Reading(folder.path) }
  }

  @Test(arguments: [
    TraceReadingError.noSuchInput("a\nb"), .unknownKind("a\nb"), .folderWithoutTrace("a\nb"),
    .empty("a\nb"),
    .unreadable("a\nb", reason: "disk on fire"),
  ])
  func errorsAreOneLineAndNameTheInput(error: TraceReadingError) {
    #expect("\(error)".contains(#""a\nb""#))
    #expect(!"\(error)".contains("\n"))
  }
}

extension ProcessIdentity {
  fileprivate func on(host: String) -> ProcessIdentity {
    ProcessIdentity(id: id, name: name, host: host)
  }
}
