// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

@Suite struct ReadingProgressTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  @Test func ofALogIsByItsBytes() throws {
    var log = LogBuilder()
    log.open(transit, at: noon)
    let head = log.text
    for record in RunBuilder({ $0.fetch("SELECT 1") }).records { log.add(record) }
    // Two events each, since a statement is announced once.
    let fetches = String(repeating: String(log.text.dropFirst(head.count)), count: 75_000)
    try Data((head + fetches).utf8).write(to: URL(filePath: folder.path("debug.log")))
    var steps: [ReadingProgress] = []
    _ = try TraceReader.read([folder.path("debug.log")], progress: { steps.append($0) }) { _ in }
    #expect(steps.map(\.events) == [65_536, 131_072])
    for step in steps {
      let part = try #require(step.part)
      // A block is read at once.
      #expect(abs(part - Double(step.events) / 150_000) < 0.05)
    }
  }

  @Test func ofATraceIsByTheBytesOfItsPackets() throws {
    var options = TraceBuilder.Options()
    options.packetSize = 1024
    var trace = TraceBuilder(options: options)
    var samples = EventSamples(seed: 60)
    for record in samples.records(700) { trace.add(record) }
    try trace.write(to: URL(filePath: folder.path("trace")))
    for number in 1..<100 {
      try FileManager.default.copyItem(
        atPath: folder.path("trace/channel_0"), toPath: folder.path("trace/channel_\(number)"))
    }
    var steps: [ReadingProgress] = []
    _ = try TraceReader.read([folder.path("trace")], progress: { steps.append($0) }) { _ in }
    #expect(steps.map(\.events) == [65_536])
    // Packets count when they are begun.
    let part = try #require(steps.first?.part)
    #expect(abs(part - 65_536 / 70_000) < 0.03)
  }
}
