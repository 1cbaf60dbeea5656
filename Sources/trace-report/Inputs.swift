// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceAnalysis
import TraceReading

/// The traces and logs that a command reads.
struct Inputs: ParsableArguments {
  @Argument(help: "CTF folders and debug logs; - is standard input.")
  var paths: [String]

  /// Reads all of them, with progress on a terminal if that takes over a second.
  func profile() throws -> Profile {
    try Self.profile(of: paths)
  }

  static func profile(of paths: [String]) throws -> Profile {
    var progress = Progress("events read")
    defer { progress.end() }
    do {
      return try Profile(reading: paths) { progress.report($0) }
    } catch let error as TraceReadingError {
      throw Failure(error)
    }
  }
}
