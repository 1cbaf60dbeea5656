// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The LTTng session daemon of a recording: one that runs already, or one of our own.
///
/// A recording beside others has a daemon to itself, where that is permitted: each program registers
/// with every session of its daemon, one program after the other, and goes on untraced after a while.
/// Otherwise a daemon of ours serves all recordings of the user that run meanwhile; the last one
/// ends it.
struct SessionDaemon {
  let command: LTTngCommand
  let directory: RuntimeDirectory
  private let starting: FileLock
  private let recording: FileLock

  /// Finds a daemon, or starts one.
  ///
  /// - Parameter process: the process to record, if it runs already: only the shared daemon serves it.
  static func join(for process: pid_t?) async throws -> SessionDaemon {
    let directory = try RuntimeDirectory()
    let starting = try directory.lock("starting")
    starting.lock()
    defer { starting.unlock() }
    let recording = try directory.lock("recording")
    if process == nil, !recording.lockIfFree() {
      let own = try directory.claim()
      starting.unlock()
      if let daemon = try await start(in: own, beside: directory.daemon) { return daemon }
      starting.lock()
    }
    return try await join(directory, starting, recording) {
      let (found, hanging) = try await find(in: directory)
      if let found { return found }
      endLeftBehind(in: directory, recording)
      let isHidden = hanging != nil && geteuid() == 0
      do {
        return (try await start(in: directory, beside: hanging, isHidden: isHidden), "")
      } catch let error as RecordingError {
        // A recorder with another /tmp, where its locks are, may have started one meanwhile.
        guard case .daemonDidNotStart = error, let found = try await find(in: directory).found
        else { throw error }
        return found
      }
    }
  }

  /// Starts a daemon for this recorder alone; nil if that is not permitted.
  private static func start(
    in own: RuntimeDirectory.Claimed, beside shared: ProcessMark?
  ) async throws -> SessionDaemon? {
    let isRoot = geteuid() == 0
    do {
      var command = try await start(in: own.directory, beside: nil, isHidden: isRoot)
      command.isBesideHanging = isRoot && shared.map { isInOtherNamespace($0.id) } ?? false
      return SessionDaemon(
        command: command, directory: own.directory, starting: try own.directory.lock("starting"),
        recording: own.recording)
    } catch let error as RecordingError {
      own.directory.remove()
      if case .toolMissing = error { throw error }
      return nil
    }
  }

  /// Ends the daemons that no recorder uses, and writes the recordings of killed recorders.
  static func endAbandoned() async {
    await endAbandonedOfOne()
    if let daemon = try? await joinRunning() { daemon.leave() }
  }

  private static func endAbandonedOfOne() async {
    for (directory, recording) in (try? RuntimeDirectory().claimAbandoned()) ?? [] {
      guard let starting = try? directory.lock("starting") else { continue }
      var command = LTTngCommand(home: directory.path)
      command.limit = patience
      if geteuid() == 0 { command.namespace = directory.daemon?.id }
      if directory.daemon != nil,
        let list = try? await command.run("lttng", ["--no-sessiond", "list"]), list.isSuccess
      {
        command.limit = LTTngCommand.limit
        try? await RecordingSession.destroyAbandoned(in: list.text, with: command)
      }
      SessionDaemon(
        command: command, directory: directory, starting: starting, recording: recording
      ).leave()
    }
  }

  /// Finds the shared daemon; there may be none.
  private static func joinRunning() async throws -> SessionDaemon {
    let directory = try RuntimeDirectory()
    let starting = try directory.lock("starting")
    starting.lock()
    defer { starting.unlock() }
    return try await join(directory, starting, try directory.lock("recording")) {
      try await find(in: directory).found
    }
  }

  private static func join(
    _ directory: RuntimeDirectory, _ starting: FileLock, _ recording: FileLock,
    _ findOrStart: () async throws -> Found?
  ) async throws -> SessionDaemon {
    let found = try await findOrStart()
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

  /// The timeout for the list of a daemon's sessions; a slower daemon is considered hung.
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
      if isInOtherNamespace(daemon) {
        commands[1].isBesideHanging = true
        commands.reverse()
      }
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
    in directory: RuntimeDirectory, beside hanging: RecordingError?, isHidden: Bool
  ) async throws -> LTTngCommand {
    var command = LTTngCommand(home: directory.path)
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
    command.isBesideHanging = isHidden && hanging != nil
    // Root's programs look for it where every root's daemon is.
    return geteuid() == 0 && !isHidden ? LTTngCommand(home: nil) : command
  }

  /// Starts a daemon of root beside another one, which has the only folder for root's.
  ///
  /// It has that folder in a mount namespace. The recorded program finds it in `LTTNG_HOME`, as
  /// a user's programs do.
  private static func startHidden(
    _ options: [String], in directory: RuntimeDirectory
  ) async throws -> LTTngCommand.Output {
    let home = "\(directory.path)/.lttng"
    mkdir(home, RuntimeDirectory.mode)
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
  ///
  /// - Parameter endingIt: false leaves that to ``endAbandoned()``, in another process.
  func leave(endingIt: Bool = true) {
    guard endingIt else { return recording.unlock() }
    starting.lock()
    defer { starting.unlock() }
    recording.unlock()
    guard recording.lockIfFree() else { return }
    defer { recording.unlock() }
    if let daemon = directory.daemon {
      Self.end(daemon)
      unlink(directory.daemonFile)
    }
    directory.remove()
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
