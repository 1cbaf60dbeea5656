// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why a program could not be recorded.
public enum RecordingError: Error, Hashable, Sendable {
  case toolMissing(String)
  /// The probe's library that sends events to LTTng.
  case tracepointsMissing
  /// A limit of the process that the program inherits, in the unit of `ulimit`.
  case limitTooLow(String, UInt)
  case daemonDidNotStart(reason: String)
  case noPermission(reason: String)
  case sharedMemoryTooSmall(available: Int, needed: Int)
  case commandMissing(String)
  case commandNotStarted(String, code: Int32)
  case outputUnusable(String, code: Int32)
  case directoryNotEmpty(String)
  case directoryUnusable(String, code: Int32)
  case runtimeDirectoryUnsafe(String)
  case runtimeDirectoryUnusable(String, code: Int32)
  case tracerFailed(command: String, reason: String)
  case tracerHangs(command: String, limit: Duration)
  /// - Parameter programToo: whether the program waited for the tracer, and was ended as well.
  case tracerEnded(directory: String, programToo: Bool)
  case interrupted
  case noSuchProcess(Int32)
  case processNotTraced(Int32)
  case notAttachable(Int32, reason: String)
  case diskTooSmall(given: Int, needed: Int)
  case relayUnknown(String, reason: String)
  case relayUnreachable(String, reason: String)
  /// Something else listens there.
  case relayIsOther(String)
  case relayIncomplete(String, reason: String)
  case labelsTooLong
}

extension RecordingError {
  /// Whether LTTng is the reason, so that a log can be recorded.
  var isFromTracer: Bool {
    switch self {
    case .toolMissing, .tracepointsMissing, .limitTooLow, .daemonDidNotStart, .noPermission,
      .sharedMemoryTooSmall, .runtimeDirectoryUnsafe, .runtimeDirectoryUnusable, .directoryUnusable,
      .tracerFailed, .tracerHangs, .commandNotStarted:
      true
    default: false
    }
  }
}

extension RecordingError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .toolMissing(let tool):
      "'\(tool)' is not installed; install LTTng, on Debian and Ubuntu: apt install "
        + (tool.hasPrefix("lib") ? "liblttng-ust1" : "lttng-tools")
    case .tracepointsMissing:
      "libstorescope-probe-lttng.so is not beside the probe; install liblttng-ust-dev, and build the "
        + "probe again: make probe"
    case .limitTooLow(let name, let value):
      "the limit '\(name)' of \(value) leaves no room for LTTng; raise it"
    case .daemonDidNotStart(let reason):
      "the LTTng session daemon did not start (\(reason)); record with --log"
    case .noPermission(let reason):
      "no permission to trace (\(reason)); join the group 'tracing', or allow writing to "
        + "/dev/shm and the session daemon's socket"
    case .sharedMemoryTooSmall(let available, let needed):
      "/dev/shm has \(available >> 10) KiB free, tracing needs \(needed >> 10) KiB; "
        + "enlarge it (docker run --shm-size=256m)"
    case .commandMissing(let command):
      "cannot find the program '\(command)'; pass its path after --"
    case .commandNotStarted(let command, let code):
      "cannot start '\(command)': \(Self.text(code))"
    case .outputUnusable(let path, let code):
      "cannot write '\(path)': \(Self.text(code)); choose another file with -o"
    case .directoryNotEmpty(let path):
      "the folder '\(path)' is not empty; choose another with -o, or remove it"
    case .directoryUnusable(let path, let code):
      "cannot use the folder '\(path)': \(Self.text(code)); choose another with -o"
    case .runtimeDirectoryUnsafe(let path):
      "the folder '\(path)' belongs to another user or is open to others; remove it"
    case .runtimeDirectoryUnusable(let path, let code):
      "cannot write '\(path)': \(Self.text(code)); make /tmp writable"
    case .tracerFailed(let command, let reason):
      "'\(command)' failed: \(reason)"
    case .tracerHangs(let command, let limit):
      "'\(command)' was ended after \(limit.components.seconds) s without an answer, so a trace may lack "
        + "its last events; check that the output folder's disk has space, and restart lttng-sessiond"
    case .tracerEnded(let directory, let programToo):
      "LTTng's consumer daemon ended before the program, so the trace in '\(directory)' is incomplete; "
        + (programToo
          ? "the program was ended as well, as --lossless makes it wait for the daemon; record again"
          : "record again")
    case .interrupted:
      "interrupted before the program was started; nothing was recorded"
    case .noSuchProcess(let id):
      "no process \(id); pass the id of a running program"
    case .processNotTraced(let id):
      "process \(id) is not traced: it was started without the probe and without a store's LTTng "
        + "trait, or by another user; load the probe into it: trace-report attach \(id)"
    case .notAttachable(let id, let reason):
      "cannot attach to process \(id): \(reason)"
    case .diskTooSmall(let given, let needed):
      "the snapshots of these conditions need \(needed >> 20) MiB, and --disk allows "
        + "\(given >> 20); raise --disk or lower --memory"
    case .relayUnknown(let host, let reason):
      "the host '\(host)' of the relay is unknown (\(reason)); check --relay, or pass its address"
    case .relayUnreachable(let address, let reason):
      "no relay daemon answers at \(address) (\(reason)), so nothing was recorded; start one there: "
        + "lttng-relayd --output=FOLDER"
    case .relayIsOther(let address):
      "\(address) is not an LTTng relay daemon, so nothing was recorded; pass the control port of "
        + "one: --relay HOST:PORT"
    case .relayIncomplete(let address, let reason):
      "the relay daemon at \(address) did not get all of the recording (\(reason)); its part there "
        + "is marked as not ended; check the daemon, its disk and the network, and record again"
    case .labelsTooLong:
      "the labels do not fit into the path of the relay's folder, where they are kept; shorten them"
    }
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
