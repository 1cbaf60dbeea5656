// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The LTTng session daemon of a recording: one that runs already, or one of our own.
///
/// A daemon of ours serves all recordings of the user that run meanwhile; the last one ends it.
struct SessionDaemon {
  let command: LTTngCommand
  let directory: RuntimeDirectory
  private let starting: FileLock
  private let recording: FileLock

  /// Finds a daemon, or starts one.
  ///
  /// - Throws: ``RecordingError`` if there is none to be had.
  static func join() async throws -> SessionDaemon {
    try await join { directory in
      if let command = try await find(in: directory) { return command }
      return try await start(in: directory)
    }
  }

  /// Finds a daemon; there may be none.
  static func joinRunning() async throws -> SessionDaemon {
    try await join { try await find(in: $0) ?? LTTngCommand(home: $0.path) }
  }

  private static func join(
    _ findOrStart: (RuntimeDirectory) async throws -> LTTngCommand
  ) async throws -> SessionDaemon {
    let directory = try RuntimeDirectory()
    let starting = try directory.lock("starting")
    starting.lock()
    defer { starting.unlock() }
    let recording = try directory.lock("recording")
    let command = try await findOrStart(directory)
    try await RecordingSession.destroyAbandoned(with: command)
    recording.share()
    return SessionDaemon(
      command: command, directory: directory, starting: starting, recording: recording)
  }

  private static func find(in directory: RuntimeDirectory) async throws -> LTTngCommand? {
    for command in [LTTngCommand(home: nil), LTTngCommand(home: directory.path)]
    where try await command.run("lttng", ["--no-sessiond", "list"]).isSuccess {
      return command
    }
    return nil
  }

  private static func start(in directory: RuntimeDirectory) async throws -> LTTngCommand {
    let ours = LTTngCommand(home: directory.path)
    let output = try await ours.run(
      "lttng-sessiond", ["--no-kernel", "--daemonize"],
      // In ms: a relay daemon that hangs would otherwise hold up the daemon and all its sessions.
      adding: ["LTTNG_NETWORK_SOCKET_TIMEOUT": "10000"])
    guard output.isSuccess, daemonID(home: directory.path) != nil else {
      throw output.refusal.map { RecordingError.noPermission(reason: $0) }
        ?? RecordingError.daemonDidNotStart(reason: output.lastLine)
    }
    // Root's programs look for it where every root's daemon is.
    return geteuid() == 0 ? LTTngCommand(home: nil) : ours
  }

  /// Root's daemon writes its id where the system keeps such things, a user's where it lives.
  static func daemonID(home: String) -> pid_t? {
    let folder = geteuid() == 0 ? "/var/run/lttng" : "\(home)/.lttng"
    return RuntimeDirectory.processID(inFile: "\(folder)/lttng-sessiond.pid")
  }

  /// Ends the daemon, if one of us started it and no other recording runs.
  func leave() {
    starting.lock()
    defer { starting.unlock() }
    recording.unlock()
    guard recording.lockIfFree(), let pid = directory.daemon else { return }
    defer { recording.unlock() }
    guard kill(pid, SIGTERM) == 0 else { return }
    var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
    for _ in 1...500 where Self.isRunning(pid) { nanosleep(&pause, nil) }
  }

  /// Whether a process runs still; one that only waits to be buried by its parent does not.
  static func isRunning(_ pid: pid_t) -> Bool {
    guard let status = RuntimeDirectory.text(ofFile: "/proc/\(pid)/stat", limit: 512),
      let name = status.lastIndex(of: ")")
    else { return false }
    return !status[name...].dropFirst().hasPrefix(" Z")
  }
}
