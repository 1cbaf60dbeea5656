// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that runs already and is recorded from now on.
enum TracedProcess {
  /// Its id in its own pid namespace, which LTTng's context `vpid` is.
  static func innermostID(of process: pid_t) -> pid_t {
    let status = RuntimeDirectory.text(ofFile: "/proc/\(process)/status", limit: 1 << 14) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("NSpid:") }
    return line?.split(whereSeparator: \.isWhitespace).last.flatMap { pid_t($0) } ?? process
  }

  static func check(_ process: pid_t) throws(RecordingError) {
    guard process > 0, SessionDaemon.isRunning(process) else { throw .noSuchProcess(process) }
  }

  /// Waits until the daemon has registered the process: a daemon that was just started is found by
  /// programs within a second or so.
  static func waitUntilTraced(_ process: pid_t, by command: LTTngCommand) async throws {
    // `PID: 2367 - Name: python3`
    for _ in 1...50 {
      let list = try await command.run("lttng", ["--no-sessiond", "list", "--userspace"])
      if list.text.contains("PID: \(process) ") { return }
      try check(process)
      guard !TracedProgram.wasInterrupted else { throw RecordingError.interrupted }
      usleep(100_000)
    }
    throw RecordingError.processNotTraced(process)
  }

  /// Waits until the process ends, or a signal ends us.
  static func wait(for process: pid_t) {
    while SessionDaemon.isRunning(process), !TracedProgram.wasInterrupted { usleep(50_000) }
  }
}
