// SPDX-License-Identifier: Apache-2.0

import CProbeInjector
import Glibc

/// Loads the probe into a running process, and calls it there.
struct ProbeInjector {
  let process: pid_t
  let probe: String

  // A process that has no safe moment in two seconds is not interrupted for longer.
  private static let milliseconds: Int32 = 2000

  /// Begins a recording with settings, as lines of an environment.
  func attach(_ settings: [(String, String)]) throws(RecordingError) {
    let lines = settings.map { "\($0.0)=\($0.1)" }.joined(separator: "\n")
    guard try call("sqliteprobe_attach", lines) == 0 else {
      throw failure(
        "it is recorded already; end that recording, or: trace-report attach --detach \(process)")
    }
  }

  /// Ends the recording, and has the process call SQLite directly again.
  ///
  /// - Returns: false if none had begun.
  func detach() throws(RecordingError) -> Bool { try call("sqliteprobe_detach", nil) == 0 }

  /// Has the process append the lines of its threads to a file, by a thread of the probe's own.
  func appendThreads(to path: String) throws(RecordingError) {
    guard try call("sqliteprobe_threads", path) == 0 else {
      throw failure("it could not start a thread; check its limit of threads")
    }
  }

  private func failure(_ reason: String) -> RecordingError {
    .notAttachable(process, reason: reason)
  }

  private func call(_ function: String, _ text: String?) throws(RecordingError) -> Int32 {
    // The double slash is the sign by which the library waits for the call.
    let parts = probe.split(separator: "/", omittingEmptySubsequences: true)
    let path = "/" + parts.dropLast().joined(separator: "/") + "/.//" + (parts.last ?? "")
    let result = CProbeInjector_call(process, path, function, text, Self.milliseconds)
    let detail = withUnsafeBytes(of: result.detail) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    switch UInt32(bitPattern: result.outcome) {
    case CProbeInjector_done.rawValue: return result.value
    case CProbeInjector_ended.rawValue: throw failure("it has ended")
    case CProbeInjector_not_permitted.rawValue: throw failure(permission(result.error))
    case CProbeInjector_no_safe_point.rawValue:
      throw failure(
        "it was at no point in \(Self.milliseconds / 1000) s where a library can be loaded "
          + "(\(detail)); it goes on unchanged; try again")
    case CProbeInjector_hung.rawValue:
      throw failure(
        "it did not load the probe within \(Self.milliseconds / 1000) s; it goes on, and the probe "
          + "may be loaded without effect; start it with 'trace-report record' instead")
    case CProbeInjector_not_loaded.rawValue:
      throw failure(
        "it could not load \(probe); make that file readable for its user, and check its limits "
          + "of memory")
    default: throw failure(detail)
    }
  }

  private func permission(_ code: Int32) -> String {
    let scope =
      RuntimeDirectory.text(ofFile: "/proc/sys/kernel/yama/ptrace_scope", limit: 8)?.first
    return scope == "0" || scope == nil
      ? "the kernel permits no tracing (\(String(cString: strerror(code)))); attach as root, and in "
        + "a container with the capability SYS_PTRACE"
      : "the kernel permits only parents to trace (kernel.yama.ptrace_scope=\(scope ?? "1")); "
        + "attach as root"
  }
}
