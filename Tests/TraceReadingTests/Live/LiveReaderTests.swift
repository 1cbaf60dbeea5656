// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// A log is followed as `tail -F` follows it.
@Suite struct LiveReaderTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("debug.log")
    try Data(Self.opening.utf8).write(to: URL(filePath: path))
  }

  private static var opening: String {
    var log = LogBuilder()
    log.open(transit, at: noon)
    return log.text
  }

  /// The lines of fetches with these ids, of a process whose log is open already.
  private func lines(_ ids: ClosedRange<UInt64>) -> String {
    var log = LogBuilder()
    for id in ids {
      log.add(
        EventRecord(
          timestamp: noon, process: transit, threadID: 1, contextID: 1,
          event: .fetchBegin(
            FetchBegin(fetchID: id, parentID: 0, entity: "Stop", location: .search))))
    }
    return log.text
  }

  private func append(_ text: some StringProtocol) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
  }

  /// The ids of the fetches that are new.
  private func next(_ reader: LiveReader) throws -> [UInt64] {
    var ids: [UInt64] = []
    let goesOn = try reader.read(until: .now + .seconds(30)) { record in
      if case .fetchBegin(let fetch) = record.event { ids.append(fetch.fetchID) }
    }
    #expect(goesOn)
    return ids
  }

  @Test func returnsEachEventOnce() throws {
    try append(lines(1...2))
    let reader = try LiveReader(path)
    #expect(try next(reader) == [1, 2])
    #expect(try next(reader) == [])
    try append(lines(3...5))
    #expect(try next(reader) == [3, 4, 5])
    #expect(reader.report.sources.map(\.eventsRead) == [5])
    #expect(reader.report.sources[0].problems == [])
  }

  @Test func waitsForTheRestOfALine() throws {
    let reader = try LiveReader(path)
    let text = lines(1...1)
    try append(text.prefix(70))
    #expect(try next(reader) == [])
    try append(text.dropFirst(70))
    #expect(try next(reader) == [1])
    #expect(reader.report.sources[0].unrecognizedLines == 0)
  }

  @Test func followsTheNameToANewFile() throws {
    let reader = try LiveReader(path)
    try append(lines(1...1))
    #expect(try next(reader) == [1])
    try append(lines(2...2))
    #expect(rename(path, path + ".1") == 0)
    // While the name is gone, the old file still counts.
    #expect(try next(reader) == [2])
    try Data(lines(3...4).utf8).write(to: URL(filePath: path))
    #expect(try next(reader) == [3, 4])
    // The time zone from the old file still applies.
    #expect(reader.report.sources[0].problems == [])
  }

  @Test func beginsAgainInAnEmptiedFile() throws {
    let reader = try LiveReader(path)
    try append(lines(1...20))
    #expect(try next(reader).count == 20)
    #expect(truncate(path, 0) == 0)
    #expect(try next(reader) == [])
    try append(lines(21...22))
    #expect(try next(reader) == [21, 22])
    #expect(reader.report.sources[0].problems == [])
  }

  @Test func lineThatWasCutByTheRotationIsReportedAndNotJoined() throws {
    let reader = try LiveReader(path)
    try append(lines(1...1).prefix(70))
    #expect(try next(reader) == [])
    #expect(rename(path, path + ".1") == 0)
    try Data(lines(2...3).utf8).write(to: URL(filePath: path))
    #expect(try next(reader) == [2, 3])
    let source = reader.report.sources[0]
    #expect(source.problems.count == 1)
    #expect(source.problems[0].contains("is cut and was not used"))
    #expect(source.unrecognizedLines == 0)
  }

  @Test func stopsAtItsDeadlineAndGoesOnLater() throws {
    try append(lines(1...40_000))
    let reader = try LiveReader(path)
    var count = 0
    _ = try reader.read(until: .now) { _ in count += 1 }
    #expect(count < 40_000)
    while count < 40_000 { count += try next(reader).count }
    #expect(count == 40_000)
  }

  @Test func refusesWhatIsFinished() throws {
    #expect(throws: TraceReadingError.noSuchInput(folder.path("none"))) {
      _ = try LiveReader(folder.path("none"))
    }
    try Data("{}".utf8).write(to: URL(filePath: folder.path("report.json")))
    #expect(throws: TraceReadingError.self) { _ = try LiveReader(folder.path("report.json")) }
  }

  /// The blocks of a log that `top` made are released as they are read.
  @Test func aLogOfOursTakesNoSpace() throws {
    let reader = try LiveReader(path, isOurs: true)
    var count = 0
    for _ in 1...4 {
      try append(lines(1...10_000))
      count += try next(reader).count
    }
    #expect(count == 40_000)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_size > 6_000_000)
    #expect(status.st_blocks * 512 < 2 << 20, "\(status.st_blocks)")
  }
}
