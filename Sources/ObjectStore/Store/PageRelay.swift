// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import Synchronization

/// Passes the pages of a long fetch to a second thread, which uses them while the first one reads.
///
/// Pages are used one after the other, in the order of the rows, and never by both threads at the
/// same time.
///
/// Unchecked: `chunk`, `rowCount` and `isRunning` belong to the thread that reads.
final class PageRelay: @unchecked Sendable {
  /// Nil once all pages were used: the other thread may end later.
  private var use: ((RowPage) -> Void)?
  private let mayBegin: Bool
  private var rowCount = 0
  private var isRunning = false
  private var chunk: [RowPage] = []
  private let chunks = Mutex<[[RowPage]]>([])
  private let sent = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: maxChunks)
  private let ended = DispatchSemaphore(value: 0)

  // Some 3 ms of reading, where a thread takes 0.05 ms to begin.
  private static let minRows = 10_000
  // 128 KiB: to wake a thread costs about as much as one page.
  private static let chunkPages = 32
  private static let maxChunks = 8

  private static let running = Atomic<Int>(0)
  private static let maxRunning = ProcessInfo.processInfo.activeProcessorCount / 2

  /// - Parameters:
  ///   - mayBegin: whether `use` may be called on another thread.
  ///   - use: receives the pages.
  init(mayBegin: Bool, use: @escaping (RowPage) -> Void) {
    self.mayBegin = mayBegin
    self.use = use
  }

  func add(_ page: RowPage) {
    if isRunning {
      chunk.append(page)
      if chunk.count == Self.chunkPages { send() }
      return
    }
    use?(page)
    rowCount += page.rowCount
    if mayBegin, rowCount >= Self.minRows { begin() }
  }

  /// Waits until all pages were used; to be called before `use` ends.
  func finish() {
    defer { use = nil }
    guard isRunning else { return }
    if !chunk.isEmpty { send() }
    send()
    ended.wait()
    isRunning = false
    Self.running.subtract(1, ordering: .relaxed)
  }

  private func begin() {
    // Once for each fetch: more threads than processors would only take turns.
    rowCount = .min
    guard Self.running.add(1, ordering: .relaxed).newValue <= Self.maxRunning else {
      Self.running.subtract(1, ordering: .relaxed)
      return
    }
    var thread = pthread_t()
    let relay = Unmanaged.passRetained(self)
    let code = pthread_create(&thread, nil, { relay in
      guard let relay else { return nil }
      Unmanaged<PageRelay>.fromOpaque(relay).takeRetainedValue().run()
      return nil
    }, relay.toOpaque())
    guard code == 0 else {
      relay.release()
      Self.running.subtract(1, ordering: .relaxed)
      return
    }
    pthread_detach(thread)
    isRunning = true
  }

  /// Sends the chunk; an empty one is the last.
  private func send() {
    room.wait()
    chunks.withLock { $0.append(chunk) }
    chunk.removeAll()
    sent.signal()
  }

  private func run() {
    while true {
      sent.wait()
      let chunk = chunks.withLock { $0.removeFirst() }
      for page in chunk { use?(page) }
      room.signal()
      if chunk.isEmpty { break }
    }
    ended.signal()
  }
}
