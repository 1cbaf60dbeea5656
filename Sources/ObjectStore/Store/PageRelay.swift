// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Passes on the pages of a fetch; those of a long one to a second thread, which uses them while the
/// first one reads.
///
/// Pages are used one after the other, in the order of the rows, and never by both threads at the
/// same time.
struct PageRelay: ~Copyable {
  private let use: (RowPage) -> Void
  private let mayBegin: Bool
  private var rowCount = 0
  private var chunk: [RowPage] = []
  private var thread: PageThread?

  // Some 3 ms of reading, where a thread takes 0.05 ms to begin.
  private static let minRows = 10_000
  // 128 KiB: to wake a thread costs about as much as one page.
  private static let chunkPages = 32

  private static let running = Atomic<Int>(0)
  private static let maxRunning = ProcessInfo.processInfo.activeProcessorCount / 2

  /// - Parameters:
  ///   - mayBegin: whether `use` may be called on another thread.
  ///   - use: receives the pages.
  init(mayBegin: Bool, use: @escaping (RowPage) -> Void) {
    self.mayBegin = mayBegin
    self.use = use
  }

  mutating func add(_ page: RowPage) {
    if let thread {
      chunk.append(page)
      if chunk.count == Self.chunkPages { send(to: thread) }
      return
    }
    use(page)
    guard mayBegin else { return }
    rowCount &+= page.rowCount
    if rowCount >= Self.minRows { begin() }
  }

  /// Waits until all pages were used; to be called before `use` ends.
  mutating func finish() {
    guard let thread else { return }
    if !chunk.isEmpty { send(to: thread) }
    thread.end()
    self.thread = nil
    Self.running.subtract(1, ordering: .relaxed)
  }

  private mutating func send(to thread: PageThread) {
    thread.send(chunk)
    chunk.removeAll()
  }

  private mutating func begin() {
    // Tried once: more threads than processors would only take turns.
    rowCount = .min
    if Self.running.add(1, ordering: .relaxed).newValue <= Self.maxRunning {
      thread = PageThread(use)
    }
    if thread == nil { Self.running.subtract(1, ordering: .relaxed) }
  }
}
