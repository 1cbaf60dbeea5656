// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that runs under LTTng while its events are read.
///
///     let recording = try await LiveRecording.start(["transit", "search"])
///     // a reader joins the session at recording.address
///     try recording.startProgram()
///     while recording.outcomeIfEnded() == nil { … }
///     await recording.end()
public final class LiveRecording {
  /// Where the program's standard output and error go; it reads nothing.
  public enum Output: Sendable {
    case standardError
    case file(String)
  }

  /// Where libbabeltrace2 joins the session: `net://127.0.0.1:PORT/host/HOSTNAME/SESSION`.
  public let address: String
  /// Where the relay daemon keeps what it passes on.
  public let folder: String
  private let command: [String]
  private let guardian: RecordingGuardian?
  private let daemon: SessionDaemon
  private let relay: RelayDaemon
  private let session: RecordingSession
  private var program: pid_t = 0
  private var outcome: Recording.Outcome?

  private init(
    _ command: [String], _ guardian: RecordingGuardian?, _ daemon: SessionDaemon,
    _ relay: RelayDaemon, _ session: RecordingSession, address: String
  ) {
    self.command = command
    self.guardian = guardian
    self.daemon = daemon
    self.relay = relay
    self.session = session
    self.address = address
    folder = relay.traces
  }

  /// Starts what a live session needs, not yet the program; on failure nothing of it remains.
  ///
  /// - Parameter guardian: as ``RecordingOptions/guardian``.
  /// - Throws: ``RecordingError``.
  public static func start(
    _ command: [String], guardian: [String] = []
  ) async throws -> LiveRecording {
    try TracedProgram.check(command)
    let guardian = try RecordingGuardian(guardian)
    var undo = [{ guardian?.dismiss() ?? () }]
    do {
      let daemon = try await SessionDaemon.join()
      undo.append { daemon.leave() }
      let relay = try RelayDaemon.start(in: daemon.directory)
      undo.append { relay.end() }
      let session = try await RecordingSession.start(.relay(relay), with: daemon.command)
      return LiveRecording(
        command, guardian, daemon, relay, session, address: session.address ?? "")
    } catch {
      for step in undo.reversed() { step() }
      throw error
    }
  }

  /// Starts the program.
  ///
  /// - Parameter probe: the library that observes programs without the store; nil for stores alone.
  /// - Throws: ``RecordingError``.
  public func startProgram(output: Output, probe: String?) throws(RecordingError) {
    let output: TracedProgram.Output =
      switch output {
      case .standardError: .standardError
      case .file(let path): .file(path)
      }
    program = try TracedProgram.start(
      command,
      adding: [session.variable] + (probe.map(ProbeLibrary.variables) ?? [])
        + TraceRecorder.variables(daemon.command),
      output: output)
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

  /// Removes the session, and the daemons that were started for it.
  public func end() async {
    // The error has no reader; the next recording removes what stayed.
    try? await session.end()
    relay.end()
    daemon.leave()
    guardian?.dismiss()
  }
}
