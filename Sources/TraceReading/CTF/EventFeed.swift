// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Reads a trace in a thread of its own, a few batches ahead of who makes values of them.
///
///     libbabeltrace2 ─ copy ─▶ filled ─▶ events, profile
///                        ▲                  │
///                        └───── spare ◀─────┘
///
/// Unchecked: `condition` guards `filled`, `spare` and `isStopped`; the reader is the thread's until
/// it has ended.
final class EventFeed: @unchecked Sendable {
  private let reader: CTFEventReader
  private let condition = NSCondition()
  private var filled: [EventBatch] = []
  private var spare: [EventBatch]
  private var isStopped = false
  private var thread = pthread_t()

  // 4 is arbitrary: one is filled, one is read, and two bridge where either is late.
  private static let batchCount = 4

  /// `nil` if the system cannot start a thread.
  init?(_ reader: CTFEventReader) {
    self.reader = reader
    spare = (0..<Self.batchCount).map { _ in EventBatch() }
    // Signals are for the thread that may wait for a pipe.
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGWINCH] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let status = pthread_create(
      &thread, nil,
      { feed in
        if let feed { Unmanaged<EventFeed>.fromOpaque(feed).takeUnretainedValue().run() }
        return nil
      },
      // Unretained: `stop()` waits for the thread.
      Unmanaged.passUnretained(self).toOpaque())
    if status != 0 { return nil }
  }

  /// Waits for the next batch.
  func next() -> EventBatch {
    condition.lock()
    defer { condition.unlock() }
    while filled.isEmpty { condition.wait() }
    return filled.removeFirst()
  }

  /// Returns a batch to be filled again.
  func recycle(_ batch: EventBatch) {
    condition.lock()
    defer { condition.unlock() }
    spare.append(batch)
    condition.signal()
  }

  /// Ends the thread; no batch may be requested after that.
  func stop() {
    condition.lock()
    isStopped = true
    condition.signal()
    condition.unlock()
    pthread_join(thread, nil)
  }

  private func run() {
    while let batch = takeSpare() {
      batch.removeAll()
      reader.fill(batch, toTheBrim: true)
      let isLast = batch.isLast
      condition.lock()
      filled.append(batch)
      condition.signal()
      condition.unlock()
      if isLast { return }
    }
  }

  private func takeSpare() -> EventBatch? {
    condition.lock()
    defer { condition.unlock() }
    while spare.isEmpty, !isStopped { condition.wait() }
    return isStopped ? nil : spare.removeLast()
  }
}
