// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A program that runs while its debug log is read.
///
///     let recording = try LiveRecording(["transit", "search"])
///     // a reader follows recording.log, and discards the part that it has read
///     try recording.startProgram(output: .standardError)
///     while recording.outcomeIfEnded() == nil { … }
///     recording.end()
///
/// The log is in a private folder, `/tmp/trace-report-1000/live-2367/` of the recorder with that
/// process id. A program that outlives its recorder stops logging, because the log is unlinked.
public final class LiveRecording {
  /// Where the program's standard output and error go; it reads nothing.
  public enum Output: Sendable {
    case standardError
    case file(String)
  }

  /// The log that grows, which exists from the start.
  public let log: String
  private let folder: String
  private let command: [String]
  private let guardian: RecordingGuardian?
  private var program: pid_t = 0
  private var outcome: Recording.Outcome?

  /// Makes the log, and does not start the program yet.
  ///
  /// - Parameter guardian: as ``RecordingOptions/guardian``.
  public init(_ command: [String], guardian: [String] = []) throws(RecordingError) {
    try TracedProgram.check(command)
    self.command = command
    let directory = try RuntimeDirectory()
    Self.removeAbandoned(in: directory)
    folder = "\(directory.path)/\(Self.prefix)\(getpid())"
    log = "\(folder)/debug.log"
    try? FileManager.default.removeItem(atPath: folder)
    guard mkdir(folder, 0o700) == 0 else { throw .directoryUnusable(folder, code: errno) }
    let file = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .directoryUnusable(folder, code: errno) }
    close(file)
    self.guardian = try RecordingGuardian(guardian)
  }

  public func startProgram(output: Output) throws(RecordingError) {
    let output: TracedProgram.Output =
      switch output {
      case .standardError: .standardError
      case .file(let path): .file(path)
      }
    program = try TracedProgram.start(
      command, adding: LoggedProgram.variables(log: log), output: output)
  }

  /// How the program ended, or nil while it runs.
  public func outcomeIfEnded() -> Recording.Outcome? {
    if outcome == nil, program > 0 { outcome = TracedProgram.outcomeIfEnded(program) }
    return outcome
  }

  /// Terminates the program, and waits for that, five seconds at most.
  ///
  /// - Returns: how it ended, or nil if it goes on.
  public func endProgram() -> Recording.Outcome? {
    guard program > 0, outcomeIfEnded() == nil else { return outcome }
    kill(program, SIGTERM)
    for _ in 1...500 where outcomeIfEnded() == nil { usleep(10_000) }
    return outcome
  }

  /// Removes the log.
  public func end() {
    try? FileManager.default.removeItem(atPath: folder)
    guardian?.dismiss()
  }

  /// Removes the logs of recorders that were killed.
  static func removeAbandoned(in directory: RuntimeDirectory) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let recorder = pid_t(name.dropFirst(prefix.count)), !SessionDaemon.isRunning(recorder)
      else { continue }
      try? FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
    }
  }

  private static let prefix = "live-"
}
