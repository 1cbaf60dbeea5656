// SPDX-License-Identifier: Apache-2.0

import Glibc

extension TraceRecorder {
  /// Loads the probe into a running process, and records a log.
  ///
  /// The recording ends with the process, with a signal for us, or when the time is over. The process then goes on
  /// without it.
  ///
  /// - Throws: ``RecordingError``.
  public static func attach(
    to process: Int32, _ options: RecordingOptions, for duration: Duration? = nil,
    began: () -> Void = {}
  ) throws(RecordingError) -> Recording {
    let injector = try injector(for: process)
    var options = options
    let isNew = try claim(&options.directory)
    do {
      TracedProgram.catchSignals()
      return try record(options, injector, duration, began)
    } catch {
      if isNew { rmdir(options.directory) }
      throw error
    }
  }

  /// Ends the recording that ``attach(to:_:for:began:)`` has started in a process, also if that
  /// recorder was killed.
  ///
  /// - Returns: false if the process was not recorded.
  public static func detach(from process: Int32) throws(RecordingError) -> Bool {
    let name = ProbeLibrary.fileName
    guard AttachTarget(process: process).mappedFiles.contains(where: { $0.hasSuffix("/\(name)") })
    else { return false }
    return try injector(for: process).detach()
  }

  static func injector(for process: Int32) throws(RecordingError) -> ProbeInjector {
    guard process > 0, process != getpid(), SessionDaemon.isRunning(process) else {
      throw .noSuchProcess(process)
    }
    if let obstacle = AttachTarget(process: process).obstacle {
      throw .notAttachable(process, reason: obstacle)
    }
    guard let probe = ProbeLibrary.path() else { throw .toolMissing(ProbeLibrary.fileName) }
    return ProbeInjector(process: process, probe: probe)
  }

  private static func record(
    _ options: RecordingOptions, _ injector: ProbeInjector, _ duration: Duration?,
    _ began: () -> Void
  ) throws(RecordingError) -> Recording {
    let files = try OpenRecording(in: options.directory)
    defer { files.end() }
    let untraced = files.untraced
    let process = injector.process
    try passOwnership(of: [options.directory, files.mark, untraced.variable.1], to: process)
    let guardian =
      try? options.guardian.isEmpty
      ? nil : RecordingGuardian(options.guardian + ["--log=\(options.directory)"])
    defer { guardian?.dismiss() }
    let folder = LogFolder(options.directory)
    try injector.attach(
      settings(log: options.directory, recordsValues: options.recordsValues) + [untraced.variable])
    began()
    let limit = LogLimit(of: folder, to: options.logLimit)
    wait(for: process, duration)
    let runs = SessionDaemon.isRunning(process)
    let threads = try? (runs && runsPython(process) ? Self.threads(of: process) : nil)
    let keptHooks = runs ? detach(injector) : nil
    let reached = limit.stop()
    folder.end()
    var recording = Recording(outcome: .exited(0), directory: options.directory)
    recording.untraced = untraced.drain()
    recording.logLimit = reached
    recording.keptHooks = keptHooks
    recording.threads = threads ?? []
    try recording.seal(knowsOutcome: false, labels: options.labels)
    return recording
  }

  /// Passes files to the user of a process, which writes its log itself.
  static func passOwnership(
    of paths: [String], to process: Int32
  ) throws(RecordingError) {
    guard geteuid() == 0, let user = AttachTarget(process: process).user, user != 0 else { return }
    for path in paths {
      guard chown(path, user, gid_t.max) == 0 else { throw .directoryUnusable(path, code: errno) }
    }
  }

  /// Detaches; returns why the hooks stay if that fails.
  static func detach(_ injector: ProbeInjector) -> String? {
    var reason: String?
    for _ in 1...detachTries {
      do throws(RecordingError) {
        _ = try injector.detach()
        return nil
      } catch {
        guard SessionDaemon.isRunning(injector.process) else { return nil }
        reason = "\(error)"
      }
    }
    return reason
  }

  private static let detachTries = 5

  /// - Parameter log: a file, or the folder of a recording.
  static func settings(log: String, recordsValues: Bool = false) -> [(String, String)] {
    var settings = [
      ("STORE_SQL_DEBUG", recordsValues ? "2" : "1"), ("STORE_SQL_DEBUG_FILE", log),
      ("STORE_PROBE_LTTNG", "0"),
      ("STORE_TRACE_RECORDING", "\(Int64.random(in: 1 ... .max))"),
    ]
    for name in ["STORE_CALLERS", "STORE_CALLERS_SKIP"] {
      if let value = getenv(name) { settings.append((name, String(cString: value))) }
    }
    return settings
  }

  private static func wait(for process: Int32, _ duration: Duration?) {
    let start = ContinuousClock.now
    while SessionDaemon.isRunning(process), !TracedProgram.wasInterrupted {
      if let duration, start.duration(to: .now) >= duration { return }
      usleep(20_000)
    }
  }
}
