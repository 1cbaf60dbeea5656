// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// Watches LTTng's daemons while a program is recorded.
///
/// A program that is recorded without loss waits for the consumer daemon while its buffers are full.
/// After the end of that daemon it would wait without end, so the watch ends the program.
final class TracerWatch: Sendable {
  private enum State { case watching, stopped, daemonEnded }

  private let daemons: [ProcessMark]
  private let program: pid_t
  private let endsProgram: Bool
  private let state = Mutex<State>(.watching)

  /// Starts to watch, until ``stop()``; `nil` if the daemons are not visible to this user.
  init?(_ command: LTTngCommand, program: pid_t, endsProgram: Bool) {
    let home = command.home ?? getenv("HOME").map { String(cString: $0) }
    guard let home,
      let session = (command.namespace ?? SessionDaemon.daemonID(home: home))
        .flatMap(ProcessMark.init)
    else { return nil }
    let consumers = session.children(named: "lttng-consumerd")
    guard !consumers.isEmpty else { return nil }
    daemons = [session] + consumers
    self.program = program
    self.endsProgram = endsProgram
    Thread.detachNewThread { [self] in watch() }
  }

  /// Ends the watch; to be called as soon as the program has ended.
  ///
  /// - Returns: whether a daemon ended before the program did.
  func stop() -> Bool {
    state.withLock { state in
      if state == .watching { state = .stopped }
      return state == .daemonEnded
    }
  }

  private func watch() {
    while daemons.allSatisfy(\.isRunning) {
      guard state.withLock({ $0 }) == .watching else { return }
      Self.pause()
    }
    let isFirst = state.withLock { state in
      guard state == .watching else { return false }
      state = .daemonEnded
      return true
    }
    guard isFirst, endsProgram else { return }
    // Python, for one, handles a signal only once the call that waits for the tracer returns.
    kill(program, SIGTERM)
    for _ in 1...50 where SessionDaemon.isRunning(program) { Self.pause() }
    if SessionDaemon.isRunning(program) { kill(program, SIGKILL) }
  }

  private static func pause() {
    var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
    nanosleep(&pause, nil)
  }
}
