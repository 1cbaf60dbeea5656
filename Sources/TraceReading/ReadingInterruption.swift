// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// SIGINT and SIGTERM while inputs are read: reading ends there, and the events read until then
/// count.
public enum ReadingInterruption {
  private static let requested = Atomic<Bool>(false)

  /// Whether reading was, or is to be, ended early.
  public static var isRequested: Bool { requested.load(ordering: .relaxed) }

  static let sentence = "reading was interrupted; what follows was not read"

  /// After this call, the first signal ends the reading, and a second one the process.
  public static func catchSignals() {
    catchSignals { _ in ReadingInterruption.requested.store(true, ordering: .relaxed) }
  }

  /// After this call, a signal ends the process: nothing is read, and nothing checks for a request.
  public static func endProcess() {
    // As for an interruption of the reading: 130.
    catchSignals { _ in _exit(130) }
  }

  private static func catchSignals(_ body: @convention(c) (Int32) -> Void) {
    for signal in [SIGINT, SIGTERM] {
      var action = sigaction()
      // Without SA_RESTART: a read of a pipe without data must end as well.
      action.sa_flags = CInt(truncatingIfNeeded: SA_RESETHAND)
      action.__sigaction_handler.sa_handler = body
      // Cannot fail: these two may be caught.
      sigaction(signal, &action, nil)
    }
  }
}
