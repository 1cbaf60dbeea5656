// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import Foundation

/// A `bench-worker serve` that waits for its turn.
final class GeoClient {
  private let process = Process()
  private let questions = Pipe()
  private let answers = Pipe()
  private let name: String

  /// - Parameter recorder: a program before the worker, such as `trace-report record -o DIR --`.
  init(
    _ name: String, worker: URL, store: String, readsCounters: Bool = false,
    recorder: [String] = [], environment: [String: String] = [:]
  ) throws {
    self.name = name
    let command =
      recorder + [worker.path, readsCounters ? "serve-counters" : "serve", store]
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STORE_") }
      .merging(environment) { $1 }
    process.standardInput = questions
    process.standardOutput = answers
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Lets it fetch so many times, and gives the number of rows.
  ///
  /// - Throws: ``BenchmarkError/answer(_:_:)`` if it ended instead.
  func run(_ count: Int) throws -> Int {
    try questions.fileHandleForWriting.write(contentsOf: Data("\(count)\n".utf8))
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let piece = answers.fileHandleForReading.availableData
      guard !piece.isEmpty else { throw BenchmarkError.answer(name, "nothing; it ended") }
      line += piece
    }
    let text = String(decoding: line, as: UTF8.self)
    guard let rows = text.split(whereSeparator: \.isWhitespace).last.flatMap({ Int($0) }) else {
      throw BenchmarkError.answer(name, text)
    }
    return rows
  }

  /// Asks no more, and waits for its end, at which a recorder has written its trace.
  func finish() throws {
    try questions.fileHandleForWriting.close()
    while !answers.fileHandleForReading.availableData.isEmpty {}
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError.program(name, status: process.terminationStatus)
    }
  }

  deinit { try? questions.fileHandleForWriting.close() }
}
