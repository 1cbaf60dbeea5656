// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import StoreInstruments
import Synchronization

/// Passes on the pages of a fetch; pages of a long fetch go to a second thread, which uses them
/// while the first one reads.
///
/// Pages are used one after the other, in the order of the rows, and never by both threads at the
/// same time.
final class PageRelay {
  private let use: (RowPage) -> Void
  private let mayBegin: Bool
  // Unchecked: only the thread that reads adds pages.
  @exclusivity(unchecked) private var rowCount = 0
  @exclusivity(unchecked) private var chunk: [RowPage] = []
  @exclusivity(unchecked) private var thread: PageThread?
  private let measures: Bool
  /// How long the thread that reads has used pages, or waited for the other one; 0 unless measured.
  @exclusivity(unchecked) private(set) var time: Nanoseconds = 0

  // Some 3 ms of reading, where a thread takes 0.05 ms to begin.
  private static let minRows = 10_000
  // 128 KiB: to wake a thread costs about as much as one page.
  private static let chunkPages = 32

  private static let running = Atomic<Int>(0)
  private static let maxRunning = ProcessInfo.processInfo.activeProcessorCount / 2

  /// - Parameters:
  ///   - mayBegin: whether `use` may be called on another thread.
  ///   - use: receives the pages.
  init(mayBegin: Bool, measures: Bool, use: @escaping (RowPage) -> Void) {
    self.mayBegin = mayBegin
    self.measures = measures
    self.use = use
  }

  func add(_ page: RowPage) {
    let start = measures ? TraceClock.now : 0
    pass(page)
    if measures { time += TraceClock.now - start }
  }

  private func pass(_ page: RowPage) {
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
  func finish() {
    guard let thread else { return }
    let start = measures ? TraceClock.now : 0
    if !chunk.isEmpty { send(to: thread) }
    thread.end()
    self.thread = nil
    Self.running.subtract(1, ordering: .relaxed)
    if measures { time += TraceClock.now - start }
  }

  private func send(to thread: PageThread) {
    thread.send(chunk)
    chunk.removeAll()
  }

  private func begin() {
    // Tried once: more threads than processors would only take turns.
    rowCount = .min
    if Self.running.add(1, ordering: .relaxed).newValue <= Self.maxRunning {
      thread = PageThread(use)
    }
    if thread == nil { Self.running.subtract(1, ordering: .relaxed) }
  }
}
