// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Counts the instructions that `trace-report summary` takes for an event of a debug log and of a
/// trace, all threads together: the difference of a long input and a short one, so that what the
/// program does once does not show.
struct ReadingCounter {
  /// Where `trace-report` and `event-emitter` were built.
  let programs: String
  let counter: PathCounter

  private static let (few, many) = (20_000, 60_000)

  /// By the name of the path.
  func counts() throws -> [String: Thresholds.Counts] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reading-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    complain("counting readLog")
    let log = try perEvent { events in
      let log = "\(folder)/\(events).log"
      try counter.run(
        ["\(programs)/event-emitter", "mix", "\(events)"],
        ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
      return log
    }
    complain("counting readTrace")
    let trace = try perEvent { events in
      let trace = "\(folder)/\(events)"
      try counter.run(
        [
          "\(programs)/trace-report", "record", "--lossless", "-o", trace, "--",
          "\(programs)/event-emitter", "mix", "\(events)",
        ], ["LTTNG_UST_REGISTER_TIMEOUT": "3000", "LTTNG_HOME": NSHomeDirectory()])
      return trace
    }
    return ["readLog": log, "readTrace": trace]
  }

  private func perEvent(_ input: (Int) throws -> String) throws -> Thresholds.Counts {
    let counts = try [Self.few, Self.many].map { try self.instructions(try input($0)) }
    let each = (counts[1] - counts[0]) / Double(Self.many - Self.few)
    return Thresholds.Counts(allocations: nil, instructions: PathCounter.tenths(each))
  }

  private func instructions(_ input: String) throws -> Double {
    let command = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
      "\(programs)/trace-report", "summary", input,
    ]
    return try counter.collected(command, try counter.run(command).log)
  }
}
