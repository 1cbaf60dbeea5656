// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

/// The events to record, and the destination.
public struct RecordingOptions: Hashable, Sendable {
  /// The program and its arguments; empty where ``process`` is recorded.
  public var command: [String]
  /// A process that runs already, with the probe or a store.
  public var process: Int32?
  /// The folder of the trace; absent or empty.
  public var directory: String
  /// Keeps the newest events in memory, and writes them when the program ends and at SIGUSR1.
  public var isSnapshot = false
  /// Of the buffers, in bytes for each processor; as much as is useful, by default.
  public var memory: Int?
  /// Lets the program wait for the tracer where a full buffer would lose an event.
  public var isLossless = false
  /// Records values that the program's statements bind, which may be private.
  public var recordsValues = false
  /// Databases with statements to record with whole values, so that they can be replayed.
  public var startDatabases: [String] = []
  /// Records the reads, writes and syncs of statements and commits.
  public var recordsIO = false
  /// The library that observes programs without the store; nil to record stores alone.
  public var probe: String?
  /// How the events get into the folder; nil for LTTng where it works, and otherwise the log.
  public var transport: Transport?
  /// The maximum size of the logs, in bytes; nil for 1 GiB, or a quarter of the free space.
  public var logLimit: Int?
  /// When to take snapshots; nil to record all the time.
  public var flight: FlightOptions?
  /// Labels of the run for its folder, such as `version`.
  public var labels: [String: String] = [:]
  /// A program, and its arguments, that calls ``TraceRecorder/cleanUp(after:)`` with the number
  /// that is added as the last argument; if empty, nothing is cleaned up if we are killed.
  public var guardian: [String] = []

  /// How events get from the program into the folder of a recording.
  public enum Transport: Hashable, Sendable {
    /// LTTng's daemons, which write a trace.
    case lttng
    /// Each process writes a debug log.
    case log
  }

  public init(command: [String], directory: String) {
    self.command = command
    self.directory = directory
  }
}

extension RecordingOptions {
  /// Where a process that LTTng does not fit into may write its log; nil if all events go elsewhere.
  var logFolder: String? { isSnapshot || flight != nil || process != nil ? nil : directory }

  /// Whether the options need LTTng, as a log cannot do the same.
  var needsLTTng: Bool {
    isSnapshot || isLossless || flight != nil || memory != nil || process != nil
  }

  var destination: RecordingSession.Destination {
    if flight != nil { return .flight(directory) }
    return isSnapshot ? .snapshot(directory) : .folder(directory)
  }
}

/// The result of a recording.
public struct Recording: Hashable, Sendable {
  /// How the recorded program ended.
  public enum Outcome: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  public var outcome: Outcome
  public var directory: String
  /// How often the events in memory were written; 0 if all of them were, all the time.
  public var snapshots = 0
  /// How often a condition of a flight recorder held.
  public var incidents = 0
  /// Processes that were recorded and still ran at the end, such as `python3[4711]`: daemons.
  public var leftRunning: [String] = []
  /// Processes that could not be recorded, each with the reason.
  public var untraced: [String] = []
  /// The size at which the log ended, in bytes; nil if it did not.
  public var logLimit: Int64?
  /// Why a running process keeps the probe's hooks, which record nothing any more.
  public var keptHooks: String?
  /// Where the threads of a process were that runs on; empty if that is unknown.
  public var threads: [ProgramThread] = []

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
  /// Writes how the program ended, and a hash of the trace, beside it.
  func seal(knowsOutcome: Bool, labels: [String: String]) throws(RecordingError) {
    guard hasTrace else { return }
    let path = "\(directory)/\(RecordingSeal.fileName)"
    let (code, signal): (Int32?, Int32?) =
      switch outcome {
      case _ where !knowsOutcome: (nil, nil)
      case .exited(let code): (code, nil)
      case .killed(let signal): (nil, signal)
      }
    let seal = RecordingSeal(
      ofTrace: directory, exitCode: code, signal: signal, labels: labels.isEmpty ? nil : labels,
      leftRunning: leftRunning.isEmpty ? nil : leftRunning,
      untraced: untraced.isEmpty ? nil : untraced, logLimit: logLimit)
    guard let seal else { throw .outputUnusable(path, code: errno) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      try encoder.encode(seal).write(to: URL(filePath: path))
    } catch {
      throw .outputUnusable(path, code: errno)
    }
  }

  /// Whether any process wrote events; LTTng makes its folders in any case.
  public var hasTrace: Bool {
    FileManager.default.enumerator(atPath: directory)?.contains {
      let path = $0 as? String ?? ""
      return path.hasSuffix("/metadata") || RecordedLog.isName(path)
    } ?? false
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
