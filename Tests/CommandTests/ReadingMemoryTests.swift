// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Memory does not grow with the length of the input; `make test-scale` reads ten million events.
@Suite(.serialized) struct ReadingMemoryTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  enum Kind: CaseIterable { case log, trace }

  @Test(arguments: Kind.allCases) func tenTimesTheEventsTakeTheSameMemory(kind: Kind) async throws {
    // So many of a trace that reading them takes some time, during which memory is looked at.
    let count = kind == .log ? 10_000 : 50_000
    let few = try await peakMemory(kind, events: count)
    let many = try await peakMemory(kind, events: 10 * count)
    // 2 MiB: memory that is allocated in steps may be one step ahead.
    #expect(many <= few + few / 10 + 2048, "\(few) KiB, then \(many) KiB")
    // So that something was measured.
    #expect(few > 1000)
  }

  /// In KiB, while a summary of so many events is made; without the pages of mapped files, of which
  /// there is one packet of each stream.
  private func peakMemory(_ kind: Kind, events: Int) async throws -> Int {
    let input = folder.path("\(kind)-\(events)")
    switch kind {
    case .log:
      let run = try await Program("event-emitter").run(
        "mix", "\(events)",
        environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": input])
      #expect(run.status == 0, "\(run.error)")
    case .trace:
      let run = try await Program("trace-report").run(
        "record", "--lossless", "-o", input, "--", Program("event-emitter").path, "mix",
        "\(events)")
      #expect(run.status == 0, "\(run.error)")
    }
    var (peak, samples) = (0, 0)
    // On a busy machine a whole run may pass between two looks.
    for _ in 0..<100 where samples < 30 {
      let measured = try await measure(["summary", input])
      let read = measured.output.replacing(",", with: "").firstMatch(of: /(\d+) events/)
      let count = try #require(read.flatMap { Int($0.1) }, "\(measured.output)")
      #expect(count >= events)
      (peak, samples) = (max(peak, measured.peak), samples + measured.samples)
    }
    return peak
  }

  /// Runs the tool, and samples its memory while it works, until it ends.
  private func measure(
    _ arguments: [String]
  ) async throws -> (peak: Int, samples: Int, output: String) {
    let output = folder.path("output")
    try Data().write(to: URL(filePath: output))
    let process = Process()
    process.executableURL = URL(filePath: Program("trace-report").path)
    process.arguments = arguments
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    var (peak, samples) = (0, 0)
    let status = "/proc/\(process.processIdentifier)/status"
    while process.isRunning {
      let text = (try? String(contentsOfFile: status, encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      if let now = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) {
        peak = max(peak, now)
        if now > 1000 { samples += 1 }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(process.terminationStatus == 0)
    return (peak, samples, try String(contentsOfFile: output, encoding: .utf8))
  }
}
