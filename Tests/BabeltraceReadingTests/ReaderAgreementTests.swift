// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import BabeltraceReading

/// The reader in Swift and libbabeltrace2 make the same values of the same trace, event for event.
@Suite struct ReaderAgreementTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func expectAgreement(_ folders: [String], beneath path: String, count: Int) throws {
    var ours: [EventRecord] = []
    let report = try TraceReader.read([path]) { ours.append($0) }
    var theirs: [EventRecord] = []
    let ledger = SourceLedger(path: path, kind: .ctf)
    let graph = try BabeltraceGraph(.folders(folders))
    let source = BabeltraceSource(graph, folders[0], ledger)
    while try source.readBatch({ theirs.append($0) }) {}
    #expect(ours == theirs)
    #expect(ours.count >= count)
    let source0 = report.sources[0]
    #expect(source0.eventsRead == ledger.report.eventsRead)
    #expect(source0.eventsLost == ledger.report.eventsLost)
    #expect(source0.unrecognizedLines == ledger.report.unrecognizedLines)
    #expect(source0.unrecognizedSamples == ledger.report.unrecognizedSamples)
    #expect(source0.problems == ledger.report.problems)
  }

  @Test(arguments: ["before", "after"])
  func onSampleTraces(_ name: String) throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = package.appending(path: "traces/\(name)").path
    try expectAgreement(["\(path)/ust/uid/0/64-bit"], beneath: path, count: 40)
  }

  enum Version: CaseIterable { case own, reversed, newer, older, otherProvider, withoutContexts }

  @Test(arguments: Version.allCases)
  func onVersionsOfTheVocabulary(_ version: Version) throws {
    var options = TraceBuilder.Options()
    options.packetSize = 2048
    switch version {
    case .own: options.packetizesMetadata = true
    case .reversed: options.reversesFields = true
    case .newer: options.extraField = "weather"
    case .older: options.droppedField = "entity"
    case .otherProvider: options.provider = "nginx"
    case .withoutContexts: options.hasContexts = false
    }
    var trace = TraceBuilder(options: options)
    var samples = EventSamples(seed: 71)
    for (index, record) in samples.records(600).enumerated() {
      trace.add(record, stream: index % 3)
      if index % 100 == 99 { trace.endPacket(stream: index % 3, discarding: UInt64(index)) }
    }
    let path = directory.url.path
    try trace.write(to: directory.url)
    try expectAgreement([path], beneath: path, count: version == .otherProvider ? 0 : 200)
  }

  /// A session that was rotated: its chunks hold parts of the same streams.
  @Test func onChunksOfOneSession() throws {
    var samples = EventSamples(seed: 72)
    let records = samples.records(300)
    let folders = ["1", "2", "3"].map { directory.path("archives/\($0)/ust/uid/0/64-bit") }
    for (index, folder) in folders.enumerated() {
      var trace = TraceBuilder()
      for record in records[(index * 100)..<(index * 100 + 100)] { trace.add(record) }
      try trace.write(to: URL(filePath: folder))
    }
    try expectAgreement(folders, beneath: directory.url.path, count: 300)
  }
}
