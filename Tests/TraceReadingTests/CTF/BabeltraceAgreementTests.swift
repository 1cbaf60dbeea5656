// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Our reader reads the same from a trace as the `babeltrace2` command.
struct BabeltraceAgreementTests {
  @Test func countsTheSameEvents() throws {
    let directory = try TemporaryDirectory()
    var samples = EventSamples(seed: 50)
    for user in 0..<2 {
      var options = TraceBuilder.Options()
      options.uuid = "0c6b5b1e-6d1c-4f0e-9c7a-00000000000\(user)"
      var trace = TraceBuilder(options: options)
      for (index, record) in samples.records(500).enumerated() {
        trace.add(record, stream: index % 3)
      }
      try trace.write(to: directory.url.appending(path: "ust/uid/\(user)/64-bit"))
    }
    let lines = try babeltrace(directory.url.path)
    let reading = try Reading(directory.url.path)
    #expect(lines.count == 1000)
    for kind in StoreEvent.Kind.allCases {
      let theirs = lines.count { $0.contains(" objectstore:\(kind.rawValue): ") }
      #expect(reading.events.count { $0.kind == kind } == theirs)
    }
  }

  @Test func mergesStreamsInTheSameOrder() throws {
    let directory = try TemporaryDirectory()
    var generator = SeededGenerator(seed: 51)
    var samples = EventSamples(seed: 51)
    var trace = TraceBuilder()
    var stream = 0
    for record in samples.records(2000) {
      // In runs, as a thread stays on a processor for a while.
      if Int.random(in: 0..<10, using: &generator) == 0 {
        stream = Int.random(in: 0..<5, using: &generator)
      }
      trace.add(record, stream: stream)
    }
    try trace.write(to: directory.url.appending(path: "ust/uid/0/64-bit"))
    try expectTheSameEvents(directory.url.path, count: 2000)
  }

  @Test(arguments: ["before", "after"])
  func readsTheSameProcessesAndThreads(_ name: String) throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    try expectTheSameEvents(package.appending(path: "traces/\(name)").path, count: nil)
  }

  private func expectTheSameEvents(_ folder: String, count: Int?) throws {
    let theirs = try babeltrace(folder).map { line in
      let match = try #require(
        line.firstMatch(of: /objectstore:(\w+): .*?vpid = (\d+), vtid = (\d+)/))
      return "\(match.1) \(match.2) \(match.3)"
    }
    let ours = try Reading(folder).records.map {
      "\($0.event.kind.rawValue) \($0.process.id) \($0.threadID)"
    }
    #expect(!ours.isEmpty && ours == theirs)
    if let count { #expect(ours.count == count) }
  }

  /// The lines of events that `babeltrace2` prints.
  private func babeltrace(_ folder: String) throws -> [Substring] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["babeltrace2", folder]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
      .filter { $0.contains(" objectstore:") }
  }
}
