// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A recording without LTTng: each process writes its debug log into the recording's folder.
///
///     trace/.recording     its owner may write it: processes may start a log
///     trace/4711-probe.log its owner may write it: the process goes on with it
struct LogRecording {
  private let options: RecordingOptions
  private let number = Int64.random(in: 1 ... .max)

  init(_ options: RecordingOptions) { self.options = options }

  /// Runs the program to its end.
  func record(_ untraced: UntracedProcesses) throws(RecordingError) -> Recording {
    // Without it the logs go on if we are killed, up to the end of the program.
    let guardian =
      try? options.guardian.isEmpty
      ? nil : RecordingGuardian(options.guardian + ["--log=\(options.directory)"])
    defer { guardian?.dismiss() }
    guard !TracedProgram.wasInterrupted else { throw .interrupted }
    let folder = LogFolder(options.directory)
    let program = try TracedProgram.start(options.command, adding: variables)
    let limit = LogLimit(of: folder, to: options.logLimit)
    let outcome = TracedProgram.wait(for: program)
    let reached = limit.stop()
    let processes = RecordedProcesses(variable: "\(marker.0)=\(marker.1)", process: nil)
    let leftRunning = processes.namesLeftRunning {
      folder.logs(of: TracedProcess.innermostID(of: $0)).contains { access($0, F_OK) == 0 }
    }
    folder.end()
    var recording = Recording(
      outcome: outcome, directory: options.directory, leftRunning: leftRunning)
    recording.untraced = untraced.drain()
    recording.logLimit = reached
    try recording.seal(knowsOutcome: true, labels: options.labels)
    return recording
  }

  private var marker: (String, String) { ("STORE_TRACE_RECORDING", "\(number)") }

  private var variables: [(String, String)] {
    let isReplayable = !options.startDatabases.isEmpty
    let level = max(options.recordsValues || isReplayable ? 2 : 1, Self.inheritedLevel)
    var variables = [
      marker, ("STORE_SQL_DEBUG", "\(level)"), ("STORE_SQL_DEBUG_FILE", options.directory),
      ("STORE_PROBE_LTTNG", "0"),
    ]
    // A store's tracepoints would wait for a daemon that hangs.
    if getenv("LTTNG_UST_REGISTER_TIMEOUT") == nil {
      variables.append(("LTTNG_UST_REGISTER_TIMEOUT", "0"))
    }
    if isReplayable { variables.append(("STORE_TRACE_VALUES", "whole")) }
    if options.recordsIO { variables.append(("STORE_TRACE_IO", "1")) }
    return variables + (options.probe.map(ProbeLibrary.variables) ?? [])
  }

  private static var inheritedLevel: Int {
    getenv("STORE_SQL_DEBUG").flatMap { Int(String(cString: $0)) } ?? 0
  }
}

/// The logs in the folder of a recording.
struct LogFolder: Hashable, Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  func logs(of process: pid_t) -> [String] {
    RecordedLog.names(process: process).map { "\(path)/\($0)" }
  }

  /// Ends all logs: no process starts one, and none that has one adds to it.
  func end() {
    let mark = "\(path)/\(RecordingMark.fileName)"
    OpenRecording.write(RecordingMark.hasEnded, to: mark)
    chmod(mark, 0o400)
    // One that was made meanwhile is in the second list.
    for _ in 1...2 { for log in logs { chmod(log, 0o400) } }
  }

  /// The size of all logs, in bytes.
  var byteCount: Int64 {
    logs.reduce(0) { total, log in
      var status = stat()
      return stat(log, &status) == 0 ? total + Int64(status.st_size) : total
    }
  }

  /// The bytes of the disk that a user may still write.
  var freeSpace: Int64 {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return .max }
    return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  private var logs: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var logs: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if RecordedLog.isName(name) { logs.append("\(path)/\(name)") }
    }
    return logs
  }
}
