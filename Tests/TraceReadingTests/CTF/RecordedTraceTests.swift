// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// A trace that LTTng wrote, whole and damaged: `traces/before`, with its `index` folder.
@Suite struct RecordedTraceTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let whole: Reading

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("before")
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let recorded = package.appending(path: "traces/before").path
    try FileManager.default.copyItem(atPath: recorded, toPath: path)
    whole = try Reading(path)
    // Without it, only the reader finds damage.
    try FileManager.default.removeItem(atPath: "\(path)/\(RecordingSeal.fileName)")
  }

  private func file(_ name: String) throws -> URL {
    let enumerator = try #require(FileManager.default.enumerator(atPath: path))
    let found = try #require(
      enumerator.lazy.compactMap { $0 as? String }.first { $0.hasSuffix("/\(name)") })
    return URL(filePath: path).appending(path: found)
  }

  /// The stream file that holds the most, and its index.
  private func stream() throws -> (stream: URL, index: URL) {
    let sizes = try ["objectstore_0", "objectstore_1"].map {
      try (name: $0, size: Data(contentsOf: file($0)).count)
    }
    let name = try #require(sizes.max { $0.size < $1.size }).name
    return (try file(name), try file("index/\(name).idx"))
  }

  private func change(_ file: URL, _ body: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: file)
    body(&data)
    try data.write(to: file)
  }

  @Test func isReadWhole() {
    #expect(whole.records.count >= 40)
    #expect(whole.source.problems == [])
  }

  enum IndexDamage: CaseIterable { case overwritten, cut, shortened, wrongOffset, wrongSize }

  @Test(arguments: IndexDamage.allCases)
  func isReadWholeWithADamagedIndex(_ damage: IndexDamage) throws {
    try change(stream().index) { data in
      switch damage {
      case .overwritten: data = Data(repeating: 0xff, count: data.count)
      case .cut: data.removeLast(30)
      case .shortened: data.removeLast(72)
      case .wrongOffset: data[18] = 1
      case .wrongSize: data[26] ^= 1
      }
    }
    let reading = try Reading(path)
    #expect(reading.events == whole.events)
    #expect(reading.source.problems == [])
  }

  @Test func keepsEventsBeforeTheDamage() throws {
    let stream = try stream().stream
    try change(stream) { $0.removeLast(100) }
    let reading = try Reading(path)
    #expect((1..<whole.records.count).contains(reading.records.count))
    // By event: the process is named by one of its events, which may be among the lost.
    let kept = Set(reading.records.map(\.timestamp))
    #expect(
      whole.records.filter { kept.contains($0.timestamp) }.map(\.event)
        == reading.records.map(\.event))
    #expect(reading.source.problems.count == 1)
    #expect(reading.source.problems.first?.contains(stream.lastPathComponent) == true)
  }

  @Test func keepsTheOtherStreamWhereOneIsLost() throws {
    try change(stream().stream) { $0 = Data(repeating: 0xff, count: $0.count) }
    let reading = try Reading(path)
    #expect((1..<whole.records.count).contains(reading.records.count))
    #expect(reading.source.problems.count == 1)
  }
}
