// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess

/// A binary that the build put beside the tests.
public struct BuiltTool: Sendable {
  /// The output and the exit status of one run.
  public struct Run: Sendable {
    public var status: Int32
    public var output: String
    public var errorOutput: String
  }

  private let path: String

  /// Finds a product of the package by its name.
  public init(_ name: String) {
    path = BuiltProducts.path(of: name)
  }

  /// Runs it to its end, in UTC and without colours.
  public func run(_ arguments: String...) async throws -> Run { try await run(arguments) }

  /// Runs it with a text on its standard input; its JSON is checked against Documentation/schemas.
  ///
  /// - Parameter command: takes the tool and its arguments as its own last ones.
  public func run(
    through command: [String] = [], _ arguments: [String], input: String = ""
  ) async throws -> Run {
    // env, because Executable.path wants a type of swift-system, which the package does not name.
    let result = try await Subprocess.run(
      .name("env"), arguments: Arguments(command + [path] + arguments),
      environment: .inherit.updating(["TZ": "UTC", "NO_COLOR": "1"]), input: .string(input),
      output: .string(limit: 64 << 20), error: .string(limit: 1 << 20))
    let status: Int32 =
      switch result.terminationStatus {
      case .exited(let code): code
      case .signaled(let signal): 128 + signal
      }
    if [0, 2, 3].contains(status) {
      try UndocumentedOutput.check(arguments, result.standardOutput)
    }
    return Run(
      status: status, output: result.standardOutput, errorOutput: result.standardError)
  }
}
