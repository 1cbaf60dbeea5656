// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import Foundation

/// A `bench-worker serve`.
final class GeoClient {
  private let process = Process()
  private let questions = Pipe()
  private let answers = Pipe()
  private let name: String
  private let isRecorded: Bool

  struct Answer {
    /// In nanoseconds, by the worker's clock.
    let time: Double
    let rows: Int
  }

  /// - Parameter recorder: a program before the worker, such as `trace-report record -o DIR --`.
  init(
    _ name: String, worker: URL, store: String, readsCounters: Bool = false,
    recorder: [String] = [], environment: [String: String] = [:]
  ) throws {
    self.name = name
    isRecorded = !recorder.isEmpty
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

  /// Lets it fetch so many times.
  ///
  /// - Throws: ``BenchmarkError/answer(_:_:)`` if it ended instead,
  ///   ``BenchmarkError/recorded(_:_:)`` if LTTng records it and should not, or the other way.
  func run(_ count: Int) throws -> Answer {
    try questions.fileHandleForWriting.write(contentsOf: Data("\(count)\n".utf8))
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let piece = try answer()
      guard !piece.isEmpty else { throw BenchmarkError.answer(name, "nothing; it ended") }
      line += piece
    }
    let text = String(decoding: line, as: UTF8.self)
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 3 else { throw BenchmarkError.answer(name, text) }
    guard (numbers[2] == 1) == isRecorded else {
      throw BenchmarkError.recorded(name, !isRecorded)
    }
    return Answer(time: Double(numbers[0]), rows: numbers[1])
  }

  /// Sends no more, and waits for its end, at which a recorder has written its trace.
  func finish() throws {
    try questions.fileHandleForWriting.close()
    while try !answer().isEmpty {}
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError.program(name, status: process.terminationStatus)
    }
  }

  /// Its next answer; nothing once it has ended.
  ///
  /// - Throws: ``BenchmarkError/answer(_:_:)`` if it answers nothing for a minute, and ends it.
  private func answer() throws -> Data {
    var descriptor = pollfd(
      fd: answers.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, 60_000) > 0 else {
      process.terminate()
      throw BenchmarkError.answer(name, "nothing for a minute")
    }
    return answers.fileHandleForReading.availableData
  }

  deinit { try? questions.fileHandleForWriting.close() }
}
