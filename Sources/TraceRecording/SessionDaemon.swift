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
    try await join { directory, recording in
      let (found, hanging) = try await find(in: directory)
      if let found { return found }
      endLeftBehind(in: directory, recording)
      return (try await start(in: directory, beside: hanging), "")
    }
  }

  /// Finds a daemon; there may be none.
  static func joinRunning() async throws -> SessionDaemon {
    try await join { directory, _ in
      try await find(in: directory).found
    }
  }

  private static func join(
    _ findOrStart: (RuntimeDirectory, FileLock) async throws -> Found?
  ) async throws -> SessionDaemon {
    let directory = try RuntimeDirectory()
    let starting = try directory.lock("starting")
    starting.lock()
    defer { starting.unlock() }
    let recording = try directory.lock("recording")
    let found = try await findOrStart(directory, recording)
    // One that hangs has no answer, and other recordings wait for the lock meanwhile.
    if let found {
      try await RecordingSession.destroyAbandoned(in: found.sessions, with: found.command)
    }
    recording.share()
    return SessionDaemon(
      command: found?.command ?? LTTngCommand(home: directory.path), directory: directory,
      starting: starting, recording: recording)
  }

  /// A daemon that answers, and its list of sessions.
  private typealias Found = (command: LTTngCommand, sessions: String)

  /// A daemon that takes longer to list its sessions hangs.
  private static let patience = Duration.seconds(10)

  /// Finds a daemon that answers, or the error of one that does not.
  private static func find(
    in directory: RuntimeDirectory
  ) async throws -> (found: Found?, hanging: RecordingError?) {
    var hanging: RecordingError?
    var commands = [LTTngCommand(home: nil), LTTngCommand(home: directory.path)]
    // Root has one daemon, except for one of ours in a mount namespace.
    if geteuid() == 0, let daemon = directory.daemon?.id {
      commands[1].namespace = daemon
      // Beside it another one hangs, or did.
      if isInOtherNamespace(daemon) { commands.reverse() }
    }
    for command in commands where geteuid() != 0 || command.home == nil || command.namespace != nil
    {
      var trial = command
      trial.limit = patience
      do {
        let list = try await trial.run("lttng", ["--no-sessiond", "list"])
        if list.isSuccess { return ((command, list.text), nil) }
      } catch let error as RecordingError {
        guard case .tracerHangs = error else { throw error }
        hanging = error
      }
    }
    return (nil, hanging)
  }

  private static func isInOtherNamespace(_ process: pid_t) -> Bool {
    var (other, own) = (stat(), stat())
    return stat("/proc/\(process)/ns/mnt", &other) == 0 && stat("/proc/self/ns/mnt", &own) == 0
      && other.st_ino != own.st_ino
  }

  /// Ends a daemon of ours that hangs, and that no recording uses.
  private static func endLeftBehind(in directory: RuntimeDirectory, _ recording: FileLock) {
    guard let daemon = directory.daemon, recording.lockIfFree() else { return }
    end(daemon)
    recording.unlock()
  }

  private static func start(
    in directory: RuntimeDirectory, beside hanging: RecordingError?
  ) async throws -> LTTngCommand {
    var command = LTTngCommand(home: directory.path)
    let isHidden = hanging != nil && geteuid() == 0
    let options = ["--no-kernel", "--daemonize"]
    let pidFile = "\(directory.path)/daemon.pid"
    let output =
      try await isHidden
      ? startHidden(options + ["--pidfile=\(pidFile)"], in: directory)
      // In ms: a relay daemon that hangs would otherwise hold up the daemon and all its sessions.
      : command.run("lttng-sessiond", options, adding: ["LTTNG_NETWORK_SOCKET_TIMEOUT": "10000"])
    let process =
      isHidden ? RuntimeDirectory.processID(inFile: pidFile) : daemonID(home: directory.path)
    guard output.isSuccess, let daemon = process.flatMap(ProcessMark.init) else {
      throw hanging ?? output.refusal.map { RecordingError.noPermission(reason: $0) }
        ?? RecordingError.daemonDidNotStart(reason: output.lastLine)
    }
    try daemon.write(toFile: directory.daemonFile)
    if isHidden { command.namespace = daemon.id }
    // Root's programs look for it where every root's daemon is.
    return geteuid() == 0 && !isHidden ? LTTngCommand(home: nil) : command
  }

  /// Starts a daemon of root beside another one, which hangs and has the only place for root's.
  ///
  /// It has that place in a mount namespace. The recorded program finds it in `LTTNG_HOME`, as
  /// a user's programs do.
  private static func startHidden(
    _ options: [String], in directory: RuntimeDirectory
  ) async throws -> LTTngCommand.Output {
    let home = "\(directory.path)/.lttng"
    mkdir(home, 0o700)
    let script = "mount -t tmpfs none /run/lttng && exec lttng-sessiond \"$@\""
    return try await LTTngCommand(home: directory.path).run(
      "unshare",
      ["--mount", "sh", "-c", script, "sh", "--apps-sock=\(home)/lttng-ust-sock-8"] + options,
      adding: ["LTTNG_NETWORK_SOCKET_TIMEOUT": "10000"])
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
    guard recording.lockIfFree(), let daemon = directory.daemon else { return }
    defer { recording.unlock() }
    Self.end(daemon)
    unlink(directory.daemonFile)
  }

  /// Ends a daemon of ours and its consumers, also if it hangs.
  static func end(_ daemon: ProcessMark, patience: Duration = .seconds(5)) {
    // NB: LTTng 2.13 may deadlock in its own end. It has removed its files by then.
    let consumers = daemon.children(named: "lttng-consumerd")
    daemon.send(SIGTERM)
    guard !daemon.hasEnded(within: patience) else { return }
    for process in [daemon] + consumers { process.send(SIGKILL) }
    _ = daemon.hasEnded(within: .seconds(5))
  }

  /// Whether a process runs still; one that only waits to be buried by its parent does not.
  static func isRunning(_ pid: pid_t) -> Bool {
    guard let status = RuntimeDirectory.text(ofFile: "/proc/\(pid)/stat", limit: 512),
      let name = status.lastIndex(of: ")")
    else { return false }
    return !status[name...].dropFirst().hasPrefix(" Z")
  }
}
