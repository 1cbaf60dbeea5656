// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// A program that this package builds, run as a user runs it.
public struct Program: Sendable {
  private let url: URL

  /// Finds a program beside the tests: `trace-report`, `transit`.
  public init(_ name: String) {
    url = URL(filePath: BuiltProducts.path(of: name))
  }

  /// Where it is, for a script that runs it.
  public var path: String { url.path }

  /// The result of a run.
  public struct Run: Sendable {
    /// The exit code; nil where a signal ended it.
    public var status: Int32?
    /// Its standard output.
    public var output: String
    /// Its standard error.
    public var error: String
  }

  /// Runs the program to its end, up to 16 MB of output.
  ///
  /// The store's settings are removed from the environment, and `environment` is added.
  public func run(
    _ arguments: String..., environment settings: [String: String] = [:]
  ) async throws -> Run {
    try await run(arguments, environment: settings)
  }

  /// Runs the program to its end, as ``run(_:environment:)`` does, in a folder.
  public func run(
    _ arguments: [String], environment settings: [String: String] = [:], in folder: String? = nil
  ) async throws -> Run {
    var updates: [Environment.Key: String?] = [:]
    for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("STORE_") {
      updates[.init(stringLiteral: name)] = .some(nil)
    }
    for (name, value) in settings { updates[.init(stringLiteral: name)] = value }
    let result = try await Subprocess.run(
      .path(.init(url.path)), arguments: Arguments(arguments),
      environment: .inherit.updating(updates),
      workingDirectory: folder.map { FilePath($0) }, output: .string(limit: 16 << 20),
      error: .string(limit: 16 << 20))
    let status: Int32? = if case .exited(let code) = result.terminationStatus { code } else { nil }
    if url.lastPathComponent == "trace-report", [0, 2, 3].contains(status ?? 1) {
      try UndocumentedOutput.check(arguments, result.standardOutput)
    }
    return Run(status: status, output: result.standardOutput, error: result.standardError)
  }
}
