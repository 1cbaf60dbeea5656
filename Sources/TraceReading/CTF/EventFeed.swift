// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads a trace in a separate thread, a few batches ahead of the consumer of the events.
///
///     packets ─ decoder ─▶ filled ─▶ profile
///                          ▲           │
///                          └── spare ◀─┘
///
/// Unchecked: `condition` guards `filled`, `spare` and `isStopped`; the decoder is the thread's until
/// it has ended.
final class EventFeed: @unchecked Sendable {
  private let decoder: CTFDecoder
  private let condition = NSCondition()
  private var filled: [EventBatch] = []
  private var spare: [EventBatch]
  private var isStopped = false
  private var thread: ReadingThread?

  // 4 is arbitrary: one is filled, one is read, and two bridge where either is late.
  private static let batchCount = 4

  /// `nil` if the system cannot start a thread.
  init?(_ decoder: CTFDecoder) {
    self.decoder = decoder
    spare = (0..<Self.batchCount).map { _ in EventBatch() }
    // Unowned: `stop()` waits for the thread.
    thread = ReadingThread { [unowned self] in run() }
    if thread == nil { return nil }
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
    thread?.join()
  }

  private func run() {
    while let batch = acquireSpare() {
      batch.removeAll()
      decoder.fill(batch)
      let isLast = batch.isLast
      condition.lock()
      filled.append(batch)
      condition.signal()
      condition.unlock()
      if isLast { return }
    }
  }

  private func acquireSpare() -> EventBatch? {
    condition.lock()
    defer { condition.unlock() }
    while spare.isEmpty, !isStopped { condition.wait() }
    return isStopped ? nil : spare.removeLast()
  }
}
