// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Records a program's use of SQLite, through LTTng or in logs.
public enum TraceRecorder {
  /// The exit code of the program that was recorded last; 0 if none has ended.
  public static var exitCode: Int32 { TracedProgram.exitCode }

  /// Runs a program and records it; no session and no daemon stays behind.
  ///
  /// The program has our standard input and outputs. A signal to us is passed on to it; the
  /// recording until then is kept. A process that ran before is not ended.
  ///
  /// - Parameters:
  ///   - examiner: for ``RecordingOptions/flight``.
  ///   - willLog: called before the program starts if its log is recorded because LTTng does not work
  ///     here, with the reason.
  ///   - prepare: called with the folder before the program starts.
  /// - Throws: ``RecordingError``.
  public static func record(
    _ options: RecordingOptions, examiner: (any IncidentExaminer)? = nil,
    willLog: (RecordingError) -> Void = { _ in },
    prepare: (String) throws -> Void = { _ in }
  ) async throws -> Recording {
    if let process = options.process {
      try TracedProcess.check(process)
    } else {
      try TracedProgram.check(options.command)
    }
    var options = options
    let isNew = try claim(&options.directory)
    do {
      TracedProgram.catchSignals()
      try prepare(options.directory)
      if options.isSnapshot { SnapshotRequests.catchSignal() }
      return try await recordProgram(options, examiner, willLog)
    } catch {
      // Removes an empty folder only.
      if isNew { rmdir(options.directory) }
      throw error
    }
  }

  private static func recordProgram(
    _ options: RecordingOptions, _ examiner: (any IncidentExaminer)?,
    _ willLog: (RecordingError) -> Void
  ) async throws -> Recording {
    let files = try OpenRecording(in: options.directory)
    defer { files.end() }
    let untraced = files.untraced
    setenv(untraced.variable.0, untraced.variable.1, 1)
    if options.transport == .log { return try LogRecording(options).record(untraced) }
    let mayLog = options.transport == nil && !options.needsLTTng
    var hasSession = false
    do {
      if mayLog, let obstacle = LTTngObstacle.find(options) { throw obstacle }
      return try await withSession(options, options.destination, isLossless: options.isLossless) {
        hasSession = true
        setenv("STORE_TRACE_FOLDER", options.logFolder ?? "", 1)
        var recording = try await record(options, $0, $1, examiner)
        recording.untraced = untraced.drain()
        // Of a program that ran before, the end is not known; incidents are no whole runs.
        if options.flight == nil {
          try recording.seal(knowsOutcome: options.process == nil, labels: options.labels)
        }
        return recording
      }
    } catch let error as RecordingError where mayLog && !hasSession && error.isFromTracer {
      willLog(error)
      return try LogRecording(options).record(untraced)
    }
  }

  /// Runs a body with a session that has started, which is ended if that throws.
  static func withSession<Result>(
    _ options: RecordingOptions, _ destination: RecordingSession.Destination, isLossless: Bool,
    _ body: (RecordingSession, LTTngCommand) async throws -> Result
  ) async throws -> Result {
    let guardian = try RecordingGuardian(options.guardian)
    let daemon: SessionDaemon
    do {
      daemon = try await SessionDaemon.join(for: options.process)
    } catch {
      guardian?.dismiss()
      throw error
    }
    defer {
      daemon.leave(endingIt: guardian == nil)
      guardian?.dismiss(.endDaemon)
    }
    if let process = options.process {
      try await TracedProcess.waitUntilTraced(process, by: daemon.command)
    }
    let session = try await RecordingSession.start(
      destination, of: options.process, isLossless: isLossless, memory: options.memory,
      with: daemon.command)
    do {
      guard !TracedProgram.wasInterrupted else { throw RecordingError.interrupted }
      return try await body(session, daemon.command)
    } catch let error as RecordingError {
      // A daemon that hangs would do so again; `end` has destroyed the session.
      if case .tracerHangs = error { throw error }
      try? await session.end()
      throw error
    }
  }

  private static func record(
    _ options: RecordingOptions, _ session: RecordingSession, _ command: LTTngCommand,
    _ examiner: (any IncidentExaminer)?
  ) async throws -> Recording {
    guard let flight = options.flight, let examiner else {
      return try await record(options, session, command)
    }
    var recorder = try FlightRecorder(
      session, command, flight, folder: options.directory,
      snapshotSize: RecordingSession.snapshotSize(memory: options.memory), examiner: examiner)
    try await recorder.start()
    var outcome: Recording.Outcome?
    if let process = options.process {
      await recorder.run { !SessionDaemon.isRunning(process) || TracedProgram.wasInterrupted }
    } else {
      let program = try start(options, session, command)
      await recorder.run {
        outcome = TracedProgram.outcomeIfEnded(program)
        return outcome != nil
      }
    }
    await recorder.stop()
    try await session.end()
    return Recording(
      outcome: outcome ?? .exited(0), directory: options.directory, incidents: recorder.incidents)
  }

  private static func record(
    _ options: RecordingOptions, _ session: RecordingSession, _ command: LTTngCommand
  ) async throws -> Recording {
    if let process = options.process {
      TracedProcess.wait(for: process)
      try await session.end()
      return Recording(outcome: .exited(0), directory: options.directory)
    }
    let program = try start(options, session, command)
    let watch = TracerWatch(command, program: program, endsProgram: options.isLossless)
    let requests = options.isSnapshot ? SnapshotRequests(until: program) : nil
    let snapshots = await requests?.serve { await session.takeSnapshot() }
    let outcome = requests?.outcome ?? TracedProgram.wait(for: program)
    if watch?.stop() == true {
      if options.isLossless { TracedProgram.discardExitCode() }
      throw RecordingError.tracerEnded(
        directory: options.directory, programToo: options.isLossless)
    }
    let leftRunning = session.processes.namesLeftRunning()
    try await session.end()
    return Recording(
      outcome: outcome, directory: options.directory, snapshots: snapshots.map { $0 + 1 } ?? 0,
      leftRunning: leftRunning)
  }

  static func start(
    _ options: RecordingOptions, _ session: RecordingSession, _ command: LTTngCommand
  ) throws(RecordingError) -> pid_t {
    try TracedProgram.start(
      options.command,
      adding: [session.variable] + (options.probe.map(ProbeLibrary.variables) ?? [])
        + variables(
          isLossless: options.isLossless, recordsValues: options.recordsValues,
          recordsIO: options.recordsIO, command))
  }

  /// Waits until a recorder ends, and ends its daemon, and if it was killed, its session or its logs.
  ///
  /// The recording until then is written.
  /// For the program that ``RecordingOptions/guardian`` names.
  ///
  /// - Parameter log: the folder, if the recorder records logs.
  public static func cleanUp(after recorder: Int32, log: String? = nil) async {
    let word = RecordingGuardian.wordOfRecorder()
    if word == .nothing { return }
    if word == nil {
      if let log { return LogFolder(log).end() }
      var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
      for _ in 1...500 where SessionDaemon.isRunning(recorder) { nanosleep(&pause, nil) }
    }
    // Whatever fails here, the error has no reader; the next recording tries again.
    if let directory = try? RuntimeDirectory() { LiveLog.removeAbandoned(in: directory) }
    await SessionDaemon.endAbandoned()
  }

  /// The number of our own filters of system calls, which a program inherits; nil before Linux 5.9.
  private static var seccompFilters: String? {
    RuntimeDirectory.text(ofFile: "/proc/self/status", limit: 8192)?.split(separator: "\n")
      .first { $0.hasPrefix("Seccomp_filters:") }
      .map { $0.drop { !$0.isNumber }.description }
  }

  /// The variables that a program's environment needs to be traced through a daemon.
  static func variables(
    isLossless: Bool = false, recordsValues: Bool = false, recordsIO: Bool = false,
    _ command: LTTngCommand
  ) -> [(String, String)] {
    // A recording that contains this one may record logs.
    var variables = [("STORE_PROBE_LTTNG", "1")]
    if let home = command.home { variables.append(("LTTNG_HOME", home)) }
    if let count = seccompFilters { variables.append(("STORE_TRACE_FILTERS", count)) }
    if isLossless { variables.append(("LTTNG_UST_ALLOW_BLOCKING", "1")) }
    if recordsValues { variables.append(("STORE_TRACE_VALUES", "1")) }
    if recordsIO { variables.append(("STORE_TRACE_IO", "1")) }
    // By default a program goes on untraced if the daemon has not answered within 3 s, which it
    // may not on a busy machine; 30 s. Beside a daemon that hangs, each process waits that long.
    if getenv("LTTNG_UST_REGISTER_TIMEOUT") == nil {
      let milliseconds = command.isBesideHanging ? "3000" : "30000"
      variables.append(("LTTNG_UST_REGISTER_TIMEOUT", milliseconds))
    }
    return variables
  }

  /// Makes the folder, or finds it empty; its path is absolute from then on.
  static func claim(_ path: inout String) throws(RecordingError) -> Bool {
    let isNew = mkdir(path, 0o755) == 0
    guard isNew || errno == EEXIST else { throw .directoryUnusable(path, code: errno) }
    guard let absolute = realpath(path, nil) else { throw .directoryUnusable(path, code: errno) }
    defer { free(absolute) }
    guard let folder = opendir(absolute) else { throw .directoryUnusable(path, code: errno) }
    defer { closedir(folder) }
    var entries = 0
    while readdir(folder) != nil { entries += 1 }
    // `.` and `..` are always there.
    guard entries <= 2 else { throw .directoryNotEmpty(path) }
    path = String(cString: absolute)
    return isNew
  }
}
