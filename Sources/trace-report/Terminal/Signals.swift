// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Signals that a command records and handles later, instead of ending at once.
enum Signals {
  private static let ending = Atomic<Int32>(0)
  private static let suspending = Atomic<Bool>(false)
  private static let resizing = Atomic<Bool>(false)

  /// After this call, the first SIGINT, SIGTERM or SIGHUP is only recorded; the second one ends the
  /// process.
  static func catchEnding() {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      handle(signal, flags: Int32(bitPattern: UInt32(SA_RESETHAND))) { signal in
        Signals.ending.store(signal, ordering: .relaxed)
      }
    }
  }

  /// After this call, SIGTSTP and a change of the terminal's size are only recorded.
  static func catchTerminal() {
    handle(SIGTSTP) { _ in Signals.suspending.store(true, ordering: .relaxed) }
    handle(SIGWINCH) { _ in Signals.resizing.store(true, ordering: .relaxed) }
  }

  /// The signal that requested the end, or nil.
  static var end: Int32? {
    let signal = ending.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }

  /// Whether the terminal has requested a suspension since the last call.
  static func consumeSuspension() -> Bool { suspending.exchange(false, ordering: .relaxed) }

  /// Whether the size has changed since the last call.
  static func consumeResize() -> Bool { resizing.exchange(false, ordering: .relaxed) }

  private static func handle(
    _ signal: Int32, flags: Int32 = 0, _ body: @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    action.sa_flags = flags
    action.__sigaction_handler.sa_handler = body
    // Cannot fail: all of these signals can be caught.
    sigaction(signal, &action, nil)
    // A parent's thread may have blocked it, as the threads of Swift and Java do.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
