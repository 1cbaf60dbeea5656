// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

@testable import TraceReading

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

  /// Two streams: the trace lasts from the first packet of either to the last one.
  @Test func ofATraceIsByTheTimesOfItsIndex() throws {
    func index(_ name: String, _ packets: [(bits: UInt64, begin: UInt64, end: UInt64)]) throws {
      let head: [UInt64] = [0xc1f1_dcc1_0000_0001, 0x0000_0001_0000_0038]
      let words = packets.reduce(into: head) { words, packet in
        words += [0, packet.bits, packet.bits, packet.begin, packet.end, 0, 0]
      }
      let bytes = words.flatMap { word in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
      }
      try Data(bytes).write(to: URL(filePath: folder.path("trace/index/\(name).idx")))
    }
    try FileManager.default.createDirectory(
      atPath: folder.path("trace/index"), withIntermediateDirectories: true)
    try index("a", [(32_768, 1000, 2000), (32_768, 2000, 9000)])
    try index("b", [(65_536, 500, 8000)])
    let span = try #require(PacketIndex.span(ofFolders: [folder.path("trace")]))
    #expect(span.time == 8500)
    #expect(span.bytes == 16_384)
    #expect(PacketIndex.span(ofFolders: [folder.path("none")]) == nil)
  }
}
