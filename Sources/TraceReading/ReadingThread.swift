// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread beside the one that reads; not from a pool, as all threads of a pool may wait for it.
final class ReadingThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private var thread = pthread_t()
  private var isJoined = false

  /// Starts it; `nil` if the system cannot start a thread.
  init?(_ body: @escaping @Sendable () -> Void) {
    // Signals are for the thread that may wait for a pipe.
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGWINCH] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let kept = Unmanaged.passRetained(Body(body))
    let status = pthread_create(
      &thread, nil,
      { body in
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
      }, kept.toOpaque())
    if status != 0 {
      isJoined = true
      kept.release()
      return nil
    }
  }

  deinit { if !isJoined { pthread_detach(thread) } }

  /// Waits until it has ended.
  func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(thread, nil)
  }
}
