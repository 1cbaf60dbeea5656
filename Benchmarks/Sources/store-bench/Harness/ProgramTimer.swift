// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import Foundation

/// Runs other programs, and returns their time and peak memory.
final class ProgramTimer {
  private let measure: URL
  private let output: URL
  /// Of the last run, in nanoseconds.
  private(set) var time: Double?
  /// Of the last run, in bytes.
  private(set) var memory: Int?

  init(_ workspace: Workspace) {
    measure = workspace.sibling("measure-program")
    output = workspace.folder.appending(path: "usage-\(UUID().uuidString)")
  }

  /// Runs a program to its end, without its output.
  ///
  /// - Throws: ``BenchmarkError/program(_:status:)`` if it fails, ``BenchmarkError/answer(_:_:)``.
  func run(_ command: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = measure
    process.arguments = [output.path] + command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError.program(
        command.prefix(3).joined(separator: " "), status: process.terminationStatus)
    }
    let text = try String(contentsOf: output, encoding: .utf8)
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 2 else { throw BenchmarkError.answer("measure-program", text) }
    time = Double(numbers[0])
    memory = numbers[1] * 1024
  }
}

extension Contender {
  /// A program as a contender, from its start to its end.
  static func program(
    _ name: String, goal: Goal? = nil, reference: String? = nil, count: Int? = nil,
    bytes: Int? = nil, _ command: [String], in workspace: Workspace
  ) -> Contender {
    let timer = ProgramTimer(workspace)
    return Contender(
      name: name, goal: goal, reference: reference, count: count, bytes: bytes,
      time: { timer.time }, memory: { timer.memory }
    ) {
      try timer.run(command)
      return 0
    }
  }
}
