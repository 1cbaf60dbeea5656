// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The result of a recording that went to a relay daemon.
public struct RelayedOutcome: Hashable, Sendable {
  public var outcome: Recording.Outcome
  /// The folder of the recording, in that of the relay daemon: `kiosk-7/storescope-2367-18042893`.
  public var folder: String
}

extension TraceRecorder {
  /// Runs a program and streams its recording to a relay daemon; nothing is written here.
  ///
  /// - Throws: ``RecordingError``, also if the relay was lost.
  public static func record(
    _ options: RecordingOptions, to relay: RelayAddress, started: () -> Void,
    lost: @escaping @Sendable () -> Void
  ) async throws -> RelayedOutcome {
    if let process = options.process {
      try TracedProcess.check(process)
    } else {
      try TracedProgram.check(options.command)
    }
    guard let labels = RelayedRecording.path(of: options.labels) else {
      throw RecordingError.labelsTooLong
    }
    let connection = try RelayConnection(relay)
    TracedProgram.catchSignals()
    let target = RelayTarget(
      address: relay, numericHost: connection.numericHost,
      recording: RelayedRecording.name(process: getpid(), number: .random(in: 0 ... .max)),
      labels: labels)
    return try await withSession(options, .stream(target), isLossless: false) { session, command in
      connection.watch(lost)
      started()
      let end = try await run(options, session, command)
      let isLost = connection.stop()
      try await finish(session, target, end, isLost: isLost, command)
      return RelayedOutcome(
        outcome: end.outcome ?? .exited(0), folder: "\(HostName.current)/\(target.recording)")
    }
  }

  fileprivate struct End {
    /// Nil for a process that ran before.
    var outcome: Recording.Outcome?
    var tracerEnded = false
  }

  private static func run(
    _ options: RecordingOptions, _ session: RecordingSession, _ command: LTTngCommand
  ) async throws -> End {
    if let process = options.process {
      TracedProcess.wait(for: process)
      return End()
    }
    let program = try start(options, session, command)
    let watch = TracerWatch(command, program: program, endsProgram: false)
    let outcome = TracedProgram.wait(for: program)
    return End(outcome: outcome, tracerEnded: watch?.stop() == true)
  }

  /// Waits until all is sent, and then has the relay make the folder that states so.
  private static func finish(
    _ session: RecordingSession, _ target: RelayTarget, _ end: End, isLost: Bool,
    _ command: LTTngCommand
  ) async throws {
    guard !end.tracerEnded else {
      throw RecordingError.relayIncomplete(
        target.address.title, reason: "LTTng's consumer daemon ended")
    }
    var reason = isLost ? "it ended, or the network did" : nil
    do {
      try await session.end()
      if reason == nil {
        try await RecordingSession.mark(end.mark, at: target, of: session, with: command)
      }
    } catch let error as RecordingError {
      reason = reason ?? error.description
    }
    guard let reason else { return }
    throw RecordingError.relayIncomplete(target.address.title, reason: reason)
  }
}

extension TraceRecorder.End {
  fileprivate var mark: RelayedRecording.End {
    switch outcome {
    case .exited(let code)?: .exit(code)
    case .killed(let signal)?: .signal(signal)
    case nil: .unseen
    }
  }
}

/// The folder of a recording at a relay daemon.
struct RelayTarget {
  let address: RelayAddress
  let numericHost: String
  let recording: String
  /// As ``RelayedRecording/path(of:)``.
  let labels: String

  var url: String {
    address.url(
      numeric: numericHost, path: labels.isEmpty ? recording : "\(recording)/\(labels)")
  }

  func url(of end: RelayedRecording.End) -> String {
    address.url(
      numeric: numericHost,
      path: "\(recording)/\(RelayedRecording.endFolder)/\(RelayedRecording.name(of: end))")
  }
}
