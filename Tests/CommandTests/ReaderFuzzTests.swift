// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Inputs damaged at random are read or refused: no trap, no hang, no memory without bounds.
///
/// Each kind is read by a process of its own with a timer and a limit on its memory.
/// `FUZZ_SECONDS=600` (`make fuzz-readers`) looks longer, from a seed of its own; `FUZZ_SEED=7`
/// looks at one seed again.
@Suite(.serialized) struct ReaderFuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["FUZZ_SECONDS"].flatMap(Double.init)
  private static let seed = environment["FUZZ_SEED"].flatMap(UInt64.init)
  private let fuzzer = BuiltTool("reader-fuzzer")
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Of all inputs damaged so, at least so many per cent hold enough to be read.
  @Test(arguments: [
    ("log", 200 as UInt64, 65), ("core-data-log", 200, 65), ("statement-log", 200, 65),
    ("json", 200, 2), ("ctf", 150, 40),
  ])
  func damagedInputsAreReadOrRefused(kind: String, count: UInt64, percent: Int) async throws {
    var (inputs, read) = (0, 0)
    func run(from first: UInt64, _ count: UInt64) async throws {
      guard let numbers = try await fuzz(kind, from: first, count) else { return }
      inputs += numbers.inputs
      read += numbers.read
    }
    // Of a long run the whole is compared: a few hundred inputs vary too much.
    defer {
      if inputs > 1 { #expect(read * 100 >= inputs * percent, "\(kind): \(read) of \(inputs)") }
    }
    guard let seconds = Self.seconds else {
      return try await run(from: Self.seed ?? 0, Self.seed == nil ? count : 1)
    }
    // A seed of the clock's, so that each long run looks at other inputs.
    var first = Self.seed ?? UInt64(Date.now.timeIntervalSince1970) * 1_000_000
    print("\(kind): seeds from \(first)")
    let end = Date.now.addingTimeInterval(seconds / 5)
    while Date.now < end {
      try await run(from: first, count)
      first += count
    }
  }

  /// Returns nil if an input ended the process.
  private func fuzz(
    _ kind: String, from first: UInt64, _ count: UInt64
  ) async throws -> (inputs: Int, read: Int)? {
    let run = try await fuzzer.run(kind, "\(first)", "\(count)", folder.url.path)
    guard run.status == 0 else {
      try keepFailure(kind, run)
      return nil
    }
    // `400 inputs, 397 read, 3 refused, 15000 events, 40 MiB`
    let numbers = run.output.split { !$0.isNumber }.compactMap { Int($0) }
    try #require(numbers.count == 5, "\(run.output)")
    #expect(numbers[0] == Int(count) && numbers[1] + numbers[2] == numbers[0])
    if Self.seconds != nil { print("\(kind) from \(first): \(run.output)", terminator: "") }
    return (numbers[0], numbers[1])
  }

  /// Moves the input that ended the process out of the way of this test's own cleaning.
  private func keepFailure(_ kind: String, _ run: BuiltTool.Run) throws {
    let seed = try String(contentsOfFile: folder.path("seed"), encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    let kept = FileManager.default.temporaryDirectory
      .appending(path: "reader-fuzz-\(kind)-\(seed)")
    try? FileManager.default.removeItem(at: kept)
    try FileManager.default.copyItem(at: folder.url, to: kept)
    Issue.record(
      """
      reader-fuzzer \(kind) \(seed) 1 FOLDER ended with \(run.status); its input is in \(kept.path)
      \(run.output)\(run.errorOutput.suffix(2000))
      """)
  }
}
