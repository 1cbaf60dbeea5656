// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that runs while its debug log is read.
///
///     let recording = try LiveRecording(["transit", "search"])
///     // a reader follows recording.log, and discards the part that it has read
///     try recording.startProgram(output: .standardError)
///     while recording.outcomeIfEnded() == nil { … }
///     recording.end()
///
/// A program that outlives its recorder stops logging, because the log is unlinked.
public final class LiveRecording {
  /// Where the program's standard output and error go; it reads nothing.
  public enum Output: Sendable {
    case standardError
    case file(String)
  }

  private let file: LiveLog
  private let command: [String]
  private var program: pid_t = 0
  private var outcome: Recording.Outcome?

  /// Makes the log, and does not start the program yet.
  ///
  /// - Parameter guardian: as ``RecordingOptions/guardian``.
  public init(_ command: [String], guardian: [String] = []) throws(RecordingError) {
    try TracedProgram.check(command)
    self.command = command
    file = try LiveLog(guardian: guardian)
  }

  /// The log that grows, which exists from the start.
  public var log: String { file.path }

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
  public func end() { file.end() }
}
