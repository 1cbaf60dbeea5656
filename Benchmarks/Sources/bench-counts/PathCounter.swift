// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a path of the worker under callgrind.
struct PathCounter {
  let worker: String

  enum Failure: Error, CustomStringConvertible {
    case program([String], status: Int32, output: String)
    case answer([String], String)

    var description: String {
      switch self {
      case .program(let command, let status, let output):
        "'\(command.joined(separator: " "))' ended with \(status): \(output)"
      case .answer(let command, let output):
        "'\(command.joined(separator: " "))' printed no count: \(output)"
      }
    }
  }

  /// What a count depends on.
  func environment(swift: String) throws -> [String: String] {
    let command = [worker, "versions"]
    var environment = ["architecture": Self.architecture, "swift": swift]
    for line in try run(command).output.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2 else { throw Failure.answer(command, String(line)) }
      environment[String(words[0])] = String(words[1])
    }
    return environment
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "another"
    #endif
  }

  /// - Throws: ``Failure``.
  func count(_ path: String, _ count: Int) throws -> Thresholds.Counts {
    let command =
      [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
        "--toggle-collect=CMeasuring_run",
      ] + threads(of: path) + [worker, "path", path, "\(count)"]
    let (output, log) = try run(command)
    let collected = try collected(command, log)
    let allocations = Double(output.trimmingCharacters(in: .whitespacesAndNewlines))
    guard let allocations else { throw Failure.answer(command, output + log) }
    return Thresholds.Counts(
      allocations: Self.tenths(allocations / Double(count)),
      instructions: Self.tenths(collected / Double(count)))
  }

  /// Where the second thread of a path begins.
  ///
  /// Other paths may fetch what they need in two threads before they are counted.
  private func threads(of path: String) -> [String] {
    path == "longFetch" ? ["--toggle-collect=*11ObjectStore10PageThreadC3run*"] : []
  }

  /// Reads `==2367== Collected : 68252961`.
  func collected(_ command: [String], _ log: String) throws -> Double {
    let collected = log.split(separator: "\n").first { $0.contains("Collected :") }
      .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
    guard let collected, collected > 0 else { throw Failure.answer(command, log) }
    return collected
  }

  static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  @discardableResult
  func run(
    _ command: [String], _ variables: [String: String] = [:]
  ) throws -> (output: String, log: String) {
    let process = Process()
    let (output, log) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = environment.merging(variables) { $1 }
    process.standardOutput = output
    process.standardError = log
    try process.run()
    // Either is shorter than a pipe holds.
    let logged = String(
      decoding: try log.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let printed = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure.program(command, status: process.terminationStatus, output: logged)
    }
    return (printed, logged)
  }

  /// The same in every run: hashes are not seeded, and tracing is off.
  private var environment: [String: String] {
    let ours = ProcessInfo.processInfo.environment
    return [
      "PATH": ours["PATH"] ?? "/usr/bin:/bin", "TMPDIR": ours["TMPDIR"] ?? "/tmp", "LC_ALL": "C",
      "SWIFT_DETERMINISTIC_HASHING": "1", "LTTNG_UST_REGISTER_TIMEOUT": "0",
      "LTTNG_HOME": "/nonexistent",
    ]
  }
}
