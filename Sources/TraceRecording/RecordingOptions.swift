// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What to record, and where to.
public struct RecordingOptions: Hashable, Sendable {
  /// The program and its arguments.
  public var command: [String]
  /// The folder of the trace; absent or empty.
  public var directory: String
  /// Keeps the newest events in memory, and writes them when the program ends and at SIGUSR1.
  public var isSnapshot = false
  /// Of the buffers, in bytes for each processor; as much as is of use, unless told.
  public var memory: Int?
  /// Lets the program wait for the tracer where a full buffer would lose an event.
  public var isLossless = false
  /// Records values that the program's statements bind, which may be private.
  public var recordsValues = false
  /// The library that observes programs without the store; nil to record stores alone.
  public var probe: String?
  /// A program, and its arguments, that calls ``TraceRecorder/standGuard(over:)`` with the number
  /// that is added as the last argument; if empty, nobody cleans up after us if we are killed.
  public var guardian: [String] = []

  public init(command: [String], directory: String) {
    self.command = command
    self.directory = directory
  }
}

/// What came of a recording.
public struct Recording: Hashable, Sendable {
  /// How the recorded program ended.
  public enum Outcome: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  public var outcome: Outcome
  public var directory: String
  /// How often what was in memory was written; 0 if all of it was, all the time.
  public var snapshots = 0

  /// The code a shell would report: the program's own, or 128 and the signal that ended it.
  public var exitCode: Int32 { outcome.exitCode }
}

extension Recording.Outcome {
  /// The code a shell would report: the program's own, or 128 and the signal that ended it.
  public var exitCode: Int32 {
    switch self {
    case .exited(let code): code
    case .killed(let signal): 128 + signal
    }
  }
}

extension Recording {
  /// Whether any process wrote events; LTTng makes its folders in any case.
  public var hasTrace: Bool {
    FileManager.default.enumerator(atPath: directory)?
      .contains { ($0 as? String)?.hasSuffix("/metadata") ?? false } ?? false
  }

  /// The size of the files of the trace, in bytes.
  public var byteCount: Int {
    guard let files = FileManager.default.enumerator(atPath: directory) else { return 0 }
    var total = 0
    while files.nextObject() != nil {
      total += (files.fileAttributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    return total
  }
}
