// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Python scripts of `Tests/FleetTests`, which hold our output against other programs'.
public enum Python {
  /// `FLEET_PYTHON`, which `make test-otlp` and others set, or the system's.
  public static var name: String {
    ProcessInfo.processInfo.environment["FLEET_PYTHON"] ?? "python3"
  }

  /// Whether it can import modules; false without Python.
  public static func has(_ modules: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name, "-c", modules.map { "import \($0)" }.joined(separator: "\n")]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// The path of a script beside the tests.
  public static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "FleetTests/\(name)").path
  }

  /// The output of a script, and its status.
  public struct Run: Sendable {
    public var status: Int32
    public var output: String
  }

  /// Runs a script to its end; its standard error is part of the output.
  public static func run(_ script: String, _ arguments: String...) throws -> Run {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name, Self.script(script)] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Run(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
  }
}

/// A script that runs beside a test, and prints the port that it listens on.
public final class PythonServer: @unchecked Sendable {
  private let process = Process()
  public let port: Int

  /// Starts a script and waits for its port.
  public init(_ script: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [Python.name, Python.script(script)] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let data = pipe.fileHandleForReading.availableData
      if data.isEmpty { break }
      line += data
    }
    port = Int(String(decoding: line, as: UTF8.self).filter(\.isNumber)) ?? 0
  }

  deinit { process.terminate() }
}
